"""Signatures of pages."""

from __future__ import annotations

import tracemalloc

from scrapy_boilerplate.site.page_records import compute_signatures
from tests.builders import page_of


def test_class_paths_of_many_boxes_take_little_memory() -> None:
    """Each box had its own copy of the names around it: 30 MB."""
    page = page_of("".join(f"<div class={letter * 1_000}>" for letter in "abc")
                   + "<section><p>x</p></section>" * 5_000)  # fmt: skip
    tracemalloc.start()
    try:
        compute_signatures(page)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
