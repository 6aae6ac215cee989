"""The Scrapy layer: the only room that imports scrapy."""
