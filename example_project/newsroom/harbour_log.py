"""The pages of the Harbour Log, `/log/1.html` and on: from REDESIGN on in a new design."""

from __future__ import annotations

import re
from datetime import date, timedelta
from pathlib import Path

LOG = Path(__file__).resolve().parent.parent / "site" / "log"
FIRST_DAY = date(2024, 9, 1)
REDESIGN, PAGES = 61, 70

match_page = re.compile(r"/log/(\d+)\.html").fullmatch


def write_log_page(path: str) -> str | None:
    """Return the HTML of a page of the log; None for other paths."""
    match = match_page(path)
    number = int(match[1]) if match else 0
    if not 1 <= number <= PAGES:
        return None
    paragraphs = (LOG / "paragraphs.txt").read_text(encoding="utf-8").splitlines()
    step = (1, 5, 7, 11)[number % 4]  # of 12 paragraphs, in other orders
    chosen = [paragraphs[(number + step * n) % len(paragraphs)] for n in range(4 + number % 5)]
    day = FIRST_DAY + timedelta(days=number - 1)
    values = {
        "headline": f"Harbour, {day:%A} {day.day} {day:%B}: {' '.join(chosen[-1].split()[:6])}",
        "date": day.isoformat(),
        "first": chosen[0],
        "paragraphs": "\n".join(f"  <p>{paragraph}</p>" for paragraph in chosen),
    }
    template = LOG / ("old.html" if number < REDESIGN else "new.html")
    return re.sub(
        r"\{\{ (\w+) \}\}", lambda match: values[match[1]], template.read_text(encoding="utf-8")
    )
