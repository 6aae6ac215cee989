"""A pool of worker processes that read pages."""
