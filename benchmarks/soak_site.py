"""``python -m benchmarks.soak_site``: many synthetic pages of many sites through site knowledge.

Prints resident memory after every tenth of the pages; it should be flat after the first fifth.
Takes about ten minutes for the 100,000 pages of docs/site.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from tqdm import tqdm

from benchmarks.soak import read_resident_megabytes
from scrapy_boilerplate.extraction import SiteExtraction
from scrapy_boilerplate.site.registry import SiteRegistry
from scrapy_boilerplate.site.stores import open_store

WORDS = tuple(f"{first}{last}" for first in "bakolemirusat" for last in ("nder", "ling", "port"))


def synthetic_pages(pages: int, sites: int, seed: int = 0) -> Iterator[tuple[str, str]]:
    """Yield (address, html): sites in turn, each with a template around unique text."""
    generator = np.random.default_rng(seed)
    for number in range(pages):
        site = number % sites
        body = "".join(f"<p>{' '.join(generator.choice(WORDS, 30))}.</p>" for _ in range(6))
        yield (
            f"https://site{site}.example/{number}",
            f"<html><head><title>{number} | Site {site}</title></head><body>"
            f"<div class='nav{site}'><a href='/'>Home of {site}</a></div>"
            f"<div class='text'>{body}</div>"
            f"<div class='foot'><p>All rights of the pages of site {site} are kept.</p></div>"
            "</body></html>",
        )


def main() -> None:
    """Read all pages, print the memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--sites", type=int, default=2_000)
    parser.add_argument("--store", default="memory")
    parser.add_argument("--extractor", default="num-words")
    options = parser.parse_args()
    sites = SiteRegistry(open_store(options.store))
    extraction = SiteExtraction(sites)
    tenth = max(1, options.pages // 10)
    pages = tqdm(synthetic_pages(options.pages, options.sites), total=options.pages)
    for number, (url, html) in enumerate(pages, start=1):
        extraction.extract(html, url, options.extractor)
        if number % tenth == 0:
            tqdm.write(f"{number:,} pages, {len(sites)} sites: {read_resident_megabytes():.0f} MB")
    sites.close()


if __name__ == "__main__":
    main()
