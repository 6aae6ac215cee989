"""How many articles `NewsSpider` and other packages find on simulated sites, by request.

``python -m benchmarks.spider`` prints the tables of docs/usage/crawl.md. The sites are built from
pages of the corpora (`benchmarks.spider_sites`). Their server counts the requests, without those
for robots.txt and tdmrep.json. For a package that returns a list of URLs, each URL counts as one
request, in the order of the list. The strategy ``direct`` gets the URLs of the newest articles.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.corpora import CORPORA
from benchmarks.spider_sites import SimulatedSite, build_sites, serving

STRATEGIES = {
    "links": ("auto", "links", "direct"),
    "sitemaps": ("auto", "sitemaps", "links"),
    "feeds": ("auto", "feeds", "links"),
    "hosts": ("auto", "links"),
    "late": ("auto", "links"),
}
OTHERS = ("focused_crawler", "sitemap_search", "find_feed_urls", "newspaper4k")
NEWEST = 100
FIRST, LAST = 50, 150
SHARE = 0.9


def run_spider(site: SimulatedSite, strategy: str, proxy: str) -> Any:
    site.requests.clear()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "items.jsonl")
        newest = [article.path for article in site.articles[:NEWEST]]
        pages = [site.url + path for path in (newest if strategy == "direct" else ["/"])]
        command = [sys.executable, "-m", "scrapy_boilerplate.cli", "crawl", *pages, "-o", str(out)]
        command += ["--strategy", strategy]
        for setting in ("AUTOTHROTTLE_ENABLED=0", "LOG_LEVEL=WARNING", "RETRY_ENABLED=0"):
            command += ["-s", setting]
        subprocess.run(command, env={**os.environ, "http_proxy": proxy}, check=True)
        items = [json.loads(line)["url"] for line in out.read_text("utf-8").splitlines()]
    return measure(site, site.requests, items)


def run_other(site: SimulatedSite, name: str, proxy: str, pages: int) -> Any:
    site.requests.clear()
    command = [sys.executable, "-m", "benchmarks.spider", "--other", name, site.url, str(pages)]
    done = subprocess.run(
        command,
        env={**os.environ, "http_proxy": proxy, "HTTP_PROXY": proxy},
        stdout=subprocess.PIPE,
        check=True,
    )
    urls = json.loads(done.stdout.splitlines()[-1])
    requested = site.requests.copy()
    known = set(requested)
    paths = (url.removeprefix(site.url) for url in urls)
    requested += [path for path in dict.fromkeys(paths) if path not in known]
    return measure(site, requested, None)


def measure(site: SimulatedSite, requested: Sequence[str], items: Sequence[str] | None) -> Any:
    """Return the figures of a crawl; without `items` every article page that came counts."""
    given = None if items is None else [site.find(url) for url in items]
    yielded = None if given is None else {each.number for each in given if each is not None}
    found: dict[int, int] = {}
    for position, target in enumerate(requested, 1):
        article = site.find(target)
        if article is not None and (yielded is None or article.number in yielded):
            found.setdefault(article.number, position)
    newest = sorted(found[number] for number in found if number < NEWEST)
    goal = round(SHARE * min(NEWEST, len(site.articles)))
    first = min(FIRST, len(requested))
    return {
        "articles": len(found) / len(site.articles),
        "requests": len(requested),
        "first": sum(position <= FIRST for position in found.values()) / max(1, first),
        "next": sum(FIRST < position <= LAST for position in found.values())
        / max(1, min(LAST, len(requested)) - FIRST),
        "all": len(found) / max(1, len(requested)),
        "duplicates": 0 if given is None else len(given) - len({id(each) for each in given}),
        "wrong": 0 if given is None else sum(each is None for each in given),
        "newest": newest[goal - 1] if len(newest) >= goal else None,
    }


def list_urls(name: str, url: str, pages: int) -> list[str]:
    """Return the URLs that another package gives for a site."""
    if name == "newspaper4k":
        import newspaper  # noqa: PLC0415

        paper = newspaper.build(f"{url}/", memorize_articles=False)
        return [article.url for article in paper.articles]
    import trafilatura.downloads  # noqa: PLC0415
    import urllib3  # noqa: PLC0415
    from trafilatura import feeds, sitemaps, spider  # noqa: PLC0415

    for module in (spider, feeds, sitemaps):
        vars(module)["sleep"] = lambda _: None
    # it supports no other proxies than SOCKS
    downloads: Any = trafilatura.downloads
    downloads.HAS_PYCURL = False
    downloads.PROXY_URL = os.environ["http_proxy"]
    downloads.create_pool = lambda **_: urllib3.ProxyManager(downloads.PROXY_URL)
    if name == "sitemap_search":
        return sitemaps.sitemap_search(url)
    if name == "find_feed_urls":
        return feeds.find_feed_urls(url)
    spider.focused_crawler(f"{url}/", max_seen_urls=pages, max_known_urls=100_000)
    return []


def describe(name: str, row: dict[str, Any]) -> str:
    newest = "never" if row["newest"] is None else str(row["newest"])
    return (
        f"| {name} | {row['articles']:.2f} | {row['requests']} | {row['first']:.2f} | "
        f"{row['next']:.2f} | {row['all']:.2f} | {row['duplicates']} | {row['wrong']} | {newest} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, default=CORPORA)
    parser.add_argument("--set", default="reported", choices=("dev", "reported"))
    parser.add_argument("--size", type=int, default=300, help="articles of a site")
    parser.add_argument("--kinds", nargs="+", choices=STRATEGIES, default=list(STRATEGIES))
    parser.add_argument("--others", nargs="*", choices=OTHERS, default=OTHERS)
    parser.add_argument("--other", nargs=3, metavar=("NAME", "URL", "PAGES"))
    options = parser.parse_args()
    if options.other:
        name, url, pages = options.other
        print(json.dumps(list_urls(name, url, int(pages))))
        return
    sites = build_sites(options.corpora, options.set, options.size)
    with serving(list(sites.values())) as proxy:
        for kind in options.kinds:
            site = sites[kind]
            print(f"\n{kind}: {len(site.articles)} articles\n")
            print(
                "| | articles | requests | 1 to 50 | 51 to 150 | all | twice | wrong | 90 of 100 |"
            )
            print("|---|---|---|---|---|---|---|---|---|")
            for strategy in STRATEGIES[kind]:
                row = run_spider(site, strategy, proxy)
                print(describe(f"NewsSpider, {strategy}", row), flush=True)
            for name in options.others:
                row = run_other(site, name, proxy, 2 * len(site.articles))
                print(describe(name, row), flush=True)


if __name__ == "__main__":
    main()
