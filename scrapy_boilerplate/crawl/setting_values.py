"""The kinds of values that settings have, each checked, with a sentence for a wrong one."""

from __future__ import annotations

import math
from pathlib import Path

from scrapy.settings import BaseSettings

from scrapy_boilerplate.crawl.wrong import SettingError, either
from scrapy_boilerplate.extras import MissingExtraError, optional

PREFIX = "BOILERPLATE_"


def boolean(settings: BaseSettings, name: str, *, default: bool) -> bool:
    """True or False. Raises SettingError."""
    try:
        return settings.getbool(PREFIX + name, default)
    except ValueError:
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
        Path(written).mkdir(parents=True, exist_ok=True)
    except (MissingExtraError, OSError, TypeError) as error:
        raise SettingError(
            f"{name} = {written!r}: {error}; write a folder that can be made, or remove it"
        ) from None
    return str(written)


def choice(settings: BaseSettings, name: str, choices: tuple[str, ...]) -> str:
    """One of `choices`, the first by default. Raises SettingError."""
    written = settings.get(PREFIX + name)
    if written is None:
        return choices[0]
    if written not in choices:
        raise SettingError(f"{PREFIX}{name} = {written!r}: write {either(choices)}")
    return str(written)


def number(
    settings: BaseSettings,
    name: str,
    kind: type[int] | type[float],
    *,
    highest: int | None,
    default: float = 0,
) -> float:
    """A number of `kind` from 0 to `highest` (None: any). Raises SettingError."""
    written = settings.get(PREFIX + name)
    if written is None:
        return default
    try:
        number = float(written)
    except (TypeError, ValueError, OverflowError):
        number = -1.0
    meant = math.isfinite(number) and 0 <= number <= (highest or number)
    if isinstance(written, bool) or not meant or (kind is int and number != int(number)):
        whole = "a whole number" if kind is int else "a number"
        span = "of 0 or more" if highest is None else f"from 0 to {highest}"
        raise SettingError(f"{PREFIX}{name} = {written!r}: write {whole} {span}")
    return number
