"""A small Scrapy project whose items are filled by scrapy_boilerplate."""
