"""Write the leaves and media of the article as HTML: a new, validly nested tree."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import islice
from urllib.parse import quote

import numpy as np
from lxml import etree

from scrapy_boilerplate.markup.media import MediaReader
from scrapy_boilerplate.markup.outline import find_layout_tables
from scrapy_boilerplate.markup.selection import Selection, select_content, select_media
from scrapy_boilerplate.markup.urls import clean_url
from scrapy_boilerplate.native.writing import CREDIT, Outline, TreeWriter, escape
from scrapy_boilerplate.page.columns import BLOCK_LEVEL, NO_ELEMENT, PREFORMATTED, Break
from scrapy_boilerplate.page.labels import IntArray, Labeling
from scrapy_boilerplate.page.limits import NO_CLOCK, Clock
from scrapy_boilerplate.page.notes import find_notes
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import is_blank
from scrapy_boilerplate.steps.class_names import names_credit
from scrapy_boilerplate.steps.titles import HEADING_TAGS

NUMERIC_ATTRIBUTES = {
    "td": ("colspan", "rowspan"),
    "th": ("colspan", "rowspan"),
    "ol": ("start", "reversed"),
    "li": ("value",),
}
BLOCK_TAGS = PREFORMATTED | HEADING_TAGS
CELLS, TABLES, LINKS = frozenset(("td", "th")), frozenset({"table"}), frozenset("a")
# The attribute of links to embedded media: the provider of a video, else "".
EMBED = "data-embed"
# Maximum inline ancestors of an image that are skipped to find its paragraph.
MAX_INLINE = 64

# a first paragraph of an element, with an end or a list after it, and the start tag before it
_find_first_paragraphs = re.compile(r"><p>([^<]*(?:<(?!/p>)[^<]*)*)</p>\n(?=</(\w+)>|<[uo]l\b)").sub
_read_tag = re.compile(r"<(li|td|th|dt|dd|figcaption|caption)\b").match
# The start of the ids of notes.
NOTE = "note-"
# Classes that name a programming language: of Prism and highlight.js, GitHub, Sphinx,
# SyntaxHighlighter, Hexo, Pandoc; names that are none; elements whose classes are read.
_find_languages = re.compile(
    r"(?<![\w-])(?:language|lang|highlight-source|highlight)-([a-z0-9+#]{1,20})(?![\w-])"
    r"|(?<![\w-])brush:\s*([a-z0-9+#]{1,20})"
    r"|^(?:highlight|hljs|sourcecode)\s+([a-z0-9+#]{1,20})$"
).findall
NO_LANGUAGES = frozenset(
    "none text txt plain plaintext default source code wrap wrapper container table nohighlight "
    "notranslate numbers lines copy".split()
)
MAX_LANGUAGE_LEVELS = 7
NO_BREAK, PARAGRAPH = Break.NONE, Break.PARAGRAPH

_number = re.compile(r"\d{1,3}", re.ASCII).fullmatch
# neither is in a text or a value, whose "<", ">" and '"' are escaped
_drop_embeds = re.compile(rf' {EMBED}="[^"]*"(?=>)').sub
# characters of a URL that are encoded in HTML
_encode_characters = re.compile("[^!-~]+").sub


def write_content(
    page: Page, labeling: Labeling, root: etree._Element, clock: Clock = NO_CLOCK
) -> str:
    """Return the article of a labelled page as validly nested HTML, "" without any.

    It is safe: only known tags and attributes are written, text and values are escaped, and URLs
    are those of `clean_url`. Links to embedded media have the attribute EMBED, and credits in
    captions the tag `outline.CREDIT`; `drop_marks` removes both. `root`, the page's tree, is only
    read. Linear in the size of the page, at any depth. Raises OutOfTimeError once `clock` is over.
    """
    selection = select_content(page, labeling)
    if not (selection.leaves or selection.media):
        return ""
    builder = _ContentBuilder(page, selection, root)
    builder.write_content(clock)
    html = builder.writer.finish()
    return _find_first_paragraphs(_unwrap, html) if "><p>" in html else html


def drop_marks(content: str) -> str:
    """Return the HTML of `write_content` without what only `markup.parts` reads."""
    if CREDIT in content:
        content = content.replace(f"<{CREDIT}>", "").replace(f"</{CREDIT}>", "")
    return (_drop_embeds("", content) if EMBED in content else content).strip()


def find_first_image(page: Page, labeling: Labeling, root: etree._Element) -> str | None:
    """Return the URL of the first image of the article, or None."""
    media, _ = select_media(page, labeling)
    read = MediaReader(page, root, media).read_all()
    return next((_encode_url(medium.url) for _, medium in read if medium.is_image), None)


class _ContentBuilder:
    """Writes the selected leaves and media of one page."""

    def __init__(self, page: Page, selection: Selection, root: etree._Element) -> None:
        self._page, self._selection = page, selection
        elements = page.elements
        parents = page.leaves.element_column[selection.leaves]
        places = parents, np.array(selection.media, np.int64)
        columns = [np.bincount(place, minlength=len(elements)) for place in places]
        counts, media = elements.sum_subtrees(np.array(columns))
        is_needed = counts + media > 0
        left_out = find_layout_tables(elements, counts, is_needed)
        numbered = (elements.tagged(frozenset(NUMERIC_ATTRIBUTES)) & is_needed).nonzero()[0]
        self._media = MediaReader(page, root, selection.media, numbered.tolist())
        # of elements with attributes
        self._starts = self._read_numbers(numbered.tolist())
        self._empty_cells = self._find_empty_cells(counts, counts + media, left_out)
        is_needed[self._empty_cells] = True
        anchors = (elements.tagged(LINKS) & (counts > 0)).nonzero()[0].tolist()
        for anchor in anchors:
            url = clean_url(elements.urls.get(anchor), self._media.base)
            if url is not None:
                self._starts[anchor] = f'<a href="{escape(_encode_url(url))}">'
        # of paragraphs that are notes, by their first leaf
        self._note_starts: dict[int, str] = {}
        self._find_notes()
        self._figures = self._find_figures()
        self._kept = self._choose_media()
        outline = Outline(
            (elements.tags, elements.parents, BLOCK_TAGS),
            is_needed.nonzero()[0].tolist(),
            left_out | (set(anchors) - self._starts.keys()),
            *(selection.boxes, self._find_credits()),
        )
        # of headings and preformatted text
        block_tags = {block: self._find_block_tag(block) for block in outline.blocks}
        self.writer = TreeWriter(
            *(outline, elements.tags, self._starts, block_tags, self._read_language)
        )
        # the block-level element of the last text, or NO_ELEMENT
        self._owner = NO_ELEMENT
        # embedded media between the words of the current paragraph, to be written after it
        self._waiting: list[int] = []

    def _read_numbers(self, elements: Sequence[int]) -> dict[int, str]:
        starts = {}
        for element in elements if self._media.nodes else ():
            tag, node = self._page.elements.tags[element], self._media.nodes[element]
            values = ((name, node.get(name)) for name in NUMERIC_ATTRIBUTES[tag])
            numbers = {
                name: "" if name == "reversed" else value.strip()
                for name, value in values
                if value is not None and (name == "reversed" or _number(value.strip()))
            }
            if numbers:
                starts[element] = _write_tag(tag, numbers)
        return starts

    def _find_block_tag(self, block: int) -> str:
        tag = self._page.elements.tags[block]
        is_standfirst = block in self._selection.standfirsts
        return "p" if is_standfirst else "pre" if tag in PREFORMATTED else tag

    def _find_notes(self) -> None:
        """Name the kept notes, and let the references to them link to these names."""
        kept, names = set(self._selection.leaves), set[str]()
        for count, note in enumerate(self._page.remember(find_notes), 1):
            start = next((leaf for leaf in note.leaves if leaf in kept), None)
            if start is None or note.reference not in kept:
                continue
            number = note.number if note.number.isalnum() else str(count)
            name = f"{NOTE}{number if number not in names else f'{number}-{count}'}"
            names.add(number)
            if self._page.elements.tags[note.element] == "li":
                before = self._starts.get(note.element, "<li>")[:-1]
                self._starts[note.element] = f'{before} id="{name}">'
            else:
                self._note_starts[start] = f'<p id="{name}">'
            self._starts.update((link, f'<a href="#{name}">') for link in note.links)

    def _find_empty_cells(
        self, texts: IntArray, counts: IntArray, left_out: frozenset[int]
    ) -> list[int]:
        """Find the cells without text and media, in rows with text of tables of data."""
        elements = self._page.elements
        if not elements.has_any(CELLS):
            return []
        is_empty = elements.tagged(CELLS) & (counts == 0) & elements.inside(TABLES)
        is_empty &= elements.tagged(frozenset({"tr"}))[elements.parent_column]
        is_empty &= texts[elements.parent_column] > 0
        return [cell for cell in is_empty.nonzero()[0].tolist() if cell not in left_out]

    def _find_credits(self) -> set[int]:
        elements, known, found = self._page.elements, set[int](), set[int]()
        for leaf in self._selection.captions:
            for element in elements.ancestors(self._page.leaves.elements[leaf]):
                if element in self._selection.boxes or element in known:
                    break
                known.add(element)
                if names_credit(elements.classes[element]):
                    found.add(element)
        return found

    def _find_figures(self) -> set[int]:
        read = [medium for medium in self._selection.media if self._media.read(medium)]
        ends, boxes = self._page.elements.ends, self._selection.boxes
        return {box for box in boxes if bisect_left(read, box) < bisect_left(read, ends[box])}

    def _choose_media(self) -> dict[str, int]:
        """Return URL to its medium: the first one with a caption, else the first one."""
        elements, kept = self._page.leaves.elements, dict[str, int]()
        captioned: set[int | None] | None = None
        for element in self._selection.media:
            medium = self._media.read(element)
            if medium is None:
                continue
            first = kept.setdefault(medium.url, element)
            if first != element and self._selection.captions:
                if captioned is None:
                    leaves = self._selection.captions
                    captioned = {self._find_box(elements[leaf]) for leaf in leaves} - {None}
                if self._find_box(element) in captioned and self._find_box(first) not in captioned:
                    kept[medium.url] = element
        return kept

    def _find_box(self, element: int) -> int | None:
        ancestors = self._page.elements.ancestors(element)
        return next(filter(self._selection.boxes.__contains__, ancestors), None)

    def _is_written(self, caption: int) -> bool:
        box = self._find_box(self._page.leaves.elements[caption])
        return box is None or box in self._figures

    def write_content(self, clock: Clock) -> None:
        """Write leaves and media in document order."""
        places = sorted((*self._selection.media, *self._empty_cells))
        media = iter([*places, len(self._page.elements) + 1])
        medium, opened = next(media), self._page.leaves.opened
        captions = self._selection.captions
        leaves = zip(self._selection.leaves, self._selection.breaks, strict=True)
        for number, (leaf, before) in enumerate(leaves):
            if number % clock.INTERVAL == 0:
                clock.check()
            while medium < opened[leaf]:
                self._write_medium(medium)
                medium = next(media)
            if leaf not in captions or self._is_written(leaf):
                self._write_leaf(leaf, before, is_caption=leaf in captions)
        while medium < len(self._page.elements):
            if medium % clock.INTERVAL == 0:
                clock.check()
            self._write_medium(medium)
            medium = next(media)
        self._write_waiting()

    def _write_waiting(self) -> None:
        """Write the embedded media of the paragraph that has ended."""
        waiting, self._waiting = self._waiting, []
        for element in waiting:
            self._write_medium(element, after_paragraph=True)

    def _write_leaf(self, leaf: int, before: Break, *, is_caption: bool) -> None:
        leaves, note = self._page.leaves, self._note_starts.get(leaf)
        text, element = leaves.texts[leaf], leaves.elements[leaf]
        if before is PARAGRAPH or note:
            self._write_waiting()
            self.writer.start_paragraph(note)
        is_line = before is not NO_BREAK or note is not None
        has_no_text = not text[:1].isalnum() and is_blank(text)
        if self.writer.add_leaf(text, element, is_line, is_caption, has_no_text):
            self._owner = leaves.owners[leaf]

    def _read_language(self, block: int, element: int) -> str:
        elements = self._page.elements
        inside = list(islice(elements.ancestors(element), MAX_LANGUAGE_LEVELS))
        around = islice(elements.ancestors(block), MAX_LANGUAGE_LEVELS)
        for place in dict.fromkeys((*inside, *around)):
            for match in _find_languages(elements.classes[place].lower()):
                language = next(filter(None, match))
                if language not in NO_LANGUAGES:
                    return str(language)
        return ""

    def _write_medium(self, element: int, *, after_paragraph: bool = False) -> None:
        elements, writer = self._page.elements, self.writer
        if elements.tags[element] in CELLS:
            writer.go_to(writer.find_structure(element, False))
            return
        medium = self._media.read(element)
        if medium is None or self._kept[medium.url] != element:
            return
        owner = element
        for _ in range(MAX_INLINE):
            if elements.tags[owner] in BLOCK_LEVEL:
                break
            owner = elements.parents[owner]
        if not (medium.is_image or after_paragraph) and owner == self._owner:
            self._waiting.append(element)
            return
        if medium.is_image and owner == self._owner and writer.path.is_open:
            writer.go_to(writer.path)
        else:
            writer.open_paragraph(element, medium.is_image)
            self._owner = NO_ELEMENT
        url = _encode_url(medium.url)
        if medium.is_image:
            writer.add_image(_write_tag("img", {"src": url, "alt": medium.text}))
        else:
            start = _write_tag("a", {"href": url, EMBED: medium.provider})
            writer.add_link(start, medium.text or medium.url)


def _unwrap(paragraph: re.Match[str]) -> str:
    """Return the content of the first paragraph of a cell, an entry or a caption."""
    html, (text, ended) = paragraph.string, paragraph.groups()
    tag = _read_tag(html, html.rfind("<", 0, paragraph.start()))
    return f">{text}" if tag and ended in (None, tag[1]) else paragraph[0]


def _write_tag(tag: str, attributes: Mapping[str, str]) -> str:
    values = ((name, escape(value).replace('"', "&quot;")) for name, value in attributes.items())
    return "".join((f"<{tag}", *(f' {name}="{value}"' for name, value in values), ">"))


def _encode_url(url: str) -> str:
    if url.isascii():
        return url
    return _encode_characters(lambda match: quote(match[0], safe=""), url)
