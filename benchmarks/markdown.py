"""Tables and figures as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scrapy_boilerplate.training.evaluation import Score


def table(rows: Sequence[Sequence[str]]) -> str:
    """A table; the first row is its head."""
    head, *body = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([head, f"|{'---|' * len(rows[0])}", *body])


def percent(share: float) -> str:
    """Two decimals of a percentage."""
    return f"{100 * share:.2f}"


def signed(difference: float, around: tuple[float, float]) -> str:
    """A difference of percentages and its interval, one decimal."""
    low, high = around
    return f"{100 * difference:+.1f} ({100 * low:+.1f} to {100 * high:+.1f})"


def difference(score: Score, base: Score, figure: str) -> str:
    """The paired difference of two scores, in percentage points."""
    return signed(*score.difference(base, figure))


def direction(around: tuple[float, float]) -> int:
    """1 or -1 where an interval lies above or below 0, else 0."""
    low, high = around
    return int(low > 0) - int(high < 0)


def listed(names: Iterable[str]) -> str:
    """The names with commas, or "none"."""
    return ", ".join(names) or "none"
