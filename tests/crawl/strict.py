"""`python -m tests.crawl.strict ...` is `scrapy ...` with Scrapy's deprecation warnings as errors.

`python -W error::scrapy.exceptions.ScrapyDeprecationWarning` says the same, but Python reads -W
before it can import Scrapy, prints "Invalid -W option ignored" and goes on without it.
"""

import sys
import warnings

from scrapy.cmdline import execute
from scrapy.exceptions import ScrapyDeprecationWarning

if __name__ == "__main__":
    warnings.simplefilter("error", ScrapyDeprecationWarning)
    execute(["scrapy", *sys.argv[1:]])
