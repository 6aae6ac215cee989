"""How the project of this folder is crawled, and whether items say what their pages say."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.startproject.stories import N_STORIES, headline_of, text_of

PROJECT = Path(__file__).resolve().parent
FAST = {
    "BOILERPLATE_EXTRACTOR": "container",  # rules: texts do not change with the next training
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "DOWNLOAD_DELAY": 0,
    "LOG_LEVEL": "INFO",
    "REMOTE_CONTROL_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
}
KINDS = ["dict", "scrapy", "dataclass", "attrs", "pydantic", "ArticleItem", "Article"]

STORIES = Counter(f"/story/{number}" for number in range(N_STORIES))


def path_of(item: dict[str, Any]) -> str:
    """Return the path of the page that an item names, by whichever of its addresses."""
    url = item["url"][0] if isinstance(item["url"], list) else item["url"]
    return urlsplit(url).path.removesuffix("/old").rstrip("/")


def is_filled(item: dict[str, Any]) -> bool:
    """Return whether an item has what its page says; False if it has nothing of any page."""
    text, headline = item.get("text", item.get("articleBody")), item.get("headline")
    if text is None and headline is None:
        assert item.get("html") is None
        return False
    assert (text, headline) == (text_of(path_of(item)), headline_of(path_of(item)))
    return True


def filled_paths(items: list[dict[str, Any]], kind: str | None = None) -> Counter[str]:
    """Return how many items of a kind are filled, by path."""
    return Counter(
        path_of(item)
        for item in items
        if is_filled(item) and (kind is None or item["kind"] == kind)
    )
