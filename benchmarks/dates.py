"""``python -m benchmarks.dates``: the share of visible dates that are read back, by locale.

40 days in the formats of Unicode CLDR (long, medium and full dates, medium dates with time), which
Babel writes, below the headline of a page of that language. Prints the locales below .99.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from babel.dates import format_date, format_datetime

from scrapy_boilerplate.extraction import extract

LOCALES = (
    "ar az be bg bn bs ca cs da de el en en_GB es et eu fa fi fil fr ga gl gu he hi hr hu hy id is "
    "it ja ka kk km kn ko ky lo lt lv mk ml mn mr ms my nb ne nl pa pl pt ro ru si sk sl sq sr "
    "sr_Latn sv sw ta te th tr uk ur uz vi zh zh_Hant"
).split()
DAYS = [datetime(2023, 1, 3, 0, 7) + timedelta(days=33 * n, minutes=97 * n) for n in range(40)]
GOAL = 0.99
PARAGRAPH = "The harbour board voted on Tuesday to close the old bridge while its bearings rest. "
PAGE = (
    "<!doctype html><html lang={}><title>The bridge is closed</title><main><article>"
    "<h1>The bridge is closed</h1><p class=meta>{}</p>{}</article></main>"
)


def main() -> None:
    shares = {locale: list(measure_locale(locale)) for locale in LOCALES}
    for kind, name in enumerate(("days", "times")):
        print(f"{name}: {sum(share[kind] for share in shares.values()) / len(shares):.3f}")
        low = {locale: share[kind] for locale, share in shares.items() if share[kind] < GOAL}
        print("below the goal:", *(f"{locale} {share:.2f}" for locale, share in low.items()))


def measure_locale(locale: str) -> Iterator[float]:
    """Yield the share of days, then of times, that are read."""
    days = [
        (read_date(format_date(day, width, locale=locale), locale) or "")[:10]
        == day.date().isoformat()
        for day in DAYS
        for width in ("long", "medium", "full")
    ]
    yield sum(days) / len(days)
    texts = (format_datetime(day, "medium", locale=locale) for day in DAYS)
    times = [
        (read_date(text, locale) or "")[:16] == day.isoformat()[:16]
        for text, day in zip(texts, DAYS, strict=True)
    ]
    yield sum(times) / len(times)


def read_date(text: str, locale: str) -> str | None:
    """Return the date of publication of a page that shows a text below its headline."""
    page = PAGE.format(locale.replace("_", "-"), text, f"<p>{PARAGRAPH * 2}</p>" * 4)
    return extract(page).date_published


if __name__ == "__main__":
    main()
