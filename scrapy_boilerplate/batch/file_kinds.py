"""Find out whether bytes are a page or a file of another kind, by their first bytes."""

import codecs
import re

WARC = "a WARC file, which the command batch reads"
ARC = "an ARC file, which the command batch reads"
MHTML = "an MHTML file"
HAR = "a HAR file"
ZIP = "a ZIP archive, an office document or an e-book"
PDF = "a PDF"
IMAGE = "an image"
SAFARI = "a Safari archive or another property list"
# Kinds that may hold an article, which is not read.
DOCUMENTS = frozenset((PDF, SAFARI, ZIP))
# First bytes of files that are often passed by mistake; `_find_binary` recognizes other files.
KINDS = (
    (re.compile(rb"\s*%PDF-"), PDF),
    (re.compile(rb"\x89PNG|\xff\xd8\xff|GIF8[79]a|RIFF....WEBP", re.DOTALL), IMAGE),
    (re.compile(rb"\x1f\x8b"), "packed by gzip"),
    (re.compile(rb"BZh[1-9]1AY|\xfd7zXZ\x00|\x28\xb5\x2f\xfd|7z\xbc\xaf|Rar!\x1a"), "packed"),
    (re.compile(rb"PK\x03\x04"), ZIP),
    (re.compile(rb"WARC/[01]\."), WARC),
    (re.compile(rb"filedesc://"), ARC),
    (re.compile(rb"bplist00"), SAFARI),
    (re.compile(rb"(?:\xef\xbb\xbf)?\s*\{\s*\"log\"\s*:\s*\{"), HAR),
    (
        re.compile(
            rb"(?:[\w-]+:.*\n|[ \t].*\n)*?Content-Type:\s*multipart/(?:related|alternative|mixed)",
            re.IGNORECASE,
        ),
        MHTML,
    ),
)
HTML_TYPES = ("text/html", "application/xhtml+xml")
# Bytes that are checked, and bytes that no text has: "resource header" and "binary data byte" of
# https://mimesniff.spec.whatwg.org
HEADER_BYTES = 1_445
_find_binary = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]").search
BYTE_ORDER_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Markup at the start, in UTF-16 too; any byte may follow.
_match_markup = re.compile(rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\s\x00]*<\x00?[A-Za-z!?/]").match
# Tags with which HTML begins, after comments and a declaration of XML, and the rest of a comment.
_match_html = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<!--(?:[^-]|-(?!->))*-->\s*|<\?xml[^>]*>\s*)*"
    rb"<(?:!doctype\s+html|(?:html|head|body|title|meta|link|script|style|div|article|main|table|"
    rb"h[1-6]|p|a)[\s>]|!--(?!.*-->))",
    re.IGNORECASE | re.DOTALL,
).match
# A header that declares UTF-16 or UTF-32, whose text has NUL bytes.
_names_wide_encoding = re.compile(r"charset\s*=\s*[\"']?utf-?(?:16|32)", re.IGNORECASE).search
# Types that a page may have: servers without a better one send `octet-stream`.
_match_text_type = re.compile(r"text/|application/(?:xml|.*octet-stream)|(?!image/).*\+xml").match


def _read_type(content_type: str | None) -> str:
    return (content_type or "").partition(";")[0].strip().lower()


def is_html(content_type: str | None) -> bool:
    """Return whether a ``Content-Type`` is HTML; a missing header counts as HTML."""
    mime_type = _read_type(content_type)
    return not mime_type or mime_type in HTML_TYPES


def has_no_kind(content_type: str | None) -> bool:
    """Return whether a ``Content-Type`` is one that servers without a better one send."""
    return _read_type(content_type).endswith("octet-stream")


def is_markup(body: bytes) -> bool:
    """Return whether bytes begin with a tag, a comment or a doctype."""
    return _match_markup(body) is not None


def is_text(body: bytes) -> bool:
    """Return whether the first bytes are markup, or text without control characters."""
    head = body[:HEADER_BYTES]
    return is_markup(body) or head.startswith(BYTE_ORDER_MARKS) or not _find_binary(head)


def find_other_kind(body: bytes, content_type: str | None = None) -> str | None:
    """Return the kind of `body`, such as "a PDF"; None for HTML and other text."""
    head = body[:HEADER_BYTES]
    if not head.strip() and not body.strip():
        return "empty"
    for pattern, kind in KINDS:
        if pattern.match(head):
            return kind
    mime_type = _read_type(content_type)
    if mime_type and not _match_text_type(mime_type):
        return f"of the type {mime_type}"
    is_wide = _names_wide_encoding(content_type or "")
    return None if is_wide or is_text(body) else "a binary file"


def begins_with_html(head: bytes) -> bool:
    """Return whether the first bytes of a file are HTML, whatever the name of the file."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        head = head.decode("utf-16", "ignore").encode()
    return _match_html(head) is not None
