"""Columns about the blocks of a page."""
