"""The pipeline that finds duplicates and changes: items whose text was seen before."""

import logging
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.conf import build_component_list
from scrapy.utils.misc import load_object

from scrapy_boilerplate.crawl.context import Component
from scrapy_boilerplate.crawl.item_urls import MAX_URLS, find_item_urls, normalize_url
from scrapy_boilerplate.crawl.items import Dropped, PageItem, adapt, is_unset
from scrapy_boilerplate.crawl.settings import (
    CHANGE_FIELDS,
    DROP_NEAR,
    ITEM_URL_FIELDS,
    MARK,
    PARAGRAPH_FIELDS,
    PARAGRAPHS,
    SettingError,
)
from scrapy_boilerplate.site.fingerprints import EXACT, NEAR, UNPLACED, Article, Change, Sighting

logger = logging.getLogger(__name__)

# The field that marks an item: how it is a duplicate (`site.fingerprints`), or None
DUPLICATE_FIELD = "duplicate"
# Value of BOILERPLATE_DUPLICATES to the duplicates that it drops
DROPPED = {"drop": (EXACT,), DROP_NEAR: (EXACT, NEAR), MARK: ()}
UNDECLARED = {
    DUPLICATE_FIELD: "declare it to see which are duplicates",
    CHANGE_FIELDS[0]: "declare it to see what changed",
}


class ArticlePlace(NamedTuple):
    """Where an article is: its normalized URL, its site and its URL; "" if unknown."""

    page: str
    site: str
    url: str


class DuplicateArticle(Dropped):
    """The article of the item is a duplicate, exact or near, of an earlier one."""


class BoilerplateDuplicatesPipeline(Component):
    """Drops or marks items whose text was seen before: in this crawl, or in the same store.

    The field `duplicate` has the kind: ``exact`` is the same text; nearly the same text is
    ``updated`` at the same URL, ``near`` on another site, and ``template`` at another URL of the
    site. If the site of either article is unknown, the item is ``near``, and not dropped. By
    default only the same text is dropped. The URL comes from the item, or from its response; the
    site comes from the response, because a page must not affect the articles of another site.
    The pipeline reads the text field that `BoilerplatePipeline` fills (`articleBody` of a
    `zyte_common_items.Article`), so its order number must be higher. Items without text pass.

    With BOILERPLATE_CHANGES the field `change` compares an article with its last version at the
    same URL, and `duplicate` only refers to other URLs (`site.fingerprints`).
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        context, settings = self._context, self._context.settings
        self._fields = settings.fields
        self._dropped = DROPPED[settings.duplicates]
        self._url_fields = settings.item_url or ITEM_URL_FIELDS
        self._changes = settings.changes
        self._crawl_sites = context.sites
        self._sites = self._crawl_sites.sites
        self._sites.enable_articles()  # before the first exchange with the store
        self._responses = context.responses
        # by response, and by key of the URL and fingerprint
        self._found: WeakKeyDictionary[Response, dict[tuple[bytes, str], Change]]
        self._found = WeakKeyDictionary()
        self._count, self._log_once = context.count, context.log_once

    async def process_item(self, item: Any) -> Any:
        """Return the same item. Raises DuplicateArticle for a duplicate."""
        response = self._responses.find(item)
        if not ItemAdapter.is_item(item):
            return item
        adapter = adapt(item)
        text = self._find_text(adapter)
        duplicate = change = None
        if isinstance(text, str) and text:
            place = self._find_place(adapter, response)
            if self._changes and place.page:
                change = await self._find_change(text, place, response)
            if change is not None:
                duplicate, earlier = change.duplicate, change.duplicate_of
            else:
                match = self._sites.register_article(Article.from_text(text, *place))
                duplicate, earlier = match or (None, "")
            is_dropped = duplicate in self._dropped
            if duplicate == UNPLACED:
                duplicate = NEAR
            if duplicate is not None:
                self._count(f"duplicates/{duplicate}")
            if is_dropped:
                reason = f"{duplicate} duplicate of {earlier or 'an earlier article'}"
                raise DuplicateArticle(f"{place.url or 'an item without a URL'}: {reason}")
        values = {DUPLICATE_FIELD: duplicate, **self._describe_change(change)}
        if change is not None:
            self._count(f"changes/{change.change}")
        self._write(adapter, values)
        return item

    async def _find_change(
        self, text: str, place: ArticlePlace, response: Response | None
    ) -> Change | None:
        """Return the change of an article, or None for a text without words.

        Items of one response with the same URL and text share the change.
        """
        sighting = Sighting.from_text(text, *place, with_paragraphs=self._changes == PARAGRAPHS)
        if not sighting.article.fingerprint:
            return None
        known = {} if response is None else self._found.setdefault(response, {})
        key = sighting.key, sighting.article.fingerprint
        if key not in known:
            stored = await self._crawl_sites.look_up_version(place.site, sighting.key)
            if key not in known:  # the first item of the response with this text
                known[key] = self._sites.register_version(sighting, stored)
        return known[key]

    def _describe_change(self, change: Change | None) -> dict[str, Any]:
        if not self._changes:
            return {}
        names = (*CHANGE_FIELDS, *(PARAGRAPH_FIELDS if self._changes == PARAGRAPHS else ()))
        if change is None:
            return dict.fromkeys(names)
        fingerprint = seen = None
        if change.previous is not None:
            fingerprint = change.previous.fingerprint
            seen = f"{datetime.fromtimestamp(change.seen // 1000, UTC):%Y-%m-%dT%H:%M:%SZ}"
        lists = (None if each is None else list(each) for each in (change.added, change.removed))
        return dict(zip(names, (change.change, fingerprint, seen, *lists), strict=False))

    def _write(self, adapter: PageItem, values: Mapping[str, Any]) -> None:
        item = adapter.item
        for name, value in values.items():
            if adapter.takes(name):
                try:
                    adapter[name] = value
                except Exception as error:  # noqa: BLE001 - frozen items: it goes on
                    self._count("errors/write")
                    self._warn_once(item, f"do not take the field {name!r}: {error}")
            elif value is not None and name in UNDECLARED:
                self._warn_once(item, f"have no field {name!r}: {UNDECLARED[name]}")

    def _find_place(self, adapter: PageItem, response: Response | None) -> ArticlePlace:
        """Find the place of an item: its own URL, or that of its response.

        A URL on another site is prefixed with the site, so that it cannot match an article of that
        other site.
        """
        own = None if response is None else normalize_url(response.url)
        default = None if response is None or own is None else (own, response.url)
        page, url = next(self._list_pages(adapter, response), default) or ("", "")
        if not page:
            return ArticlePlace("", "", "")
        site = self._sites.find_site(f"//{own or page}")
        is_own = self._sites.find_site(f"//{page}") == site
        return ArticlePlace(page if is_own else f"{site} {page}", site, url)

    def _list_pages(
        self, adapter: PageItem, response: Response | None
    ) -> Iterator[tuple[str, str]]:
        try:
            urls = find_item_urls(adapter, self._url_fields)[1]
        except Exception:  # noqa: BLE001 - BoilerplatePipeline reports it
            return
        for written in urls[:MAX_URLS]:
            try:
                url = written if response is None else response.urljoin(written)
                page = normalize_url(url)
            except ValueError:
                continue
            if page is not None:
                yield page, url

    def _find_text(self, adapter: PageItem) -> Any:
        filled = adapter.find_text_field(self._fields)
        name = filled or self._fields.get("text", "text")
        text = adapter.get(name)
        if is_unset(text) and filled is None:
            self._warn_once(
                adapter.item,
                f"have no text in {name!r}, so their duplicates are not found: "
                "declare the field, and name it in BOILERPLATE_FIELDS",
            )
        return text

    def _warn_once(self, item: Any, trouble: str) -> None:
        kind = type(item)
        message = "Items of class %s %s"
        self._log_once(logging.WARNING, message, kind.__qualname__, trouble, key=(kind, trouble))


def check_pipelines(crawler: Crawler, filling: type) -> None:
    """Check that the duplicates pipeline runs after `filling`, the pipeline that fills the text.

    Warn of settings that have no effect without it. Raises SettingError.
    """
    paths = build_component_list(crawler.settings["ITEM_PIPELINES"])
    pipelines = [load_object(path) for path in paths]
    positions = [
        position
        for position, pipeline in enumerate(pipelines)
        if isinstance(pipeline, type) and issubclass(pipeline, BoilerplateDuplicatesPipeline)
    ]
    if positions and filling in pipelines[positions[0] :]:
        raise SettingError(
            f"ITEM_PIPELINES: {pipelines[positions[0]].__name__} runs before {filling.__name__}, "
            "which fills the text that it compares; give it the higher number"
        )
    names = ("BOILERPLATE_DUPLICATES", "BOILERPLATE_CHANGES")
    written = [name for name in names if crawler.settings.get(name)]
    if written and not positions:
        logger.warning(
            "%s no effect without the pipeline; add "
            '"scrapy_boilerplate.BoilerplateDuplicatesPipeline": 60 to ITEM_PIPELINES',
            f"{' and '.join(written)} {'has' if len(written) == 1 else 'have'}",
        )
