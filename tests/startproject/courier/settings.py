# The settings of `scrapy startproject`, the line of the add-on, and two components of its own.
BOT_NAME = "courier"

SPIDER_MODULES = ["courier.spiders"]
NEWSPIDER_MODULE = "courier.spiders"

ADDONS = {"scrapy_boilerplate.Addon": 500}

ROBOTSTXT_OBEY = True

CONCURRENT_REQUESTS_PER_DOMAIN = 1
DOWNLOAD_DELAY = 1

SPIDER_MIDDLEWARES = {"courier.middlewares.CopyingMiddleware": 10}

ITEM_PIPELINES = {"courier.pipelines.ReplacingPipeline": 300}

FEED_EXPORT_ENCODING = "utf-8"
