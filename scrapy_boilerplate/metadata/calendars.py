"""Days of other calendars: the years of Thailand, and the calendar of Iran."""

from __future__ import annotations

from datetime import date, timedelta

BUDDHIST_YEARS = 543
"""The year of Thailand is that much ahead."""
FIRST_BUDDHIST = 2400
"""Later years are not ours (our choice)."""

PERSIAN = "fa"
PERSIAN_YEARS = range(1370, 1500)
"""Years of the calendar of Iran since the web is there; as years of ours they are none."""
NEW_YEAR, NEW_YEAR_OF = date(2024, 3, 20), 1403
"""A first day of the year of Iran, and its year."""


def gregorian(year: int, month: int, day: int, language: str | None = None) -> date | None:
    """The day in our calendar; None where there is no such day.

    Years of `PERSIAN_YEARS` are those of Iran on pages in Persian.
    """
    if language == PERSIAN and year in PERSIAN_YEARS:
        return _from_persian(year, month, day)
    try:
        return date(year - BUDDHIST_YEARS if year > FIRST_BUDDHIST else year, month, day)
    except ValueError:
        return None


def _from_persian(year: int, month: int, day: int) -> date | None:
    """Six months of 31 days, five of 30, the last of 29 or 30."""
    if not (1 <= month <= 12 and 1 <= day <= _days_of(year, month)):
        return None
    before = sum(_days_of(year, one) for one in range(1, month)) + day - 1
    forth = sum(map(_days_in, range(NEW_YEAR_OF, year)))
    back = sum(map(_days_in, range(year, NEW_YEAR_OF)))
    return NEW_YEAR + timedelta(days=forth - back + before)


def _days_of(year: int, month: int) -> int:
    return 31 if month <= 6 else 30 if month < 12 else _days_in(year) - 336


def _days_in(year: int) -> int:
    """Leap years by the cycle of 33 years, which is right from 1178 to 1633 (K. M. Borkowski, The
    Persian calendar for 3000 years, 1996)."""
    return 366 if (25 * year + 11) % 33 < 8 else 365
