"""Tests of the project: the core, the Scrapy layer, the architecture."""
