"""Seeds of fuzzing: the first bytes of corpus pages, if there are corpora, and small own pages."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from scrapy_boilerplate import is_installed
from scrapy_boilerplate.training.corpora import read_records
from tests.batch.stored import http, record
from tests.crawl.pages import article as article_page
from tests.fuzz.stored import ARCHIVES as KINDS
from tests.fuzz.stored import PACKERS, SEPARATOR
from tests.fuzz.targets import ARCHIVES, CUT, LATE, LINES, NAMES

CORPORA = ("fundus", "wcxb", "article-extraction", "trafilatura", "l3s-gn1", "waddle")
START = 20_000
"""Bytes of a corpus page: enough for its head and some text, and quick to read."""
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
    yield from _build_archives()


def _build_archives() -> Iterator[bytes]:
    """Yield archives of each kind, with packed bodies."""
    body = OWN[1].encode() * 9
    codings: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress, "deflate": zlib.compress}
    if is_installed("zstandard"):
        codings["zstd"] = PACKERS[".zst"]
    answers = [http(body), http(body, "text/html; charset=utf-16"), http(b"x", status="404 No")]
    answers += [
        http(pack(body), more=f"Content-Encoding: {coding}\r\n") for coding, pack in codings.items()
    ]
    answers.append(http(b"5\r\n<p>on\r\n0\r\n\r\n", more="Transfer-Encoding: chunked\r\n"))
    records = [record(f"https://a.example/{n}", answer, n) for n, answer in enumerate(answers)]
    lines = [json.dumps({"id": n, "url": None, "html": OWN[n]}).encode() + b"\n" for n in range(3)]
    for kind, (name, _, is_packed) in enumerate(KINDS):
        parts = records if "warc" in name else lines
        pack = PACKERS.get(Path(name).suffix, bytes)
        joined = SEPARATOR.join(parts) if is_packed else b"".join(map(pack, parts))
        yield bytes([ARCHIVES, kind]) + joined
