"""The features of `news`: named tables of columns over the blocks of a page."""
