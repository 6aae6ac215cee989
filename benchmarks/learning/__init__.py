"""Measurements of the learned systems: what docs/learned.md is made of."""
