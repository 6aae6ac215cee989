"""Fill HTML templates with scripts and styles; a content security policy blocks the rest."""

import json
from base64 import b64encode
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from scrapy_boilerplate.markup.snapshot import Snapshot
from scrapy_boilerplate.page.labels import Label

# Colours and text marks of labels and curves, for every picture. The colours of Okabe and Ito 2008
# ("Color Universal Design") can be distinguished with a colour vision deficiency. No picture relies
# only on colour.

GREY, BLUE, GREEN, ORANGE = "#767676", "#0072B2", "#009E73", "#E69F00"
SKY, PURPLE, VERMILLION, BLACK = "#56B4E9", "#CC79A7", "#D55E00", "#000000"

# Label to its colour. (Of the eight, yellow is left out: it is lost on white.)
COLOURS: Mapping[Label, str] = dict(
    zip(Label, (GREY, BLUE, GREEN, ORANGE, SKY, PURPLE), strict=True)
)

# Label to the letter beside its colour.
MARKS: Mapping[Label, str] = dict(zip(Label, "BHTSRC", strict=True))
# Label to the hatch of its bars, beside their colour.
HATCHES: Mapping[Label, str] = dict(zip(Label, ("", "//", "..", "xx", "--", "oo"), strict=True))
# Colours of curves, in order.
CURVES = (BLUE, ORANGE, GREEN, VERMILLION, PURPLE, SKY, BLACK)


# Templates

# Policy of the page under inspection; its only style is `frame.css`.
FRAME_POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"

# A label's colour behind its blocks; text on it keeps a contrast of 7 to 1.
TINT_ON_LIGHT, TINT_ON_DARK = "22%, #ffffff", "38%, #16181d"


@cache
def _read_template(name: str) -> str:
    return files(__package__).joinpath("templates", name).read_text(encoding="utf-8")


def fill_template(name: str, **values: str) -> str:
    """Return the template `name` filled with values, which are already HTML."""
    return Template(_read_template(name)).substitute(values)


def join_scripts(names: Iterable[str]) -> str:
    """Return scripts of `templates/` as one, in order."""
    return "\n".join(map(_read_template, names))


def build_style(name: str) -> str:
    """Return the shared style sheet of `templates/` followed by the style sheet `name`."""
    return _label_variables() + _read_template("base.css") + _read_template(name)


def _label_variables() -> str:
    light = [f"--c{label.value}:{COLOURS[label]}" for label in Label]
    mixed = [f"--t{label.value}:color-mix(in srgb, {COLOURS[label]} " for label in Label]
    light += [f"{colour}{TINT_ON_LIGHT})" for colour in mixed]
    dark = [f"{colour}{TINT_ON_DARK})" for colour in mixed]
    return (
        f":root{{{';'.join(light)}}}@media (prefers-color-scheme:dark){{:root{{{';'.join(dark)}}}}}"
    )


def build_policy(script: str, *, connect: bool = False) -> str:
    """Return the content security policy of a page with one `script`: nothing is loaded."""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    rules = ["default-src 'none'", f"script-src 'sha256-{digest}'", "style-src 'unsafe-inline'"]
    if connect:
        rules.append("connect-src 'self'")
    return "; ".join([*rules, "form-action 'none'", "base-uri 'none'"])


def dump_data(values: Any) -> str:
    """Return JSON for a ``script`` element: without ``<``, for any page."""
    text = json.dumps(values, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def describe_labels() -> list[dict[str, str]]:
    """Return name, mark and text of each label, by its code."""
    return [
        {"name": label.text.replace("_", " "), "mark": mark, "text": label.text}
        for label, mark in MARKS.items()
    ]


def build_frame_document(snapshot: Snapshot) -> str:
    """Return the document that is shown in the sandboxed frame."""
    language = f' lang="{escape(snapshot.language)}"' if snapshot.language else ""
    direction = f' dir="{snapshot.direction}"' if snapshot.direction else ""
    return fill_template(
        "frame.html",
        attributes=language + direction,
        policy=escape(FRAME_POLICY),
        frame_style=_label_variables() + _read_template("frame.css"),
        body=snapshot.body,
    )
