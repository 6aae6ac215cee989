"""One look for every picture: the colour and the text mark of each label, and of curves.

The colours are those of Okabe and Ito 2008 ("Color Universal Design"), which people who see few
colours tell apart; no picture relies on colour alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from scrapy_boilerplate.page.labels import Label

GREY, BLUE, GREEN, ORANGE = "#767676", "#0072B2", "#009E73", "#E69F00"
SKY, PURPLE, VERMILLION, BLACK = "#56B4E9", "#CC79A7", "#D55E00", "#000000"

COLOURS: Mapping[Label, str] = MappingProxyType(
    {
        Label.BOILERPLATE: GREY,
        Label.HEADLINE: BLUE,
        Label.FULL_TEXT: GREEN,
        Label.SUPPLEMENTAL: ORANGE,
        Label.RELATED: SKY,
        Label.COMMENTS: PURPLE,
    }
)
"""Label to its colour. (Of the eight, yellow is left out: it is lost on white.)"""

MARKS: Mapping[Label, str] = MappingProxyType(
    {
        Label.BOILERPLATE: "B",
        Label.HEADLINE: "H",
        Label.FULL_TEXT: "T",
        Label.SUPPLEMENTAL: "S",
        Label.RELATED: "R",
        Label.COMMENTS: "C",
    }
)
"""Label to the letter that stands beside its colour."""

HATCHES: Mapping[Label, str] = MappingProxyType(
    dict(zip(Label, ("", "//", "..", "xx", "--", "oo"), strict=True))
)
"""Label to what is drawn across its bars, beside their colour."""

NAMES: Mapping[Label, str] = MappingProxyType(
    {label: label.text.replace("_", " ") for label in Label}
)
"""Label to its name as people read it."""

CURVES = (BLUE, ORANGE, GREEN, VERMILLION, PURPLE, SKY, BLACK)
"""Colours of curves, in order."""


def mixed(colour: str, ground: str, share: float) -> str:
    """`colour` over `ground` (``#RRGGBB`` both) at an opacity of `share`."""
    parts = zip(_channels(colour), _channels(ground), strict=True)
    return "#" + "".join(f"{round(one * share + other * (1 - share)):02x}" for one, other in parts)


def _channels(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[place : place + 2], 16) for place in (1, 3, 5))
