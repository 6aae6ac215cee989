"""Several workers over one Redis: queue, site knowledge and duplicates (scrapy-redis)."""
