"""``python benchmarks/job_once.py TASK ARGUMENTS``: one task of `benchmarks.job`, in its process.

It imports only public names, because it also runs with other versions of this package. Prints CPU
milliseconds of this process for a page.
"""

import json
import logging
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import Any

# Pages before the timing, so that models and names of months are loaded.
WARM_UP = 20
CONCURRENT = 32
FIELDS = ("text", "headline", "date_published", "authors")
SMALL_PAGE = "<title>A title</title><h1>A title</h1>" + "<p>Words, and then some more. " * 40

# HTML and URL to the function that is timed.
Prepare = Callable[[bytes, str | None], Callable[[], object]]


def prepare_fields(html: bytes, url: str | None) -> Callable[[], object]:
    extract = import_module("scrapy_boilerplate").extract

    def run() -> str:
        document = extract(html, url)
        return json.dumps({name: getattr(document, name) for name in FIELDS})

    return run


def prepare_markup(html: bytes, url: str | None) -> Callable[[], object]:
    document = import_module("scrapy_boilerplate").extract(html, url)
    return lambda: (document.html, document.markdown)


def prepare_trafilatura(html: bytes, url: str | None) -> Callable[[], object]:
    run = import_module("trafilatura").bare_extraction
    return lambda: run(html, url=url, include_comments=False, with_metadata=True)


def prepare_resiliparse(html: bytes, _url: str | None) -> Callable[[], object]:
    run = import_module("resiliparse.extract.html2text").extract_plain_text
    return lambda: run(html.decode(), main_content=True, comments=False)


PREPARES: dict[str, Prepare] = {
    "extract": prepare_fields,
    "markup": prepare_markup,
    "trafilatura": prepare_trafilatura,
    "resiliparse": prepare_resiliparse,
}


def time_pages(prepare: Prepare, file: str) -> float:
    """Return milliseconds a page, on the pages of a file of JSON lines."""
    logging.disable(logging.CRITICAL)  # what others log about pages
    seconds = 0.0
    run: Callable[[], object] | None = None
    pages = list(map(json.loads, Path(file).read_bytes().splitlines()))
    for page in [*pages[:WARM_UP], None, *pages]:
        if page is None:
            seconds = 0.0
            continue
        run = None  # freeing the page before does not count
        run = prepare(page["html"].encode(), page["url"])
        start = process_time()
        run()
        seconds += process_time() - start
    return 1000 * seconds / len(pages)


def time_start() -> float:
    """Return milliseconds of the import of `extract` and its first page."""
    start = process_time()
    import_module("scrapy_boilerplate").extract(SMALL_PAGE)
    return 1000 * (process_time() - start)


@dataclass
class Story:
    url: str
    text: str | None = None
    headline: str | None = None


def crawl(kind: str, port: str, n_pages: str, feed: str) -> float:
    """Return milliseconds a page of a crawl that yields items of a kind into a feed."""
    from scrapy import Request, Spider  # noqa: PLC0415 - only a crawl needs it
    from scrapy.crawler import AsyncCrawlerProcess  # noqa: PLC0415

    ready_made = import_module("scrapy_boilerplate").ArticleItem
    item_class: Any = {"ArticleItem": ready_made, "Story": Story}.get(kind, dict)
    times: list[float] = []

    class Pages(Spider):
        name = "pages"

        async def start(self) -> AsyncIterator[Request]:
            times.append(process_time())  # without imports and settings
            for number in range(int(n_pages)):
                yield Request(f"http://127.0.0.1:{port}/{number}")

        def parse(self, response: Any) -> Any:
            response.css("title::text").get()  # nearly every spider reads the tree
            yield item_class(url=response.url)

    settings: dict[str, Any] = {
        "CONCURRENT_REQUESTS": CONCURRENT,
        "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENT,
        "DOWNLOAD_DELAY": 0,
        "FEEDS": {feed: {"format": "jsonlines", "overwrite": True}},
        "LOG_LEVEL": "ERROR",
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
    }
    if kind != "off":
        settings["ADDONS"] = {"scrapy_boilerplate.Addon": 500}
    process = AsyncCrawlerProcess(settings)
    process.crawl(Pages)
    process.start()
    n_items = len(Path(feed).read_bytes().splitlines())
    if n_items != int(n_pages):
        raise SystemExit(f"{n_items} items of {n_pages} pages")
    return 1000 * (process_time() - times[0]) / n_items


if __name__ == "__main__":
    task, *arguments = sys.argv[1:]
    if task in PREPARES:
        print(time_pages(PREPARES[task], *arguments))
    else:
        print(time_start() if task == "start" else crawl(*arguments))
