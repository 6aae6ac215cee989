"""Markdown (CommonMark with tables) of clean HTML, by markdownify."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from scrapy_boilerplate.extras import optional

if TYPE_CHECKING:
    from markdownify import MarkdownConverter

_marks = re.compile(r"""[()<>\[\]\\`*|"'\s]""").sub
_special = re.compile(r"([]\\&<`[>~=+|*_!])").sub
_backticks = re.compile("`+").findall


def content_markdown(html: str) -> str:
    """Markdown of what `content_html` gives; "" of "".

    Texts are escaped: what looks like markup in the page's words is no markup here either. Raises
    MissingExtraError without the package markdownify.
    """
    markdownify = optional("markdownify", "document.markdown", "html")
    converter = _converter(markdownify.MarkdownConverter)(
        heading_style=markdownify.ATX,
        bullets="-",
        autolinks=False,
        escape_misc=True,
        newline_style=markdownify.BACKSLASH,
    )
    return str(converter.convert(html)).strip()


@cache
def _converter(base: type[MarkdownConverter]) -> type[MarkdownConverter]:
    """markdownify's converter, made safe where it trusts its input (version 1.2).

    Addresses and the words of images go out as they are there, a fence is always three backticks,
    and the numbers of a list are counted anew for each entry.
    """

    class Converter(base):  # type: ignore[valid-type,misc]
        def convert_a(self, el: Any, text: str, parent_tags: set[str]) -> str:
            el["href"] = _destination(el.get("href"))
            return str(super().convert_a(el, text, parent_tags))

        def convert_img(self, el: Any, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
            words = _special(r"\\\1", " ".join(str(el.get("alt") or "").split()))
            return f"![{words}]({_destination(el.get('src'))})"

        def convert_figure(self, el: Any, text: str, parent_tags: set[str]) -> str:
            return str(self.convert_div(el, text, parent_tags))

        def convert_code(self, el: Any, text: str, parent_tags: set[str]) -> str:
            return str(super().convert_code(el, " ".join(text.split()), parent_tags))

        convert_kbd = convert_samp = convert_code

        def convert_pre(self, el: Any, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
            return _fenced(text, in_line="_inline" in parent_tags)

        def convert_li(self, el: Any, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
            return _entry(el, text.strip())

    return Converter


def _destination(url: str | None) -> str:
    """An address in which nothing ends a link, opens a code span or stands for another character"""
    encoded = _marks(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), url or "")
    return encoded.replace("&", "&amp;")


def _fenced(text: str, *, in_line: bool) -> str:
    longest = max((len(run) for run in _backticks(text)), default=0)
    if in_line:
        fence = "`" * (longest + 1)
        words = " ".join(text.split())
        return f" {fence} {words} {fence} " if words else ""
    fence = "`" * max(3, longest + 1)
    lines = text.strip("\n")
    return f"\n\n{fence}\n{lines}\n{fence}\n\n" if lines.strip() else ""


def _entry(element: Any, text: str) -> str:
    """A list entry; each remembers the number of the next, so that none counts those before it."""
    parent, mark = element.parent, "- "
    if parent is not None and parent.name == "ol":
        number = int(parent.attrs.get("next", parent.attrs.get("start", 1)))
        parent["next"] = number + 1
        mark = f"{number}. "
    indent = " " * len(mark)
    lines = [f"{indent}{line}" if line else "" for line in text.split("\n")]
    return f"{mark}{chr(10).join(lines)[len(mark) :]}\n" if text else "\n"
