"""BOILERPLATE_INSPECT_DIR in a real crawl."""

import logging
from pathlib import Path

import pytest

from tests.builders import document, sentences
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.pages import page

WITHOUT_SITE = "the labels without them"


def article(n: int) -> str:
    return document(
        '<meta property="og:type" content="article"><article><h1>The ferry is back</h1>'
        f"<p>{sentences(90 + n, 'ferry')}</p><p>{sentences(80, 'crew')}</p></article>",
        "The ferry is back",
    )


@pytest.mark.parametrize("executor", ["inline", "process"])
def test_the_least_confident_articles_are_kept(
    crawl: CrawlPages, tmp_path: Path, executor: str
) -> None:
    """Of a page over its budget, the part that was read; though its item is dropped."""
    whole = article(0).replace("</article>", "</article><p>Umbrellas are sold here</p>")
    pages = {"/0": page(whole), **{f"/{n}": page(article(n * 9)) for n in range(1, 4)}}
    settings = {
        "BOILERPLATE_INSPECT_DIR": str(tmp_path / "inspect"),
        "BOILERPLATE_INSPECT_PAGES": 2,
        "BOILERPLATE_INSPECT_BELOW": 1,
        "BOILERPLATE_MIN_CONFIDENCE": 1,
        "BOILERPLATE_MAX_BYTES": whole.index("Umbrellas"),
        "BOILERPLATE_EXECUTOR": executor,
    }
    crawled = crawl(items_of(dict), settings, pages=pages)
    index, *kept = sorted(
        (tmp_path / "inspect").glob("*.html"), key=lambda f: f.name != "index.html"
    )
    assert len(kept) == 2
    assert crawled.counts["inspected"] >= 2
    assert crawled.counts["partial/bytes"] >= 1
    assert "errors/inspect" not in crawled.counts
    for file in (index, *kept):
        assert "The ferry is back" in file.read_text("utf-8")
        assert not [text for text in ("Umbrellas", WITHOUT_SITE) if text in file.read_text("utf-8")]
    told = "".join(crawled.messages(logging.INFO))
    assert f"Inspection pages (2) of articles with a confidence below 1: {index}" in told


def test_sure_pages_are_not_kept(crawl: CrawlPages, tmp_path: Path) -> None:
    settings = {"BOILERPLATE_INSPECT_DIR": str(tmp_path), "BOILERPLATE_INSPECT_BELOW": 0}
    crawled = crawl(items_of(dict), settings, pages={"/1": page(article(0))})
    assert "inspected" not in crawled.counts
    messages = "".join(crawled.messages(logging.INFO))
    assert "(BOILERPLATE_INSPECT_BELOW): there is nothing to inspect" in messages
    assert [file.name for file in tmp_path.glob("*.html")] == ["index.html"]


def test_with_site_knowledge_the_page_says_what_it_leaves_out(
    crawl: CrawlPages, tmp_path: Path
) -> None:
    settings = {
        "BOILERPLATE_INSPECT_DIR": str(tmp_path),
        "BOILERPLATE_INSPECT_BELOW": 1,
        "BOILERPLATE_SITE": True,
        "BOILERPLATE_EXTRACTOR": "num-words",
    }
    crawl(items_of(dict), settings, pages={"/1": page(article(0))})
    [kept] = (file for file in tmp_path.glob("*.html") if file.name != "index.html")
    assert WITHOUT_SITE in kept.read_text("utf-8")
