"""Builders of small pages. Their texts are made of filler words and mean nothing."""

import json
import lzma
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import thread_time
from typing import Any

import numpy as np
from lxml import etree
from parsel import Selector

from scrapy_boilerplate import EXTRACTORS, Extractor, Label, Labeling, Page, extract
from scrapy_boilerplate.extraction import LoadedPage, extract_page, load_page
from scrapy_boilerplate.extractors import Options
from scrapy_boilerplate.page.labels import BoolArray
from scrapy_boilerplate.steps.extractor import Step

# Four letters: sixteen of them fill a line of 80 characters (16 * 5 - 1 = 79).
WORD = "word"

# The doctype of a page of 2008.
HTML_4 = (
    '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">'
)

# Words of a paragraph, or (words, the first of them in a link).
Block = int | tuple[int, int]


def filler(words: int, first: str = WORD) -> str:
    """A text of so many words."""
    return " ".join([first, *[WORD] * (words - 1)]) if words else ""


def sentences(words: int, topic: str) -> str:
    """Running text of at least so many words, in sentences of nine words about `topic`."""
    sentence = f"The {topic} went on as all of us hoped."
    return " ".join([sentence] * -(-words // 9))


def document(body: str, title: str = "", attributes: str = "") -> str:
    """An HTML document around `body`; `attributes` go to the body tag."""
    return (
        f"<!DOCTYPE html><html><head><title>{title}</title></head>"
        f"<body {attributes}>{body}</body></html>"
    )


def paragraph(block: Block) -> str:
    """A paragraph with so many words, or so many words and linked words."""
    words, linked = (block, 0) if isinstance(block, int) else block
    link = f'<a href="/x">{filler(linked)}</a> ' if linked else ""
    return f"<p>{link}{filler(words - linked)}</p>"


def paragraphs(*blocks: Block) -> str:
    return "".join(map(paragraph, blocks))


def segmented_page(source: Any, url: str | None, extractor: Extractor) -> Page:
    """The page of HTML or a tree in the extractor's text blocks, not yet labelled."""
    return extractor.segmenter(load_page(source, url).page)


def page_of(source: Any) -> Page:
    """The page of HTML or a tree in atomic blocks."""
    return segmented_page(source, None, EXTRACTORS["keep-everything"])


def tree_of(source: Any) -> Any:
    """The root of the tree of HTML, as a document has it."""
    return extract(source, extractor="keep-everything").tree


def block_texts(source: Any) -> list[str]:
    return page_of(source).texts


def read_corpus(path: Path) -> Iterator[dict[str, Any]]:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


class UnparsedResponse:
    """A response whose selector must not be used."""

    url = "http://x.example/"

    def __init__(self, body: bytes, encoding: str = "utf-8") -> None:
        self.body, self.encoding = body, encoding

    @property
    def selector(self) -> Selector:
        raise AssertionError("all of the page was parsed")


def with_content(page: Page, *content: int) -> Labeling:
    """A labeling of `page` in which the blocks `content` are full text."""
    mask = np.zeros(len(page), dtype=np.bool_)
    mask[list(content)] = True
    return Labeling.blank(len(page)).classify(mask, "test")


def all_content(page: Page) -> Labeling:
    """A labeling of `page` in which every block is full text."""
    return with_content(page, *range(len(page)))


def step_of(extractor: str, name: str) -> Any:
    of_extractor = EXTRACTORS[extractor]
    steps = (*of_extractor.steps, *of_extractor.finish)
    return next(step for step in steps if step.name == name)


def run(page: Page, labeling: Labeling, *steps: Step) -> Labeling:
    for step in steps:
        labeling = step(page, labeling)
    return labeling


def true_at(mask: BoolArray) -> list[int]:
    indices: list[int] = np.flatnonzero(mask).tolist()
    return indices


def content_texts(extractor: str, page: Page) -> list[str]:
    """The texts of the blocks that an extractor's own steps select as content."""
    content = EXTRACTORS[extractor].decide_content(page).content
    return [page.texts[block] for block in true_at(content)]


def labels_by_text(html: str, extractor: str = "num-words") -> dict[str, str]:
    """The label of each block by the first word of its text."""
    return {b.text.split()[0]: b.label for b in extract(html, extractor=extractor).blocks}


def labelled(labeling: Labeling, label: Label) -> list[int]:
    return true_at(labeling.labels == label)


def spend_time(seconds: float) -> None:
    """Take so much CPU time of this thread."""
    end = thread_time() + seconds
    while thread_time() < end:
        pass


def trace_steps(extractor: Extractor, page: Page) -> list[tuple[str, Labeling]]:
    """Name and labeling of every step, of `extract_page`."""
    steps: list[tuple[str, Labeling]] = []
    loaded = LoadedPage(page, etree.Element("html"))
    same = replace(extractor, segmenter=lambda _: page)
    options = Options(extractor=same)
    extract_page(loaded, None, options, observe=lambda *step: steps.append(step))
    return steps
