"""Commands that measure speed and quality: ``python -m benchmarks.NAME``."""
