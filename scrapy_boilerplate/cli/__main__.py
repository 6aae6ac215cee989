"""``python -m scrapy_boilerplate.cli``: the same as the command ``scrapy-boilerplate``."""

import sys

from scrapy_boilerplate.cli import main

if __name__ == "__main__":
    sys.exit(main())
