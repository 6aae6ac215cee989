"""The kinds of values that settings have, each checked, with a sentence for a wrong one."""

from __future__ import annotations

import math
from pathlib import Path

from scrapy.settings import BaseSettings

from scrapy_boilerplate.crawl.wrong import SettingError, either
from scrapy_boilerplate.extras import MissingExtraError, optional

PREFIX = "BOILERPLATE_"


def boolean(settings: BaseSettings, name: str, *, default: bool) -> bool:
    """True or False, also as text. Raises SettingError."""
    try:
        return settings.getbool(PREFIX + name, default)
    except (TypeError, ValueError):
        written = settings.get(PREFIX + name)
        raise SettingError(f"{PREFIX}{name} = {written!r}: write True or False") from None


def folder(settings: BaseSettings) -> str | None:
    """The folder of the inspection pages, or None. Raises SettingError if it cannot be made, or
    a package is missing."""
    name = PREFIX + "INSPECT_DIR"
    written = settings.get(name)
    if written is None or written == "":
        return None
    try:
        for package in ("nh3", "tinycss2"):
            optional(package, "the inspection page", "html")
    except MissingExtraError as error:
        raise SettingError(f"{name} = {written!r}: {error}; or remove the setting") from None
    try:
        Path(written).mkdir(parents=True, exist_ok=True)
    except (OSError, TypeError, ValueError) as error:
        raise SettingError(
            f"{name} = {written!r}: {error}; write a folder that can be made, or remove it"
        ) from None
    return str(written)


def choice(settings: BaseSettings, name: str, choices: tuple[str, ...]) -> str:
    """One of a few words, the first unless told otherwise. Raises SettingError."""
    written = settings.get(PREFIX + name)
    if written is None:
        return choices[0]
    if written not in choices:
        raise SettingError(f"{PREFIX}{name} = {written!r}: write {either(choices)}")
    return str(written)


def number(
    settings: BaseSettings, name: str, default: float = 0, *, highest: int | None = None
) -> float:
    """A number from 0 to `highest`. Raises SettingError."""
    written = settings.get(PREFIX + name)
    found = _finite(written, default, highest)
    if found is None:
        span = "of 0 or more" if highest is None else f"from 0 to {highest}"
        raise SettingError(f"{PREFIX}{name} = {written!r}: write a number {span}")
    return found


def natural(settings: BaseSettings, name: str, default: int = 0, *, lowest: int = 0) -> int:
    """A whole number from `lowest` up. Raises SettingError."""
    written = settings.get(PREFIX + name)
    found = _finite(written, default, None)
    if found is None or found != int(found) or found < lowest:
        told = f"write a whole number of {lowest} or more"
        raise SettingError(f"{PREFIX}{name} = {written!r}: {told}")
    return int(found)


def _finite(written: object, default: float, highest: int | None) -> float | None:
    if written is None:
        return default
    try:
        found = float(str(written))
    except ValueError:
        return None
    meant = math.isfinite(found) and 0 <= found <= (highest or found)
    return None if isinstance(written, bool) or not meant else found
