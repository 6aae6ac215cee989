"""The sequence of an extraction: from a source to its document."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lxml import etree

from scrapy_boilerplate.document import Document, build_document, build_late_document
from scrapy_boilerplate.extractors import BALANCED, DEFAULT, Options
from scrapy_boilerplate.page.columns import Elements, Leaves
from scrapy_boilerplate.page.decoding import decode_source
from scrapy_boilerplate.page.labels import RULE, Labeling
from scrapy_boilerplate.page.limits import (
    DEPTH,
    NO_CLOCK,
    NO_LIMITS,
    PARSER_DEPTH,
    Clock,
    Limits,
    OutOfTimeError,
)
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import parse_markup
from scrapy_boilerplate.page.reading import read_tree
from scrapy_boilerplate.site import rule_labels
from scrapy_boilerplate.site.rules import NO_RULES, SiteRules
from scrapy_boilerplate.steps.extractor import Extractor

PATH_WARNING = (
    "extract() got a path or a URL, and reads it as the text of a page. Pass the HTML instead "
    "(Path(path).read_bytes(), or the body of a response)"
)

# Called with the name of a step and the labeling after it.
StepObserver = Callable[[str, Labeling], None]

# characters
MAX_PATH = 2_000


def extract(  # noqa: PLR0913
    source: Any,
    url: str | None = None,
    extractor: str | Extractor = DEFAULT,
    *,
    favor: str = BALANCED,
    limits: Limits = NO_LIMITS,
    sites: SiteRules = NO_RULES,
) -> Document:
    """Return the main content and the metadata of a web page.

    `source` is HTML (str or bytes, not a path), an lxml tree, a parsel Selector or a response; the
    tree is not changed. `url` defaults to the URL of the response. `extractor` is a name of
    EXTRACTORS, the path of a trained model (with a slash in it) or your own `Extractor`. `favor` is
    ``balanced``, ``precision`` (only the body) or ``recall`` (also lists and closing lines); your
    own extractor ignores it. Beyond one of the `limits`, or a limit of the parser, the document is
    `partial`. Any HTML gives a document; without text it is empty. `sites` are rules for sites,
    from ``SiteRules.load("sites.toml")``; their extractor and favor override the arguments.

    Raises UnknownExtractorError for an unknown name or favor, and TypeError for any other source.
    Warns if the source looks like a path or a URL.
    """
    if isinstance(source, str) and _is_path(source):
        warnings.warn(PATH_WARNING, stacklevel=2)
    url = getattr(source, "url", None) if url is None else url
    options = Options(extractor=extractor, favor=favor, limits=limits, rules=sites)
    return extract_page(source, url, options)


@dataclass(frozen=True, eq=False)
class LoadedPage:
    """A page that is not cut into text blocks, the root of its tree, and the budget it exceeds.

    `encoding` is the one that was guessed, if none is declared.
    """

    page: Page
    tree: etree._Element
    exceeded: str | None = None
    encoding: str | None = None


def load_page(
    source: Any, url: str | None = None, limits: Limits = NO_LIMITS, clock: Clock = NO_CLOCK
) -> LoadedPage:
    """Decode, limit, parse and walk `source`, which `extract` describes.

    The page is empty if its time is over before the walk. Raises TypeError for any other source.
    """
    markup = decode_source(source, limits)
    tree, exceeded = parse_markup(markup, source, limits)
    if clock.is_over:
        return LoadedPage(Page(Elements(), Leaves(), url=url), tree)
    page = read_tree(tree, url)
    if exceeded is None and page.elements.depths[-1:] == [PARSER_DEPTH]:
        exceeded = DEPTH
    return LoadedPage(page, tree, exceeded, markup.encoding)


def extract_page(
    source: Any, url: str | None, options: Options, *, observe: StepObserver | None = None
) -> Document:
    """Return the document of a page: every extraction.

    `source` is as in `extract`, or a page that is already loaded. `observe` is called after every
    step. Once the time of the page is over, no further stage begins, and the document has the
    labels so far. Raises as `extract` does.
    """
    # 1. Choose the extractor and the rule
    options = options.for_page(url)
    extractor, rule = options.build_extractor(), options.rule
    with Clock(options.limits.milliseconds) as clock:
        # 2. Load the page
        loaded = source
        if not isinstance(source, LoadedPage):
            loaded = load_page(source, url, options.limits, clock)
        tree = loaded.tree
        values = {"extractor": extractor.name, "exceeded": loaded.exceeded, "clock": clock}
        # 3. Cut it into text blocks
        page = extractor.segmenter(loaded.page)
        labeling = Labeling.blank(len(page))
        try:
            # 4. Label the blocks
            for step in (*extractor.steps, *extractor.finish):
                clock.check()
                labeling = step(page, labeling)
                if observe is not None:
                    observe(step.name, labeling)
            clock.check()
            # 5. Apply the rule for the site
            if rule is not None and rule.has_selectors:
                labeling = rule_labels.relabel(rule, page, tree, labeling, clock)
                values |= rule_labels.find_values(rule, page, tree, labeling, clock)
                if observe is not None:
                    observe(RULE, labeling)
            # 6. Build the document, which computes metadata and other fields on first use
            values["confidence"] = round(extractor.confidence(page, labeling), 3)
            if loaded.encoding is not None:
                values["evidence"] = {"encoding": loaded.encoding, **values.get("evidence", {})}
            clock.check()
            return build_document(page, labeling, tree=tree, **values)
        except OutOfTimeError:
            return build_late_document(page, labeling, **values)


def _is_path(text: str) -> bool:
    if len(text) > MAX_PATH or "<" in text or len(text.split()) != 1:
        return False
    name = text.strip().lower()
    return name.startswith(("http://", "https://", "/")) or name.endswith((".html", ".htm"))
