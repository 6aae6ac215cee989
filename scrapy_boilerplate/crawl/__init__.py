"""The Scrapy layer: the only subpackage that imports scrapy."""
