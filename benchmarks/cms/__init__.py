"""Pages of real publishing systems with exact gold: ``python -m benchmarks.cms``."""
