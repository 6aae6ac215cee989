"""Pages to label, the most doubtful first: what the annotator's browser is shown and sends back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from scrapy_boilerplate.markup.appearance import appearance_of
from scrapy_boilerplate.markup.leaves import leaf_paths
from scrapy_boilerplate.page.labels import IntArray, Label
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import tree_of
from scrapy_boilerplate.page.reading import read_page
from scrapy_boilerplate.report.html import frame_document
from scrapy_boilerplate.report.labels import Draft, LabelStore, digest_of
from scrapy_boilerplate.steps.extractor import Extractor


class BadActionError(ValueError):
    """Something that cannot be done to a page."""


@dataclass(frozen=True, kw_only=True)
class PageToLabel:
    """A page in the queue: `confidence` is the extractor's, `digest` what it is known by."""

    name: str
    html: str
    url: str | None = None
    confidence: float = 0.0

    @cached_property
    def digest(self) -> str:
        """What the page is known by in the labels folder."""
        return digest_of(self.html, self.url)


def doubtful_first(
    pages: Iterable[tuple[str, str, str | None]], extractor: Extractor
) -> list[PageToLabel]:
    """The queue of pages (name, HTML, address): the least confident first, each page once."""
    found: dict[str, PageToLabel] = {}
    for name, html, url in pages:
        page = extractor.segmenter(read_page(tree_of(html), url))
        sure = extractor.confidence(page, extractor.label(page))
        one = PageToLabel(name=name, html=html, url=url, confidence=round(sure, 3))
        found.setdefault(one.digest, one)
    return sorted(found.values(), key=lambda page: page.confidence)


@dataclass(frozen=True, eq=False, kw_only=True)
class Annotator:
    """The pages, what labels them at first, where labels go, and who gives them."""

    pages: Sequence[PageToLabel]
    extractor: Extractor
    store: LabelStore
    name: str

    def progress(self) -> dict[str, Any]:
        """How far one is: a line a page, in the order of the queue."""
        return {
            "pages": [
                {
                    "name": page.name,
                    "confidence": page.confidence,
                    "saved": self.store.is_saved(page.digest),
                }
                for page in self.pages
            ]
        }

    def view(self, number: int) -> dict[str, Any]:
        """All there is to show of a page. Raises IndexError."""
        one = self.pages[number]
        root = tree_of(one.html)
        leaves = read_page(root, one.url)
        page = self.extractor.segmenter(leaves)
        draft = self._draft(one, page)
        nodes, node_of = _nodes(page)
        return {
            "number": number,
            "name": one.name,
            "url": one.url,
            "confidence": one.confidence,
            "saved": self.store.is_saved(one.digest),
            "frame": frame_document(appearance_of(leaves, root)),
            "leaves": len(page.leaves),
            "starts": page.blocks.first_leaf.tolist(),
            "labels": list(draft.labels),
            "actions": list(draft.actions),
            "nodes": nodes,
            "nodeOf": node_of,
        }

    def keep(self, number: int, actions: Any) -> None:
        """Note what was done so far. Raises IndexError, BadActionError."""
        one = self.pages[number]
        self.store.keep(one.digest, self._changed(one, actions))

    def save(self, number: int, actions: Any) -> None:
        """Write the page's line. Raises IndexError, BadActionError."""
        one = self.pages[number]
        root = tree_of(one.html)
        page = read_page(root, one.url)
        labels = self._changed(one, actions).result()
        paths = leaf_paths(page, root)
        self.store.save(
            {
                "id": one.name,
                "digest": one.digest,
                "url": one.url,
                "annotator": self.name,
                "extractor": self.extractor.name,
                "html": one.html,
                "leaves": [
                    {"path": path, "label": Label(label).text}
                    for path, label in zip(paths, labels, strict=True)
                ],
            }
        )

    def _changed(self, one: PageToLabel, actions: Any) -> Draft:
        root = tree_of(one.html)
        page = self.extractor.segmenter(read_page(root, one.url))
        before = self._draft(one, page)
        return Draft(before.labels, checked_actions(actions, len(page.leaves)))

    def _draft(self, one: PageToLabel, page: Page) -> Draft:
        """As it was left; else as it was saved; else as the extractor has it."""
        draft = self.store.draft(one.digest)
        if draft is not None and len(draft.labels) == len(page.leaves):
            return draft
        saved = self.store.saved(one.digest)
        if saved is not None and len(saved["leaves"]) == len(page.leaves):
            codes = {label.text: int(label) for label in Label}
            return Draft([codes[leaf["label"]] for leaf in saved["leaves"]])
        return Draft(self._predicted(page).tolist())

    def _predicted(self, page: Page) -> IntArray:
        """int[n_leaves]: what the extractor makes of each leaf."""
        labels = self.extractor.label(page).labels
        return np.repeat(labels, page.blocks.end_leaf - page.blocks.first_leaf)


def checked_actions(actions: Any, n_leaves: int) -> list[tuple[int, int, int]]:
    """The actions that a browser sent. Raises BadActionError for what is none."""
    if not isinstance(actions, list):
        raise BadActionError("actions are a list")
    found = []
    for action in actions:
        whole = isinstance(action, list) and [type(one) for one in action] == [int, int, int]
        if not whole or not 0 <= action[0] < action[1] <= n_leaves or action[2] not in LABELS:
            raise BadActionError(f"{action!r} is no first leaf, end leaf and label")
        found.append((action[0], action[1], action[2]))
    return found


LABELS = frozenset(map(int, Label))


def _nodes(page: Page) -> tuple[list[list[Any]], list[int]]:
    """The elements that hold leaves, [parent, first leaf, end leaf, name], and that of each leaf.

    An element that holds the same leaves as one in it is left out: to choose it says nothing new.
    """
    elements, leaves = page.elements, page.leaves
    held = np.bincount(leaves.elements, minlength=len(elements)).astype(np.int64)
    counts = elements.subtree_sums(held)
    own = set(leaves.elements)
    first_in = _first_leaves(page)
    numbers: dict[int, int] = {}
    nodes: list[list[Any]] = []
    for element in np.flatnonzero(counts).tolist():
        above = numbers.get(elements.parents[element], -1)
        count = int(counts[element])
        if above >= 0 and nodes[above][2] - nodes[above][1] == count and element not in own:
            numbers[element] = above
            continue
        numbers[element] = len(nodes)
        first = first_in[element]
        nodes.append([above, first, first + count, _name(page, element)])
    return nodes, [numbers[element] for element in leaves.elements]


def _first_leaves(page: Page) -> dict[int, int]:
    """Element to the first leaf in it, for the elements that hold leaves; linear time."""
    found: dict[int, int] = {}
    parents = page.elements.parents
    for leaf, holder in enumerate(page.leaves.elements):
        element = holder
        while element >= 0 and element not in found:
            found[element] = leaf
            element = parents[element]
    return found


NAME_LENGTH = 40


def _name(page: Page, element: int) -> str:
    """As in a style sheet: ``div.story``."""
    elements = page.elements
    told = elements.ids[element].split()[:1], elements.classes[element].split()[:1]
    return (
        elements.tags[element]
        + "".join(f"#{one[:NAME_LENGTH]}" for one in told[0])
        + "".join(f".{one[:NAME_LENGTH]}" for one in told[1])
    )
