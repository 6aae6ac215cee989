"""Methods that choose elements: subtree heuristics and candidate scoring."""
