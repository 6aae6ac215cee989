"""Several workers over one Redis: queue and duplicates (scrapy-redis)."""
