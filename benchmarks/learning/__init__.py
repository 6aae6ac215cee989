"""Measures the learned systems, for docs/learned.md: ``python -m benchmarks.learning``."""
