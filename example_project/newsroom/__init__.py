"""A small Scrapy project with the add-on of scrapy_boilerplate."""
