"""The worker process of a crawl: pages in, documents out; and the message of a page.

It is a Python of its own that imports the core alone, neither Scrapy nor the main module of
whoever started it: a script that starts a crawl without ``if __name__ == "__main__"`` works.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from parsel import Selector

from scrapy_boilerplate.extraction import (
    ObservedPage,
    build_site_document,
    extract,
    observe_page,
)
from scrapy_boilerplate.extractors import UnknownExtractorError, get_extractor
from scrapy_boilerplate.extras import is_installed
from scrapy_boilerplate.markup.clean_html import REQUIRED_PACKAGES
from scrapy_boilerplate.page.encoding import transcode_html
from scrapy_boilerplate.page.limits import NO_LIMITS, Limits
from scrapy_boilerplate.site.extractor import SiteExtractor, build_site_extractor
from scrapy_boilerplate.site.overrides import SiteRule
from scrapy_boilerplate.workers.pool import WorkerRequest
from scrapy_boilerplate.workers.serialization import RemotePage, dump_document, load_view
from scrapy_boilerplate.workers.serve import serve

# Seconds of wall time that a page may take where pages have no budget of time; with one, so many
# times the budget and START_TIMEOUT more: a stage cannot be left in the middle, the budget counts
# CPU time, and a fresh worker imports for a second first.
TIMEOUT = 60.0
TIMEOUT_FACTOR = 4
START_TIMEOUT = 20.0
# Extractors that a worker keeps; requests can name one each.
KEPT_EXTRACTORS = 8
# Pages that a worker keeps until the view of their site comes (our choice).
KEPT_PAGES = 4
# Rules of sites that a worker keeps (our choice).
KEPT_RULES = 256
_get_extractor = lru_cache(maxsize=KEPT_EXTRACTORS)(get_extractor)


@lru_cache(maxsize=KEPT_RULES)
def _load_rule(written: str) -> SiteRule:
    return SiteRule.from_dict(json.loads(written))


@dataclass(frozen=True, kw_only=True)
class PageRequest:
    """A page for a worker, and how to read it.

    wanted_fields  the `document.LAZY_FIELDS` to compute
    site_steps     the steps of site knowledge, where there is any; () for those that suit
    site_view      the site as seen from the page (`serialization.dump_view`); without it the answer
                   to a page with `site_steps` is what its site learns of it (`RemotePage`)
    rule           the selectors of the rule for its address (`SiteRule.as_dict`), or None
    """

    url: str | None
    body: bytes = field(repr=False)
    encoding: str
    extractor: str
    favor: str
    limits: Limits = NO_LIMITS
    wanted_fields: Sequence[str] = ()
    site_steps: Sequence[str] | None = None
    site_view: tuple[dict[str, Any], bytes] | None = None
    rule: Mapping[str, Any] | None = None

    def for_worker(self) -> WorkerRequest:
        """Return the page as a message."""
        view_header, view = self.site_view or (None, b"")
        header = {name: value for name, value in vars(self).items() if name != "body"}
        header |= {
            "limits": asdict(self.limits),
            "wanted_fields": list(self.wanted_fields),
            "site_steps": None if self.site_steps is None else list(self.site_steps),
            "site_view": view_header,
            "view_size": len(view),
        }
        budget = self.limits.milliseconds
        timeout = TIMEOUT if budget is None else START_TIMEOUT + TIMEOUT_FACTOR * budget / 1000
        return WorkerRequest(header=header, body=view + self.body, timeout=timeout)


def serve_documents() -> None:
    """Answer the pages of a crawl with their documents."""
    serve(PageHandler)


class PageHandler:
    """Answers the pages of a crawl.

    It keeps the last pages that it read for their sites, because most come back with the view of
    their site.
    """

    def __init__(self) -> None:
        self._observed: OrderedDict[bytes, ObservedPage] = OrderedDict()

    def __call__(self, request: dict[str, Any], body: bytes) -> tuple[dict[str, Any], bytes]:
        """Return the document of a page, or what its site learns of it; or the error."""
        view, html = body[: request["view_size"]], body[request["view_size"] :]
        try:
            extractor = _get_extractor(request["extractor"], request["favor"])
            if request["rule"] is not None:
                rule = _load_rule(json.dumps(request["rule"]))
                extractor = replace(extractor, override=rule)
            if request["site_steps"] is None:
                limits = Limits(**request["limits"])
                page = _Response(html, request["encoding"])
                document = extract(page, request["url"], extractor, limits=limits)
            else:
                steps = tuple(request["site_steps"])
                site_extractor = build_site_extractor(extractor, steps, strict=False)
                observed = self._observe(request, html, site_extractor)
                if request["site_view"] is None:
                    header, packed = RemotePage(observed.record, observed.signatures).dump()
                    return {"site_page": header}, packed
                site_view, names = load_view(request["site_view"], view)
                document = build_site_document(observed, site_extractor, site_view, names)
            wanted_fields = [
                name
                for name in request["wanted_fields"]
                if all(map(is_installed, REQUIRED_PACKAGES.get(name, ())))
            ]
            return {"document": dump_document(document, wanted_fields)}, b""
        except Exception as error:  # noqa: BLE001 - the next page is served
            kind = "meta" if isinstance(error, UnknownExtractorError) else "page"
            return {"error": f"{type(error).__name__}: {error}", "kind": kind}, b""

    def _observe(
        self, request: dict[str, Any], html: bytes, extractor: SiteExtractor
    ) -> ObservedPage:
        names = ("url", "encoding", "extractor", "favor", "site_steps", "limits", "rule")
        how = json.dumps([request[name] for name in names]).encode()
        key = blake2b(how + html, digest_size=16).digest()
        observed = self._observed.pop(key, None)
        if observed is None:
            page = _Response(html, request["encoding"])
            limits = Limits(**request["limits"])
            observed = observe_page(page, request["url"], extractor, limits)
        if request["site_view"] is None:
            self._observed[key] = observed
            if len(self._observed) > KEPT_PAGES:
                self._observed.popitem(last=False)
        return observed


class _Response:
    """As much of a Scrapy response as `extract` needs."""

    def __init__(self, body: bytes, encoding: str) -> None:
        self.body = body
        self.encoding = encoding

    @property
    def selector(self) -> Selector:
        """The tree that the response's own selector would have."""
        html = transcode_html(self.body, encoding=self.encoding)
        return Selector(body=html or b"<html/>", encoding="utf-8", type="html")
