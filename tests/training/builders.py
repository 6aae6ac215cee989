"""A small page, and small corpora on disk."""

import json
import lzma
from pathlib import Path
from typing import Any

ARTICLE = (
    "The ferry returns to the harbour on Monday after a long repair of its two engines, "
    "the company said today."
)
MENU = "Home News Weather"
HTML = f"<html><body><ul><li><a href='/'>{MENU}</a></li></ul><p>{ARTICLE}</p></body></html>"


def write_corpus(path: Path, *records: dict[str, Any] | str) -> Path:
    """Records (or raw lines) as a corpus file, compressed if the name says so."""
    lines = [line if isinstance(line, str) else json.dumps(line) for line in records]
    text = "".join(f"{line}\n" for line in lines)
    if path.suffix == ".xz":
        path.write_bytes(lzma.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return path
