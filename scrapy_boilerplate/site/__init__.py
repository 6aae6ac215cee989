"""Other pages of a site: records of its pages and articles, redesigns, and rules for sites."""
