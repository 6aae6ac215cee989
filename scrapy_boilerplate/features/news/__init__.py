"""The features of the extractor `news`: named tables of columns over the blocks of a page."""
