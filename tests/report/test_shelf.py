"""The folder of doubtful pages: bounded, the least confident first, over several crawls."""

from __future__ import annotations

from pathlib import Path

from scrapy_boilerplate.report.shelf import Shelf, Shelved


def page(confidence: float, name: str) -> Shelved:
    return Shelved(confidence, f"http://example.com/{name}", name, "news")


def kept(folder: Path) -> set[str]:
    return {file.read_text() for file in folder.glob("*.html") if file.name != "index.html"}


def put(shelf: Shelf, *pages: Shelved) -> None:
    for one in pages:
        if shelf.wants(one):
            shelf.put(one, lambda one=one: one.headline)  # type: ignore[misc]


def test_the_least_confident_are_kept(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, 2)
    put(shelf, page(0.5, "half"), page(0.7, "good"), page(0.2, "poor"), page(0.6, "fair"))
    assert kept(tmp_path) == {"poor", "half"}
    index = (tmp_path / "index.html").read_text()
    assert index.index("poor") < index.index("half")
    assert "good" not in index


def test_the_bound_holds_over_crawls(tmp_path: Path) -> None:
    put(Shelf(tmp_path, 3), page(0.5, "a"), page(0.4, "b"), page(0.3, "c"))
    put(Shelf(tmp_path, 2), page(0.35, "d"))
    assert kept(tmp_path) == {"c", "d"}


def test_a_page_that_comes_again_takes_its_place(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, 2)
    put(shelf, page(0.5, "a"), page(0.4, "b"), page(0.3, "a"))
    assert kept(tmp_path) == {"a", "b"}


def test_a_broken_list_and_none_at_all(tmp_path: Path) -> None:
    (tmp_path / "pages.json").write_text("{")
    put(Shelf(tmp_path, 0), page(0.1, "a"))
    assert kept(tmp_path) == set()


def test_pages_that_no_list_names_any_more_go(tmp_path: Path) -> None:
    put(Shelf(tmp_path, 3), page(0.5, "a"), page(0.4, "b"))
    (tmp_path / "notes.html").write_text("mine")
    (tmp_path / "pages.json").write_text("{")
    put(Shelf(tmp_path, 3), page(0.3, "c"))
    assert kept(tmp_path) == {"c", "mine"}


def test_headlines_are_text(tmp_path: Path) -> None:
    put(Shelf(tmp_path, 1), Shelved(0.1, "http://x/", "<script>", "news"))
    assert "<script>" not in (tmp_path / "index.html").read_text()


def test_the_index_says_what_is_there_or_that_nothing_is(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, 2)
    assert "every article so far was confident enough" in shelf.index.read_text()
    put(shelf, page(0.5, "half"))
    assert "the lowest first: 1." in shelf.index.read_text()
    assert len(shelf) == 1
