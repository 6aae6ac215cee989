"""`extract --urls FILE`: the content of a list of URLs, a file for each."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from scrapy_boilerplate.cli.fetching import is_url
from scrapy_boilerplate.cli.options import OptionError
from scrapy_boilerplate.cli.output import print_error

SUFFIXES = {"text": ".txt", "markdown": ".md", "html": ".html", "json": ".json"}
# characters of the name of a file without its suffix
NAME_LENGTH = 120


def extract_urls(
    file: Path, folder: Path, suffix: str, seconds: float, write: Callable[[Any], str]
) -> int:
    """Write what `write` makes of the page of each URL in `file` to `folder`.

    Return 1 if a page cannot be read. Raises OptionError for a line that is no URL, and OSError.
    """
    from scrapy_boilerplate.batch.file_kinds import find_other_kind
    from scrapy_boilerplate.batch.pages import StoredPage
    from scrapy_boilerplate.crawl.url_list import fetch_urls

    urls = read_urls(file)
    folder.mkdir(parents=True, exist_ok=True)
    failed: list[str] = []
    names = choose_names(urls)

    def handle(url: str, response: Any, error: str | None) -> None:
        if response is not None:
            kind = (response.headers.get("Content-Type") or b"").decode("latin-1")
            other = find_other_kind(response.body, kind)
            error = None if other is None else f"it is {other}"
        if error is not None:
            failed.append(url)
            print_error(f"{url} cannot be read: {error}")
            return
        text = write(StoredPage(id=url, url=response.url, html=response))
        (folder / (names[url] + suffix)).write_text(text + "\n", encoding="utf-8")

    fetch_urls(urls, handle, seconds)
    return int(bool(failed))


def read_urls(file: Path) -> list[str]:
    """Return the URLs in a file, one a line, without comments that begin with "#"."""
    lines = [line.strip() for line in file.read_text(encoding="utf-8-sig").splitlines()]
    urls = [line for line in lines if line and not line.startswith("#")]
    if wrong := [line for line in urls if not is_url(line)]:
        raise OptionError(f"--urls {file}: {wrong[0]!r} does not start with http:// or https://")
    return list(dict.fromkeys(urls))


def choose_names(urls: list[str]) -> Mapping[str, str]:
    """Return a name for the file of each URL: its host and path, with a number if it is taken."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for url in urls:
        page = re.sub(r"\.x?html?$", "", url.partition("://")[2])
        readable = re.sub(r"[^\w.-]+", "-", page)[:NAME_LENGTH].strip("-.")
        name, number = readable, 1
        while name.lower() in taken:
            number += 1
            name = f"{readable}-{number}"
        taken.add(name.lower())
        names[url] = name
    return names
