"""What the methods share that choose elements: counts, names, paragraphs, scores passed up."""
