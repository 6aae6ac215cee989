"""An inspection as one self-contained HTML page."""

from __future__ import annotations

from html import escape

from scrapy_boilerplate.report.html import (
    as_data,
    filled,
    frame_document,
    labels,
    policy,
    script,
    template,
    variables,
)
from scrapy_boilerplate.report.inspection import Inspection, values_of

SCRIPTS = ("pane.js", "inspect.js")


def inspection_page(inspection: Inspection, note: str = "") -> str:
    """The page: it loads nothing, and the page under inspection can do nothing in it. `note` is a
    sentence to stand above it."""
    code = script(SCRIPTS)
    title = inspection.readings[0].document.headline or inspection.source or "a page"
    data = {
        "frame": frame_document(inspection.appearance),
        "labels": labels(),
        "readings": [values_of(one) for one in inspection.readings],
    }
    return filled(
        "inspect.html",
        policy=escape(policy(code)),
        title=escape(title),
        url=escape(inspection.url or inspection.source),
        note=escape(note),
        style=variables() + template("look.css") + template("inspect.css"),
        data=as_data(data),
        script=code,
    )
