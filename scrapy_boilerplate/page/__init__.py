"""From HTML to a `Page`: decode, limit, parse, walk the tree once, cut it into text blocks."""
