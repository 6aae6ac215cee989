"""A rule for a site, proposed from labelled pages: where content is, and what stands in it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray, IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page

# Share of the words of the content that the container of a page holds (our choice).
CONTAINER_SHARE = 0.9
# Share of the pages on which a selector must find something (our choice).
MIN_PAGES_SHARE = 0.5
# Share of their words that are content, below which elements are removed, and their number (our
# choice).
MAX_CONTENT_SHARE, MAX_REMOVED = 0.02, 5
# Elements above the container whose names are candidates (our choice).
MAX_LEVELS = 6

_is_name = re.compile(r"-?[a-zA-Z_][a-zA-Z_-]*").fullmatch
_ANYWHERE = frozenset({"html", "body", "p", "span", "a", "br", "li"})


@dataclass(frozen=True, eq=False)
class ProposalPage:
    """A page with the labels of an extractor."""

    page: Page
    labeling: Labeling

    @cached_property
    def content(self) -> IntArray:
        """int[n_elements]: words of full text in each element."""
        return self.page.held_by_elements(np.where(self.labeling.content, self.page.words, 0))

    @cached_property
    def words(self) -> IntArray:
        """int[n_elements]: words in each element, but for those of headlines."""
        is_headline = self.labeling.labels == Label.HEADLINE
        return self.page.held_by_elements(np.where(is_headline, 0, self.page.words))

    @cached_property
    def total(self) -> int:
        """Words of full text."""
        return int(self.page.words[self.labeling.content].sum())

    @cached_property
    def matches(self) -> dict[str, list[int]]:
        """Selector to its elements, but for those inside another one."""
        matches: dict[str, list[int]] = {}
        ends = self.page.elements.ends
        for element in range(len(self.page.elements)):
            for selector in self.name(element):
                selected = matches.setdefault(selector, [])
                if not selected or element >= ends[selected[-1]]:
                    selected.append(element)
        return matches

    def name(self, element: int) -> Iterator[str]:
        """Yield selectors of an element by its id, classes and tag; names with digits change."""
        elements = self.page.elements
        tag, identity = elements.tags[element], elements.ids[element].strip()
        if tag in _ANYWHERE or not _is_name(tag):
            return
        if _is_name(identity):
            yield f"{tag}#{identity}"
        classes = list(dict.fromkeys(filter(_is_name, elements.classes[element].split())))
        if len(classes) > 1:
            yield f"{tag}.{'.'.join(classes)}"
        yield from (f"{tag}.{name}" for name in classes)
        if tag in ("article", "main"):
            yield tag

    def find_container(self) -> int | None:
        """Return the deepest element with CONTAINER_SHARE of the content; None without content."""
        if not self.total:
            return None
        holds = np.flatnonzero(self.content >= CONTAINER_SHARE * self.total)
        depths = np.array(self.page.elements.depths)[holds]
        return int(holds[depths.argmax()])

    def score(self, selector: str) -> float:
        """Return the F1 of the words that a selector finds, and those that are content."""
        selected = self.matches.get(selector, [])
        inside, content = int(self.words[selected].sum()), int(self.content[selected].sum())
        return 2 * content / max(1, inside + self.total)


def propose_content(pages: Sequence[ProposalPage]) -> str | None:
    """Return the selector that finds the content best; None where no name is shared."""
    candidates = Counter[str]()
    for page in pages:
        container = page.find_container()
        if container is None:
            continue
        above = list(page.page.elements.ancestors(container))[:MAX_LEVELS]
        names = dict.fromkeys(name for element in above for name in page.name(element))
        candidates.update(list(names))
    shared = [name for name, n in candidates.items() if n >= MIN_PAGES_SHARE * len(pages)]
    scores: FloatArray = np.array(
        [np.mean([page.score(name) for page in pages]) for name in shared]
    )
    return shared[int(scores.argmax())] if len(scores) else None


def propose_removed(pages: Sequence[ProposalPage], content: str) -> list[str]:
    """Return selectors of what stands in the content and is none, the longest texts first."""
    words, texts, seen = Counter[str](), Counter[str](), Counter[str]()
    for page in pages:
        containers = page.matches.get(content, [])
        ends = page.page.elements.ends
        for selector, elements in page.matches.items():
            inside = [e for e in elements if any(c < e < ends[c] for c in containers)]
            # a headline is no text, and stays
            held = [e for e in inside if page.words[e]]
            if held:
                words[selector] += int(page.words[held].sum())
                texts[selector] += int(page.content[held].sum())
                seen[selector] += 1
    return [
        selector
        for selector, n in words.most_common()
        if texts[selector] <= MAX_CONTENT_SHARE * n
        and seen[selector] >= MIN_PAGES_SHARE * len(pages)
    ][:MAX_REMOVED]


def write_rule(pattern: str, content: str, removed: Sequence[str]) -> str:
    """Return a rule as TOML."""
    lines = [f"[{json.dumps(pattern)}]", f"content = {json.dumps(content)}"]
    if removed:
        lines.append(f"remove = {json.dumps(list(removed))}")
    return "\n".join(lines)
