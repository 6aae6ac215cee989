"""The default extractor `news`: features, net, decisions, confidence."""
