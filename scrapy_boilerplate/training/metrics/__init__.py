"""Metrics: scores of an extract against the gold standard; every metric names its source."""
