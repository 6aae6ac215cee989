"""Tests of the core: everything but the Scrapy layer."""
