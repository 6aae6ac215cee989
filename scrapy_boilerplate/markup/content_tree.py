"""Write the leaves and media of the article as HTML: a new, validly nested tree."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from urllib.parse import quote

from lxml import etree

from scrapy_boilerplate.markup.media import MediaReader
from scrapy_boilerplate.markup.outline import (
    CREDIT,
    IMPLIED_CHILDREN,
    TOP,
    ElementForest,
    Outline,
    find_layout_tables,
)
from scrapy_boilerplate.markup.selection import Selection, select_content, select_media
from scrapy_boilerplate.markup.urls import clean_url
from scrapy_boilerplate.page.columns import BLOCK_LEVEL, PREFORMATTED, Break
from scrapy_boilerplate.page.labels import IntArray, Labeling
from scrapy_boilerplate.page.limits import NO_CLOCK, Clock
from scrapy_boilerplate.page.notes import find_notes
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import is_blank
from scrapy_boilerplate.steps.class_names import names_credit

NUMERIC_ATTRIBUTES = {
    "td": ("colspan", "rowspan"),
    "th": ("colspan", "rowspan"),
    "ol": ("start", "reversed"),
    "li": ("value",),
}
CELLS, TABLES, LINKS = frozenset(("td", "th")), frozenset({"table"}), frozenset("a")
# The attribute of links to embedded media: the provider of a video, else "".
EMBED = "data-embed"
# Maximum inline ancestors of an image that are skipped to find its paragraph.
MAX_INLINE = 64

# a first paragraph of a cell or an entry, with the end or a list after it
_unwrap_paragraphs = re.compile(
    r"(<(li|td|th|dt|dd|figcaption|caption)\b[^>]*>)<p>([^<]*(?:<(?!/p>)[^<]*)*)</p>\n"
    r"(?=</\2>|<[uo]l\b)"
).sub
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
_drop_unprintable = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\ud800-\udfff\ufffe\uffff]").sub
# neither is in a text or a value, whose ">" and '"' are escaped
_drop_marks = re.compile(rf'</?{CREDIT}>| {EMBED}="[^"]*"(?=>)').sub
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
    return builder.writer.finish()


def drop_marks(content: str) -> str:
    """Return the HTML of `write_content` without what only `markup.parts` reads."""
    has_marks = EMBED in content or CREDIT in content
    return (_drop_marks("", content) if has_marks else content).strip()


def find_first_image(page: Page, labeling: Labeling, root: etree._Element) -> str | None:
    """Return the URL of the first image of the article, or None."""
    media, _ = select_media(page, labeling)
    read = MediaReader(page, root, media).read_all()
    return next((_encode_url(medium.url) for _, medium in read if medium.is_image), None)


class PathNode:
    """An element of the new tree, below `parent`.

    Equal paths share their objects, so that only the differing part of two paths is compared.

    start, end  its tags
    own_line    whether it ends its line
    is_open     whether it is being written
    """

    __slots__ = ("end", "is_open", "own_line", "parent", "start", "tag")

    def __init__(
        self, parent: PathNode | None, tag: str, start: str | None = None, *, own_line: bool = True
    ) -> None:
        self.parent, self.tag, self.start = parent, tag, start or f"<{tag}>"
        self.end = f"</{tag}>\n" if own_line else f"</{tag}>"
        self.own_line, self.is_open = own_line, False


class _ContentBuilder:
    """Writes the selected leaves and media of one page."""

    def __init__(self, page: Page, selection: Selection, root: etree._Element) -> None:
        self._page, self._selection = page, selection
        elements = page.elements
        parents = page.leaves.element_column[selection.leaves]
        counts, media = elements.count_inside(parents), elements.count_inside(selection.media)
        is_needed = counts + media > 0
        left_out = find_layout_tables(elements, counts, is_needed)
        numbered = (elements.tagged(frozenset(NUMERIC_ATTRIBUTES)) & is_needed).nonzero()[0]
        self._media = MediaReader(page, root, selection.media, numbered.tolist())
        # of elements with attributes
        self._starts = self._read_numbers(numbered.tolist())
        self._empty_cells = self._find_empty_cells(counts, counts + media, left_out)
        is_needed[self._empty_cells] = True
        for element, written in elements.urls.items():
            if counts[element] and elements.tags[element] == "a":
                url = clean_url(written, self._media.base)
                if url is not None:
                    self._starts[element] = _write_tag("a", {"href": _encode_url(url)})
        # of paragraphs that are notes, by their first leaf
        self._note_starts: dict[int, str] = {}
        self._find_notes()
        self._figures = self._find_figures()
        self._kept = self._choose_media()
        anchors = (elements.tagged(LINKS) & is_needed).nonzero()[0].tolist()
        self._outline = Outline(
            *(elements, is_needed.nonzero()[0]),
            left_out | (set(anchors) - self._starts.keys()),
            *(selection.boxes, self._find_credits()),
        )
        # of headings and preformatted text
        self._block_tags = {block: self._find_block_tag(block) for block in self._outline.blocks}
        top = PathNode(None, "div", own_line=False)
        self.writer, self._top = HtmlWriter(top), top
        self._paragraph = 0
        self._path = top
        self._owner = TOP
        # embedded media between the words of the current paragraph, to be written after it
        self._waiting: list[int] = []
        # the nodes of structure from the top to the last one that was new
        self._structures: dict[int, PathNode] = {TOP: top}
        self._captions: dict[int, PathNode] = {}
        # the last one that HTML implies around rows of a table
        self._table_body = top
        # of the current paragraph
        self._fills: dict[int, PathNode] = {}
        # the current text block: its parent, its key and itself
        self._above, self._key, self._block = top, 0, top
        self._inlines: dict[int, PathNode] = {TOP: top}
        self._code: PathNode | None = None

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
        leaves, writer = self._page.leaves, self.writer
        element, text = leaves.elements[leaf], leaves.texts[leaf]
        note = self._note_starts.get(leaf)
        if before is PARAGRAPH or note:
            before = PARAGRAPH
            self._write_waiting()
            self._start_paragraph()
        block, key, tag = self._outline.block_of[element], ~self._paragraph, "p"
        if block != TOP:
            key, tag = block, self._block_tags[block]
        if tag != "pre" and not text[:1].isalnum() and is_blank(text):
            writer.space_pending = True
            return
        above, path = self._find_structure(element, is_caption=is_caption), self._block
        if above is not self._above or key != self._key:
            path = self._start_block(above, key, tag, note if tag == "p" else None)
        self._path = path
        is_line = before is not NO_BREAK and path.is_open
        self._owner = leaves.owners[leaf]
        if tag == "pre":
            writer.go_to(self._find_code(path, block, element))
            writer.add_preformatted(f"\n{text}" if is_line else text)
            return
        if is_line:
            writer.go_to(path)
            writer.add_break()
        if text[0].isspace():
            writer.space_pending = True
        inline, node = self._outline.inline_of[element], path
        if inline != TOP:
            node = _find_path(self._inlines, self._outline.inline, inline, self._open_inline)
            if node.tag == "sup" and text[0] == "^":  # an exponent is marked in the text only
                text = text[1:]
        writer.go_to(node)
        writer.add_text(text)

    def _start_paragraph(self) -> None:
        self._paragraph += 1
        self._fills = {}

    def _find_code(self, path: PathNode, block: int, element: int) -> PathNode:
        if self._code is None:
            language = self._read_language(block, element)
            start = _write_tag("code", {"class": f"language-{language}"})
            self._code = PathNode(path, "code", start, own_line=False) if language else path
        return self._code

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

    def _start_block(
        self, above: PathNode, key: int, tag: str, start: str | None = None
    ) -> PathNode:
        """Return a new text block under `above`; `key` is its element, or below 0 a paragraph."""
        self._above, self._key, self._block = above, key, PathNode(above, tag, start)
        self._code, self._inlines = None, {TOP: self._block}
        return self._block

    def _find_structure(self, element: int, *, is_caption: bool = False) -> PathNode:
        number = self._outline.structure_of[element]
        if number == TOP:
            return self._top
        node = self._structures.get(number) or _find_path(
            self._structures, self._outline.structure, number, self._open_structure
        )
        if is_caption and node.tag == "figure":
            if number not in self._captions:
                self._captions = {number: PathNode(node, "figcaption")}
            return self._captions[number]
        fills = IMPLIED_CHILDREN.get(node.tag)
        if fills is None:
            return node
        if number not in self._fills:
            for fill in fills:
                node = self._add_structure(node, fill)
            self._fills[number] = node
        return self._fills[number]

    def _open_structure(self, parent: PathNode, tag: str, place: int) -> PathNode:
        return self._add_structure(parent, tag, self._find_start(tag, place))

    def _add_structure(self, parent: PathNode, tag: str, start: str | None = None) -> PathNode:
        if tag == "tr" and parent.tag == "table":
            body = self._table_body
            if body.parent is not parent or not body.is_open:
                body = self._table_body = PathNode(parent, "tbody", own_line=False)
            parent = body
        return PathNode(parent, tag, start)

    def _open_inline(self, parent: PathNode, tag: str, place: int) -> PathNode:
        return PathNode(parent, tag, self._find_start(tag, place), own_line=False)

    def _find_start(self, tag: str, place: int) -> str | None:
        return self._starts.get(place) if self._page.elements.tags[place] == tag else None

    def _write_medium(self, element: int, *, after_paragraph: bool = False) -> None:
        elements, writer = self._page.elements, self.writer
        if elements.tags[element] in CELLS:
            writer.go_to(self._find_structure(element))
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
        if medium.is_image and owner == self._owner and self._path.is_open:
            writer.go_to(self._path)
        else:
            self._start_paragraph()
            self._path = self._find_structure(element)
            if not (medium.is_image and self._path.tag == "figure"):
                self._path = self._start_block(self._path, ~self._paragraph, "p")
            self._owner = TOP
            writer.go_to(self._path)
        url = _encode_url(medium.url)
        if medium.is_image:
            writer.add_image(_write_tag("img", {"src": url, "alt": medium.text}))
        else:
            start = _write_tag("a", {"href": url, EMBED: medium.provider})
            writer.go_to(PathNode(self._path, "a", start, own_line=False))
            writer.add_text(medium.text or medium.url)
            writer.go_to(self._path)


def _find_path(
    known: dict[int, PathNode],
    forest: ElementForest,
    number: int,
    create: Callable[[PathNode, str, int], PathNode],
) -> PathNode:
    below = []
    while number not in known:
        below.append(number)
        number = forest.parents[number]
    # leaves come in document order: none of the later ones is inside the later nodes
    while next(reversed(known)) != number:
        known.popitem()
    node = known[number]
    for inner in reversed(below):
        node = known[inner] = create(node, forest.tags[inner], forest.elements[inner])
    return node


class HtmlWriter:
    """Writes HTML from left to right, with white space as HTML shows it. Linear time.

    `go_to` opens the elements of a path and closes others. `top` is their parent.
    `space_pending` is whether white space comes before the next text or inline element.
    """

    def __init__(self, top: PathNode) -> None:
        self._stack = [top]
        self._parts: list[str] = []
        self._at_line_start, self.space_pending = True, False
        self._top = top
        top.is_open = True

    def go_to(self, node: PathNode) -> None:
        """Close the elements that do not lead to the node, and open the missing ones."""
        stack, parts, missing = self._stack, self._parts, []
        while not node.is_open:
            missing.append(node)
            node = node.parent or self._top
        while (last := stack[-1]) is not node:
            stack.pop()
            last.is_open = False
            if last.own_line:
                self._at_line_start, self.space_pending = True, False
            parts.append(last.end)
        for inner in reversed(missing):
            if inner.own_line:
                self._at_line_start, self.space_pending = True, False
            else:
                self._write_space()
            parts.append(inner.start)
            inner.is_open = True
            stack.append(inner)

    def add_text(self, text: str) -> None:
        """Add text with white space collapsed, and without any at the start of a block."""
        if text.isprintable() and "  " not in text:  # as most texts: the only white space is " "
            words = text.strip()
        else:
            words = _drop_unprintable("", " ".join(text.split()))
        if words:
            if self.space_pending and not self._at_line_start:
                self._parts.append(" ")
            has_marks = "&" in words or "<" in words or ">" in words
            self._parts.append(_escape(words) if has_marks else words)
            self._at_line_start, self.space_pending = False, text[-1].isspace()

    def add_preformatted(self, text: str) -> None:
        """Add text with its white space."""
        text = _drop_unprintable("", text.replace("\r\n", "\n").replace("\r", "\n"))
        # a parser drops a line break after the tag
        self._parts.append(_escape(text.lstrip("\n") if self._parts[-1] == "<pre>" else text))

    def add_break(self) -> None:
        """Add a ``br``."""
        self._at_line_start, self.space_pending = True, False
        self._parts.append("<br>")

    def add_image(self, tag: str) -> None:
        """Add an image, given its tag."""
        self._write_space()
        self._at_line_start = False
        self._parts.append(tag)

    def finish(self) -> str:
        """Close all elements; return the HTML."""
        self.go_to(self._top)
        html = "".join(self._parts)
        return _unwrap_paragraphs(r"\1\3", html) if "><p>" in html else html

    def _write_space(self) -> None:
        if self.space_pending and not self._at_line_start:
            self._parts.append(" ")
        self.space_pending = False


def _write_tag(tag: str, attributes: Mapping[str, str]) -> str:
    values = ((name, _escape(value).replace('"', "&quot;")) for name, value in attributes.items())
    return "".join((f"<{tag}", *(f' {name}="{value}"' for name, value in values), ">"))


def _escape(text: str) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("\xa0", "&nbsp;")


def _encode_url(url: str) -> str:
    if url.isascii():
        return url
    return _encode_characters(lambda match: quote(match[0], safe=""), url)
