"""``python -m benchmarks.page_kinds``: pages of the corpora that are found to be of a special kind.

It prints for each corpus the number of pages with a next page (`Document.next_page`), of live blogs
and of stubs, and the time of the search as a multiple of lxml's parse. `--list` also prints the
pages. Nearly all pages of the corpora are articles on one page.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice

from lxml import etree
from tqdm import tqdm

from benchmarks.corpora import ARTICLE_TYPES, MIXED, corpus_file, create_parser
from benchmarks.markdown import format_table
from scrapy_boilerplate import Document, extract
from scrapy_boilerplate.training.corpora import LabelledPage, read_pages

KINDS: dict[str, Callable[[Document], object]] = {
    "next page": lambda document: document.next_page,
    "live blog": lambda document: document.entries,
    "stub": lambda document: document.stub,
}


def main() -> None:
    parser = create_parser(__doc__)
    parser.add_argument("corpus", nargs="*", default=MIXED)
    parser.add_argument("--list", action="store_true", help="print the pages as well")
    options = parser.parse_args()
    rows = [["corpus", "pages", *KINDS, "time"]]
    for name in options.corpus:
        read = read_pages(corpus_file(options.corpora, name))
        articles = (page for page in read if page.page_type in ARTICLE_TYPES)
        pages = list(islice(articles, options.pages))
        rows.append([name, str(len(pages)), *count_kinds(pages, is_listed=options.list)])
    print(format_table(rows))


def count_kinds(pages: list[LabelledPage], *, is_listed: bool) -> Iterator[str]:
    """Yield how many pages are of each kind, then the time in parses."""
    counts: Counter[str] = Counter()
    parsing = searching = 0.0
    for page in tqdm(pages):
        start = time.process_time()
        etree.fromstring(page.html.encode(), etree.HTMLParser(encoding="utf-8"))
        parsing += time.process_time() - start
        document = extract(page.html, page.url)
        start = time.process_time()
        values = {name: find(document) for name, find in KINDS.items()}
        searching += time.process_time() - start
        for name, value in values.items():
            counts[name] += bool(value)
            if value and is_listed:
                tqdm.write(f"{name}: {page.dataset} {page.id} {page.url}\n    {str(value)[:500]}")
    yield from (str(counts[name]) for name in KINDS)
    yield f"{searching / parsing:.3f}" if pages else ""


if __name__ == "__main__":
    main()
