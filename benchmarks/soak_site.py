"""``python -m benchmarks.soak_site``: many synthetic pages of many sites through site knowledge.

Prints resident memory after every tenth of the pages; it should be flat after the first fifth.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from scrapy_boilerplate.site.sites import Sites
from scrapy_boilerplate.site.stores import open_store
from scrapy_boilerplate.site_extraction import SiteExtraction

WORDS = tuple(f"{first}{last}" for first in "bakolemirusat" for last in ("nder", "ling", "port"))


def resident_megabytes() -> float:
    """Resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def synthetic_pages(pages: int, sites: int, seed: int = 0) -> Iterator[tuple[str, str]]:
    """(address, html): sites in turn, each with a template around text that nobody repeats."""
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
    """Read all pages, tell the memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--sites", type=int, default=2_000)
    parser.add_argument("--store", default="memory")
    parser.add_argument("--extractor", default="num-words")
    options = parser.parse_args()
    sites = Sites(open_store(options.store))
    extraction = SiteExtraction(sites)
    tenth = max(1, options.pages // 10)
    for number, (url, html) in enumerate(synthetic_pages(options.pages, options.sites), start=1):
        extraction.extract(html, url, options.extractor)
        if number % tenth == 0:
            print(
                f"{number:,} pages, {len(sites)} sites: {resident_megabytes():.0f} MB", flush=True
            )
    sites.close()


if __name__ == "__main__":
    main()
