"""Corpora, alignment, metrics and trainers. Nothing of it is needed at run time."""
