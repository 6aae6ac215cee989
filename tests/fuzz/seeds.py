"""Seeds of fuzzing: the first bytes of corpus pages, if there are corpora, and small own pages."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from scrapy_boilerplate.training.corpora import read_records
from tests.crawl.pages import article as article_page
from tests.fuzz.targets import CUT, LATE, LINES, NAMES

CORPORA = ("fundus", "wcxb", "article-extraction", "trafilatura", "l3s-gn1", "waddle")
# Bytes of a corpus page: enough for its head and some text, and quick to read.
START = 20_000
OWN = (
    article_page(),
    "<title>Ferry<p>one</p>" + "<b>two" * 40,
    '<script type=\'application/ld+json\'>{"@type": ["NewsArticle"], "author": [{}]}</script>',
    "<meta property='article:published_time' content='2024-05-01T08:30:00Z'><p>May 1, 2024",
    "<table><tr><td>a<td>b<tr><td colspan=2><ul><li>c<li>d</table><svg><title>x</svg>",
    "<figure><img data-src='//x/y.jpg' srcset='a 1x, b 2x'><figcaption>c</figure><iframe src=x>",
    "<p>漢字かな交じり文。" * 5 + "<rt>x</rt><bdo dir=rtl>שלום",
)


def read_seeds(corpora: Path | None, n_pages: int) -> Iterator[bytes]:
    """Yield inputs of `targets.run`; every extractor gets some."""
    pages = [html.encode() for html in OWN]
    if corpora is not None and corpora.is_dir():
        for name in CORPORA:
            records = islice(read_records(corpora / f"{name}.jsonl.xz"), n_pages)
            pages += [record["html"].encode("utf-8", "replace")[:START] for record in records]
    for number, page in enumerate(pages):
        yield bytes([number % len(NAMES)]) + page
        yield bytes([CUT, 200, 50]) + page[:2_000]
        yield bytes([LATE, 0, number % 2]) + page[:5_000]
        yield bytes([LATE, 130 + 3 * number % 100, number % 2]) + page[:5_000]
    for page in pages[:5]:
        line = {"id": 1, "url": "http://x.example/", "html": page.decode("utf-8", "replace")}
        yield bytes([LINES]) + json.dumps(line).encode()
