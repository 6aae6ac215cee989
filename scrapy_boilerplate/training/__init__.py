"""Corpora, alignment, metrics and trainers. Not needed at run time."""
