"""``request.meta``: how one response is read, and which items of it are filled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from scrapy import Request

from scrapy_boilerplate.crawl.settings import FieldNames, SettingError, parse_fields
from scrapy_boilerplate.extractors import DEFAULT, UnknownExtractorError, get_extractor
from scrapy_boilerplate.steps.extractor import Extractor

if TYPE_CHECKING:
    from typing_extensions import Self

META_OPTIONS = "boilerplate"
"""`request.meta` key: `RequestOptions` of this response; False means the same as META_SKIP."""
META_SKIP = "dont_boilerplate"
"""`request.meta` key: True skips this response and its items."""


class MetaError(ValueError):
    """``meta["boilerplate"]`` is wrong; the message says what to write instead."""


@dataclass(frozen=True, kw_only=True)
class RequestOptions:
    """How one response is read, from ``meta["boilerplate"]``; None means as in the settings.

    A dict has these names as keys. A string or an `Extractor` only sets the extractor.

    extractor   a name, the path of a model, or an extractor of your own
    favor       as in `extract`
    fields      which fields its items get, as in ``BOILERPLATE_FIELDS``
    every_item  fill items about other pages too; ``meta={"boilerplate": True}`` only sets this
    """

    extractor: str | Extractor | None = None
    favor: str | None = None
    fields: FieldNames | None = None
    every_item: bool = False

    @classmethod
    def from_meta(cls, written: Any) -> Self:
        """Return the options of a request. Raises MetaError."""
        if written is None or isinstance(written, bool):
            return cls(every_item=written is True)
        if not isinstance(written, Mapping):
            written = {"extractor": written}
        names = [row.name for row in fields(cls)]
        unknown = [name for name in written if name not in names]
        if unknown:
            raise MetaError(
                f"meta['{META_OPTIONS}'] has the key {unknown[0]!r}; write {', '.join(names)}"
            )
        values = dict(written)
        extractor, favor = values.get("extractor"), values.get("favor")
        try:
            if values.get("fields") is not None:
                values["fields"] = parse_fields(values["fields"])
            if not isinstance(extractor, str | Extractor | None):
                get_extractor(extractor)  # raises, as for a name that is unknown
            if not isinstance(favor, str | None):
                get_extractor(DEFAULT, favor)
        except (SettingError, UnknownExtractorError) as error:
            raise MetaError(f"meta['{META_OPTIONS}']: {error}") from None
        if not isinstance(values.get("every_item", False), bool):
            raise MetaError(f"meta['{META_OPTIONS}']['every_item']: write True or False")
        return cls(**values)


def is_skipped(request: Request) -> bool:
    """Return whether the request asks to skip its response."""
    return bool(request.meta.get(META_SKIP)) or request.meta.get(META_OPTIONS) is False
