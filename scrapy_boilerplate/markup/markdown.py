"""Write clean HTML as Markdown (CommonMark with tables), by markdownify."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from scrapy_boilerplate.extras import import_optional

if TYPE_CHECKING:
    from markdownify import MarkdownConverter

_encode_marks = re.compile(r"""[()<>\[\]\\`*|"'\s]""").sub
# an "&" that CommonMark would read as the start of an entity
_escape_entity = re.compile(r"&(?=[#\w]+;)").sub
_escape = re.compile(r"([]\\&<`[>~=+|*_!])").sub
_find_backticks = re.compile("`+").findall


def write_markdown(html: str) -> str:
    """Return the HTML of `clean_html.write_html` as Markdown, its text escaped; "" for "".

    Raises MissingExtraError without the package markdownify.
    """
    markdownify = import_optional("markdownify", "document.markdown", "html")
    converter = _make_converter(markdownify.MarkdownConverter)(
        heading_style=markdownify.ATX,
        bullets="-",
        autolinks=False,
        escape_misc=True,
        newline_style=markdownify.BACKSLASH,
    )
    return str(converter.convert(html)).strip()


@cache
def _make_converter(base: type[MarkdownConverter]) -> type[MarkdownConverter]:
    """Return markdownify's converter, made safe for untrusted input.

    markdownify 1.2 does not escape URLs and alternative texts, and its fences are always three
    backticks. For each entry of a list it counts all entries before.
    """

    class Converter(base):  # type: ignore[valid-type,misc]
        def convert_a(self, el: Any, text: str, parent_tags: set[str]) -> str:
            el["href"] = _encode_url(el.get("href"))
            return str(super().convert_a(el, text, parent_tags))

        def convert_img(self, el: Any, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
            words = _escape(r"\\\1", " ".join(str(el.get("alt") or "").split()))
            return f"![{words}]({_encode_url(el.get('src'))})"

        def convert_figure(self, el: Any, text: str, parent_tags: set[str]) -> str:
            return str(self.convert_div(el, text, parent_tags))

        def convert_code(self, el: Any, text: str, parent_tags: set[str]) -> str:
            return str(super().convert_code(el, " ".join(text.split()), parent_tags))

        convert_kbd = convert_samp = convert_code

        def convert_pre(self, el: Any, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
            return _write_fence(text, in_line="_inline" in parent_tags)

        def convert_li(self, el: Any, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
            return _write_entry(el, text.strip())

    return Converter


def _encode_url(url: str | None) -> str:
    """Return a URL without characters that end a link or open a code span.

    Its "&" stay as they are, except those that start an entity.
    """

    def encode(match: re.Match[str]) -> str:
        return "".join(f"%{byte:02X}" for byte in match[0].encode())

    return _escape_entity("&amp;", _encode_marks(encode, url or ""))


def _write_fence(text: str, *, in_line: bool) -> str:
    longest = max((len(run) for run in _find_backticks(text)), default=0)
    if in_line:
        fence = "`" * (longest + 1)
        words = " ".join(text.split())
        return f" {fence} {words} {fence} " if words else ""
    fence = "`" * max(3, longest + 1)
    lines = text.strip("\n")
    return f"\n\n{fence}\n{lines}\n{fence}\n\n" if lines.strip() else ""


def _write_entry(element: Any, text: str) -> str:
    """Return a list entry; the list keeps the number of the next one in an attribute."""
    parent, mark = element.parent, "- "
    if parent is not None and parent.name == "ol":
        number = int(parent.attrs.get("next", parent.attrs.get("start", 1)))
        parent["next"] = number + 1
        mark = f"{number}. "
    indent = " " * len(mark)
    lines = [f"{indent}{line}" if line else "" for line in text.split("\n")]
    return f"{mark}{chr(10).join(lines)[len(mark) :]}\n" if text else "\n"
