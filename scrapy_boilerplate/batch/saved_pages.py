"""Pages that browsers and mirror programs save: MHTML, HAR, ZIP, and the URL in a saved page."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path, PurePath, PurePosixPath
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile, ZipFile

from scrapy_boilerplate import import_optional
from scrapy_boilerplate.batch.file_kinds import is_html
from scrapy_boilerplate.batch.http_body import (
    BodyError,
    create_size_error,
    decode_body,
    read_file,
)
from scrapy_boilerplate.batch.pages import ReadOptions, StoredPage, check_link

if TYPE_CHECKING:
    from email.message import Message

# Times as many bytes of a HAR file as of a page: it has all files of a page.
HAR_PAGES = 6
# First bytes in which comments and declared URLs are searched; last bytes of a ZIP archive.
HEAD_BYTES = 500_000
END_OF_ZIP_BYTES = 70_000
PAGE_IN_ZIP = "index.html"
WARC_IN_ZIP = (".warc", ".warc.gz", ".warc.zst")
HAR_IN_ZIP = ".har"
# "web.archive.org/web/20200102030405im_/" and the paths of pywb, before a whole URL.
_ARCHIVE = rb"(?:(?:https?:)?//[^/\s\"'<>]+)?/(?:[\w.-]+/)?[0-9]{4,14}(?:[a-z]{2}_)?/(?=https?://)"
_match_archive = re.compile(_ARCHIVE).match
_sub_archive = re.compile(rb"(?<=[\s\"'=(,])" + _ARCHIVE).sub
# Scripts and comments of the Wayback Machine and of pywb; an article shows them escaped.
_find_replay = re.compile(
    rb"<!-- (?:BEGIN WAYBACK TOOLBAR INSERT|End Wayback Rewrite JS Include|WB Insert) -->|"
    rb"<!--\s+FILE ARCHIVED ON "
).search
_sub_toolbar = re.compile(
    rb"<!-- (BEGIN|WB) (WAYBACK TOOLBAR INSERT|Insert) -->.*?<!-- (?:END|End) (?:\1 )?\2 -->",
    re.DOTALL,
).sub
# Chromium saves what was shown in a shadow tree as a template; the end tag of it is ignored.
_sub_shadow = re.compile(rb"<template(?=\s[^<>]*\bshadow(?:root)?mode=)").sub
_find_comment_url = re.compile(
    rb"<!-- saved from url=\([0-9]+\)(https?://[^\s<>]+)|"
    rb"<!--\s+Page saved with SingleFile\s+url: (https?://[^\s<>]+)|"
    rb"<!-- Mirrored from ([^\s<>]+) by HTTrack|"
    rb"""(?:__wm\.wombat\(|wbinfo\.url ?= ?)["'](https?://[^"'\s<>]+)|"""
    rb'id="wmtbURL" value="(https?://[^"\s<>]+)'
).search
_find_declaring_tags = re.compile(
    rb"<(?:link|meta)\b[^<>]*\b(?:canonical|og:url)\b[^<>]*>"
).finditer


def create_saved_page(
    page_id: Any, html: bytes, options: ReadOptions, url: str | None = None
) -> StoredPage:
    """Return a page with the `url` that its program wrote into it, or that the page declares.

    The toolbar and the links of an archive that shows pages are undone, and declared URLs that are
    names of local files are removed. An HTML file around a ZIP archive gives the page inside.
    """
    inner = html
    if b"PK\x05\x06" in html[-END_OF_ZIP_BYTES:]:
        try:
            inner = _read_zipped_page(ZipFile(BytesIO(html)), options)
        except Exception as error:  # noqa: BLE001 - zipfile raises many
            return StoredPage(id=page_id, url=url, error=f"the page in the file: {error}")
    if _find_replay(inner):
        inner = _sub_archive(b"", _sub_toolbar(b"", inner))
    inner = _sub_shadow(b"<shadow-root", inner)
    comment = _find_comment_url(html[:HEAD_BYTES])
    declared = []
    for tag in reversed(list(_find_declaring_tags(inner[:HEAD_BYTES]))):
        if name := _read_declared(tag[0]):
            if name.startswith(("http://", "https://")):
                declared.append(name)
            elif comment is None or not name.startswith("/"):
                inner = inner[: tag.start()] + inner[tag.end() :]
    if url is None and comment is not None:
        url = _complete(next(filter(None, comment.groups())).decode("utf-8", "replace"), declared)
    url = url or (declared[-1] if declared else None)
    return StoredPage(id=page_id, url=None if url is None else _leave_archive(url), html=inner)


def _read_declared(tag: bytes) -> str | None:
    # JSON lines are read without lxml and `email`, which take longer to import than a page
    from lxml.html import document_fromstring  # noqa: PLC0415

    element = document_fromstring(tag.decode("utf-8", "replace")).find("head/*")
    values = {} if element is None else dict(element.attrib)
    if values.get("rel", "").lower() == "canonical":
        return str(values.get("href", "")).strip()
    is_url = "og:url" in (values.get("property"), values.get("name"))
    return str(values.get("content", "")).strip() if is_url else None


def _complete(url: str, declared: Iterable[str]) -> str:
    # HTTrack leaves out the scheme
    if "://" in url:
        return url
    return next((each for each in declared if each.partition("://")[2] == url), f"http://{url}")


def _leave_archive(url: str) -> str:
    prefix = _match_archive(url.encode())
    return url if prefix is None else url[prefix.end() :]


def read_mhtml(path: Path, options: ReadOptions) -> Iterator[StoredPage]:
    """Yield the page of an MHTML file: its first part of HTML."""
    from email import message_from_bytes  # noqa: PLC0415 - as lxml

    message: Message = message_from_bytes(read_file(path, options.max_bytes))
    for part in message.walk():
        if part.get_content_type() in ("text/html", "application/xhtml+xml"):
            html: Any = part.get_payload(decode=True)
            url = message.get("Snapshot-Content-Location") or part.get("Content-Location")
            is_web = url is not None and url.startswith(("http://", "https://"))
            page = create_saved_page(path.name, html, options, url if is_web else None)
            body: Any = page.html
            yield replace(page, html=decode_body(body, part.get("Content-Type")))
            return
    raise ValueError("it has no part of HTML")


def read_har(path: Path, options: ReadOptions) -> Iterator[StoredPage]:
    """Yield the HTML responses with status 200 to 299 of a HAR file; the id is ``<file>:<n>``.

    Playwright can put each body into a file beside it, which the content names as ``_file``.
    """

    def read_body(name: str) -> bytes:
        file = path.with_name(name)
        check_link(file, path.parent, options)
        return read_file(file, options.max_bytes)

    har = read_file(path, HAR_PAGES * options.max_bytes)
    yield from _read_entries(path.name, har, read_body)


def _read_entries(file: str, har: bytes, read_body: Callable[[str], bytes]) -> Iterator[StoredPage]:
    entries = json.loads(har.decode("utf-8-sig"))["log"]["entries"]
    for number, entry in enumerate(entries, start=1):
        content = entry["response"].get("content") or {}
        if not (200 <= entry["response"]["status"] < 300 and content.get("mimeType")):
            continue
        if is_html(content["mimeType"]):
            page = StoredPage(id=f"{file}:{number}", url=entry["request"]["url"])
            try:
                yield replace(page, html=_read_content(content, read_body))
            except (BodyError, KeyError, OSError) as error:
                yield replace(page, error=str(error))


def _read_content(content: dict[str, Any], read_body: Callable[[str], bytes]) -> bytes | str:
    text, name = content.get("text"), content.get("_file")
    if isinstance(text, str) and text:
        is_packed = content.get("encoding") == "base64"
        return decode_body(b64decode(text), content["mimeType"]) if is_packed else text
    if isinstance(name, str) and name == PurePath(name).name:
        return decode_body(read_body(name), content["mimeType"])
    raise BodyError("the HAR file has no content of it")


def read_zip(path: Path, options: ReadOptions) -> Iterator[StoredPage]:
    """Yield the pages of the WARC or HAR files in a ZIP archive, or the page of SingleFile.

    Each WARC file is copied to a temporary one, so that it can be searched after an error.
    """
    with ZipFile(path) as archive:
        names = sorted(archive.namelist())
        warcs = [name for name in names if name.lower().endswith(WARC_IN_ZIP)]
        hars = [name for name in names if name.lower().endswith(HAR_IN_ZIP)]
        for name in hars:
            har = _read_member(archive, name, HAR_PAGES * options.max_bytes)
            read_body = partial(_read_member, archive, limit=options.max_bytes)
            yield from _read_entries(name, har, read_body)
        if not warcs and not hars:
            yield create_saved_page(path.name, _read_zipped_page(archive, options), options)
        if not warcs:
            return
        import_optional("warcio", path.name, "batch")
        from scrapy_boilerplate.batch.warc import read_warc  # noqa: PLC0415 - needs warcio

        for name in warcs:
            with TemporaryDirectory() as folder:
                copy = Path(folder, PurePosixPath(name).name)
                with archive.open(name) as packed, copy.open("wb") as file:
                    copyfileobj(packed, file)
                yield from read_warc(copy, options)


def has_pages(path: Path) -> bool:
    """Return whether a ZIP archive has WARC files or a page; True if it cannot be read."""
    try:
        with ZipFile(path) as archive:
            names = archive.namelist()
    except (BadZipFile, OSError):
        return True
    ends = (*WARC_IN_ZIP, HAR_IN_ZIP)
    return PAGE_IN_ZIP in names or any(name.lower().endswith(ends) for name in names)


def _read_zipped_page(archive: ZipFile, options: ReadOptions) -> bytes:
    if PAGE_IN_ZIP not in archive.namelist():
        raise BadZipFile("a ZIP archive without index.html, WARC and HAR files")
    return _read_member(archive, PAGE_IN_ZIP, options.max_bytes)


def _read_member(archive: ZipFile, name: str, limit: int) -> bytes:
    info = archive.getinfo(name)
    if info.file_size > limit:
        raise create_size_error(limit)
    return archive.read(info)
