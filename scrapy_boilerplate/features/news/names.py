"""placeholder"""

from scrapy_boilerplate.features.news.facts import FeatureTable

NAMES = FeatureTable({}, lambda facts: ())
