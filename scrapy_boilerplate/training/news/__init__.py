"""Training of the extractor `news`: targets, word weights, net."""
