"""From HTML to a `Page`: parse, walk the tree once, cut the leaves into text blocks."""
