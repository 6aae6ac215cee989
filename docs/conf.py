"""Configuration of Sphinx: `make docs`."""

from __future__ import annotations

import re

from docutils import nodes
from sphinx.application import Sphinx

import scrapy_boilerplate

project = "scrapy-boilerplate-removal"
author = "The scrapy_boilerplate developers"
release = version = scrapy_boilerplate.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_rtd_theme"]
exclude_patterns = ["_build"]
default_role = "py:obj"  # names of the API in docstrings become links, others stay code
smartquotes = False
highlight_language = "none"

# Links to headings are checked, by the anchors that GitHub gives them.
myst_heading_anchors = 4

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_type_aliases = {name: name for name in ("BoolArray", "IntArray", "FloatArray")}
# Types of other packages, and private types of this one, have no page here.
nitpick_ignore_regex = [("py:.*", ".*")]

html_theme = "sphinx_rtd_theme"
html_title = f"{project} {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_copyright = False

SETTINGS = "reference/settings"
_find_setting = re.compile(r"BOILERPLATE_[A-Z_]+").match
_find_row = re.compile(r"(\w[\w, ]*?) {2,}(\S.*)").fullmatch
_replace_objects = re.compile(r"(?<== )(?:Limits\(.*?\)|<[^>]*>)").sub


def list_attributes(
    _app: Sphinx, _what: str, _name: str, _obj: object, _options: object, lines: list[str]
) -> None:
    """Write the rows of a docstring, "name  meaning", as a list of definitions.

    The meanings of a docstring begin in one column, the one of its first row.
    """
    written: list[str] = []
    column = 0
    for line in lines:
        row = _find_row(line)
        if row:
            column = row.start(2)
        name, gap, meaning = line[: column - 1], line[column - 1 : column], line[column:]
        if row or (column and gap == " " and name.strip().isidentifier()):
            written += ["", f"``{name.strip()}``", f"    {meaning}"]
        elif column and meaning and not (name + gap).strip():
            written.append(f"    {meaning}")
        else:
            written += ["", line] if column else [line]
            column = 0
    lines[:] = written


def shorten_signature(
    _app: Sphinx,
    _what: str,
    _name: str,
    _obj: object,
    _options: object,
    signature: str | None,
    returned: str | None,
) -> tuple[str | None, str | None]:
    """Leave out defaults that are objects."""
    return signature and _replace_objects("...", signature), returned


def link_settings(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Make names of settings links to their sections."""
    if docname == SETTINGS:
        return
    page = app.builder.get_relative_uri(docname, SETTINGS)
    for literal in list(doctree.findall(nodes.literal)):
        name = _find_setting(literal.astext())
        if name and not isinstance(literal.parent, nodes.reference | nodes.title):
            link = nodes.reference(refuri=f"{page}#{nodes.make_id(name[0])}", internal=True)
            literal.replace_self(link)
            link += literal


def find_included(_app: Sphinx, docname: str, source: list[str]) -> None:
    """Lead links to files of the repository to the pages that include them.

    What GitHub shows as "crawl.md" is "crawl" here.
    """
    up = "../" * docname.count("/")
    source[0] = source[0].replace(f"]({up}../example_project/README.md", f"]({up}example.md")
    source[0] = re.sub(rf"\]\({up}\.\./([A-Z]+\.md)", rf"]({up}\1", source[0])
    source[0] = re.sub(r"\[([\w-]+)\.md\]\(", r"[\1](", source[0])


def setup(app: Sphinx) -> None:
    """Connect the functions of this file to the events of Sphinx."""
    app.connect("autodoc-process-docstring", list_attributes)
    app.connect("autodoc-process-signature", shorten_signature)
    app.connect("source-read", find_included)
    app.connect("doctree-resolved", link_settings)
