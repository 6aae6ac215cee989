"""What a labelled page says: text, headline, the other parts, and a label for each block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from lxml import etree

from scrapy_boilerplate.extras import is_installed
from scrapy_boilerplate.markup.clean import SANITISER, content_html, paragraphs_html
from scrapy_boilerplate.markup.markdown import content_markdown
from scrapy_boilerplate.metadata.article import metadata_of
from scrapy_boilerplate.metadata.fields import Metadata
from scrapy_boilerplate.metadata.json_ld import declared_body
from scrapy_boilerplate.news.article_probability import article_probability
from scrapy_boilerplate.page.labels import Label, Labeling
from scrapy_boilerplate.page.limits import MILLISECONDS
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.site.fingerprints import fingerprint, simhash


@dataclass(frozen=True, slots=True)
class DocumentBlock:
    """A text block as it is exported.

    `text` is never empty and has no line breaks; `label` is a `Label.text`; `score` 0 to 1 is how
    sure the extractor is of the label (1 for rules); `xpath` finds the element the block stands in
    (several blocks can share one), "" where that is nested too deep (`xpaths`).
    """

    text: str
    label: str
    score: float
    xpath: str

    def as_dict(self) -> dict[str, Any]:
        """The same as a plain dict, for feeds."""
        return {
            "text": self.text,
            "label": self.label,
            "score": self.score,
            "xpath": self.xpath,
        }


@dataclass(frozen=True, kw_only=True)
class Document(Metadata):
    """What one page says: its `Metadata`, and its text.

    Plain values only; it can be pickled, and then leaves page and tree behind. Two are equal if
    their fields are, but for `labelled` and `tree`.

    url          as given by the caller, or None
    text         main content: paragraphs separated by blank lines, "" if there is none; of a page
                 that shows no text at all the body that its JSON-LD declares
    comments     text of each block of user comments, in order
    supplemental text of each caption, fact box or the like, in order
    related      text of each block that points to other articles, in order
    confidence   0 (no text, or surely wrong) to 1: the expected F1 of `text`
    extractor    name of the extractor that made it
    site_pages   how many other pages of the site were known; None without site knowledge
    error        what went wrong, if the page could not be read; then everything else is empty
    partial      the budget that ended the reading (`limits`): "bytes" or "elements", then the rest
                 of the page is missing, or "milliseconds", then labels and fields are; "depth" if
                 the parser read no further; or None
    labelled     the page and its labeling, for those who want to look closer; not pickled
    tree         the root of the page's tree, only read, for `html`; not pickled
    """

    url: str | None = None
    text: str = ""
    comments: tuple[str, ...] = ()
    supplemental: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    confidence: float = 0.0
    extractor: str = ""
    error: str | None = None
    site_pages: int | None = None
    partial: str | None = None
    labelled: tuple[Page, Labeling] | None = field(default=None, repr=False, compare=False)
    tree: etree._Element | None = field(default=None, repr=False, compare=False)

    @cached_property
    def blocks(self) -> tuple[DocumentBlock, ...]:
        """Every text block of the page with its label, in order; built on first use."""
        if self.labelled is None:
            return ()
        page, labeling = self.labelled
        labels = labeling.labels.tolist()
        scores = labeling.scores[np.arange(len(labels)), labels].tolist()
        return tuple(
            DocumentBlock(text=text, label=Label(label).text, score=round(score, 3), xpath=xpath)
            for text, label, score, xpath in zip(
                page.texts, labels, scores, page.xpaths, strict=True
            )
        )

    @cached_property
    def article_probability(self) -> float | None:
        """0 to 1: how likely the page is an article, and no list, shop, forum or front page; asked
        of the model on first use (`news.article_probability`), whatever the extractor.

        None where there is no page to judge: in a document made by hand, or of one that could not
        be read.
        """
        if self.labelled is None:
            return None
        return round(article_probability(self.labelled[0]), 3)

    @cached_property
    def fingerprint(self) -> str:
        """32 hexadecimal digits over the main text, computed on first use; "" without any.

        Equal for the same article whatever stands around it (`site.fingerprints`).
        """
        return fingerprint(self.text)

    @cached_property
    def simhash(self) -> str:
        """32 hexadecimal digits that differ in at most 30 of 128 bits for articles that are nearly
        the same, computed on first use; "" for a text of few words."""
        return simhash(self.text)

    @cached_property
    def html(self) -> str | None:
        """The main content as clean HTML, built on first use (`markup.clean`); "" without any.

        Of a page that shows no text the paragraphs of `text`.

        None where its page is gone: in a document made by hand. A document takes its page along
        when it is pickled only by building this first; `dataclasses.replace(document, tree=None)`
        spares that. Raises MissingExtraError without the extra [html].
        """
        if self.labelled is None or self.tree is None:
            return None if self.text else ""
        if not len(self.labelled[0]):
            return paragraphs_html(self.text)
        return content_html(*self.labelled, self.tree)

    @cached_property
    def markdown(self) -> str | None:
        """`html` as Markdown, built on first use; None where there is no `html`.

        Raises MissingExtraError without the extra [html].
        """
        return None if self.html is None else content_markdown(self.html)

    def __getstate__(self) -> dict[str, Any]:
        state = {
            **self.__dict__,
            "labelled": None,
            "tree": None,
            "blocks": self.blocks,
            "article_probability": self.article_probability,
        }
        if self.tree is not None and is_installed(SANITISER):
            state["html"] = self.html
        return state


def build_document(
    page: Page,
    labeling: Labeling,
    *,
    extractor: str,
    confidence: float,
    tree: etree._Element | None = None,
) -> Document:
    """The document of a labelled page; without its `tree` it has no `html`."""
    return Document(
        **vars(metadata_of(page, labeling, tree)),
        url=page.url,
        text=page.joined(_blocks(labeling, Label.FULL_TEXT)) if len(page) else declared_body(page),
        comments=_texts(page, labeling, Label.COMMENTS),
        supplemental=_texts(page, labeling, Label.SUPPLEMENTAL),
        related=_texts(page, labeling, Label.RELATED),
        confidence=round(confidence, 3),
        extractor=extractor,
        labelled=(page, labeling),
        tree=tree,
    )


def late_document(page: Page, labeling: Labeling, *, extractor: str) -> Document:
    """The document of a page whose time is used up: what has been decided, and no metadata."""
    return Document(
        url=page.url,
        text=page.joined(_blocks(labeling, Label.FULL_TEXT)),
        extractor=extractor,
        partial=MILLISECONDS,
        labelled=(page, labeling),
    )


def _blocks(labeling: Labeling, label: Label) -> Sequence[int]:
    found: list[int] = np.flatnonzero(labeling.labels == label).tolist()
    return found


def _texts(page: Page, labeling: Labeling, label: Label) -> tuple[str, ...]:
    return tuple(page.texts[block] for block in _blocks(labeling, label))
