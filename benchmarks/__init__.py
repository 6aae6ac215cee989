"""Figures about speed and quality, made by commands: ``python -m benchmarks.NAME``."""
