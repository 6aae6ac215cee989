"""The default extractor `news`: features, net, decisions, confidence; and article page or not."""
