"""Front matter: the metadata of a page, in YAML above its text."""

import json
import re
from collections.abc import Mapping
from html import escape
from typing import Any

from scrapy_boilerplate.markup.markdown import write_markdown

# Characters of a JSON string that YAML 1.1 does not print (5.1), and ends of lines.
_escape_unprintable = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]").sub


def write_front_matter(record: Mapping[str, Any]) -> str:
    """Return the known title, date, authors and URL of a record between lines of ``---``."""
    values = {
        "title": record["headline"],
        "date": record["date_published"],
        "authors": list(record["authors"]),
        "url": record["url"] or record["canonical_url"],
    }
    lines = [f"{name}: {_quote(value)}" for name, value in values.items() if value]
    return "\n".join(["---", *lines, "---"])


def add_metadata(record: Mapping[str, Any], format_: str) -> str:
    """Return the front matter of a record and its field `format_`; Markdown gets a heading."""
    parts = [write_front_matter(record)]
    if format_ == "markdown" and record["headline"]:
        parts.append(write_markdown(f"<h1>{escape(record['headline'])}</h1>"))
    return "\n\n".join(filter(None, (*parts, record[format_])))


def _quote(value: str | list[str]) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return _escape_unprintable(lambda match: f"\\u{ord(match[0]):04x}", text)
