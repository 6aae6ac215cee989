"""`NewsSpider`, which finds the articles of a site: by feeds, sitemaps and links."""
