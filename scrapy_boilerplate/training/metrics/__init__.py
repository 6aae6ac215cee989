"""Scores of what an extractor found against what a corpus says; every metric names its source."""

from scrapy_boilerplate.training.metrics.tokens import token_f1, tokens

__all__ = ["token_f1", "tokens"]
