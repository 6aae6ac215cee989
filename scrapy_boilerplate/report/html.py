"""Templates filled, scripts and styles put in, everything else kept out by a policy."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from scrapy_boilerplate.markup.appearance import Appearance
from scrapy_boilerplate.page.labels import Label
from scrapy_boilerplate.report.palette import COLOURS, MARKS, NAMES, mixed

FRAME_POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"
"""Of the page under inspection: it may have styles, which `markup.styles` has gone through."""

LIGHT, DARK = "#ffffff", "#16181d"
TINT_ON_LIGHT, TINT_ON_DARK = 0.22, 0.38
"""Share of a label's colour in the ground of its blocks; text on it keeps a contrast of 7 to 1."""


@cache
def template(name: str) -> str:
    """The text of a file of `templates/`."""
    return files(__package__).joinpath("templates", name).read_text(encoding="utf-8")


def filled(name: str, **values: str) -> str:
    """The template `name` with its values, which are HTML already."""
    return Template(template(name)).substitute(values)


def script(names: Iterable[str]) -> str:
    """Scripts of `templates/`, one after the other, as one."""
    return "\n".join(map(template, names))


def policy(code: str, *, connect: bool = False) -> str:
    """The content security policy of a page whose one script is `code`: nothing is loaded."""
    digest = b64encode(sha256(code.encode()).digest()).decode()
    rules = ["default-src 'none'", f"script-src 'sha256-{digest}'", "style-src 'unsafe-inline'"]
    if connect:
        rules.append("connect-src 'self'")
    return "; ".join([*rules, "form-action 'none'", "base-uri 'none'"])


def as_data(values: Any) -> str:
    """JSON that can stand in a ``script`` element: no ``<``, whatever a page holds."""
    text = json.dumps(values, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def frame_document(appearance: Appearance) -> str:
    """The document that is shown in the sandboxed frame."""
    language = f' lang="{escape(appearance.language)}"' if appearance.language else ""
    direction = f' dir="{appearance.direction}"' if appearance.direction else ""
    return filled(
        "frame.html",
        attributes=language + direction,
        policy=escape(FRAME_POLICY),
        theirs=appearance.styles,
        ours=variables() + template("frame.css"),
        body=appearance.body,
    )


def variables() -> str:
    """The look as style variables: ``--c2`` is the colour of label 2, ``--t2`` its tint."""
    light = [f"--c{one.value}:{COLOURS[one]}" for one in Label]
    light += [f"--t{one.value}:{mixed(COLOURS[one], LIGHT, TINT_ON_LIGHT)}" for one in Label]
    dark = [f"--t{one.value}:{mixed(COLOURS[one], DARK, TINT_ON_DARK)}" for one in Label]
    return (
        f":root{{{';'.join(light)}}}@media (prefers-color-scheme:dark){{:root{{{';'.join(dark)}}}}}"
    )


def labels() -> list[dict[str, str]]:
    """Name, mark and text of each label, by its code."""
    return [{"name": NAMES[one], "mark": MARKS[one], "text": one.text} for one in Label]
