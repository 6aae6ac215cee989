"""Archives in, rows out: local worker processes, and Spark."""
