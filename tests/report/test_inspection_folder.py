"""The folder of inspection pages: bounded, the least confident first, over several crawls."""

from pathlib import Path

from scrapy_boilerplate.report.inspection_folder import InspectedPage, InspectionFolder


def make_page(confidence: float, name: str) -> InspectedPage:
    return InspectedPage(confidence, f"http://example.com/{name}", name, "news")


def read_pages(folder: Path) -> set[str]:
    return {file.read_text() for file in folder.glob("*.html") if file.name != "index.html"}


def add(folder: InspectionFolder, *pages: InspectedPage) -> None:
    for page in pages:
        if folder.accepts(page):
            folder.add(page, lambda page=page: page.headline)  # type: ignore[misc]


def test_the_least_confident_are_kept(tmp_path: Path) -> None:
    folder = InspectionFolder(tmp_path, 2)
    assert "every article so far was confident enough" in folder.index.read_text()
    for confidence, name in ((0.5, "half"), (0.7, "good"), (0.2, "<poor>"), (0.6, "fair")):
        add(folder, make_page(confidence, name))
    assert read_pages(tmp_path) == {"<poor>", "half"}
    assert len(folder) == 2
    index = folder.index.read_text()
    assert "the lowest confidence first: 2." in index
    assert index.index("&lt;poor&gt;") < index.index("half")
    assert "<poor>" not in index
    assert "good" not in index


def test_the_bound_holds_over_crawls(tmp_path: Path) -> None:
    pages = make_page(0.5, "a"), make_page(0.4, "b"), make_page(0.3, "c")
    add(InspectionFolder(tmp_path, 3), *pages)
    add(InspectionFolder(tmp_path, 2), make_page(0.35, "d"))
    assert read_pages(tmp_path) == {"c", "d"}


def test_pages_that_the_list_does_not_name_are_deleted(tmp_path: Path) -> None:
    add(InspectionFolder(tmp_path, 3), make_page(0.5, "a"), make_page(0.4, "b"))
    (tmp_path / "notes.html").write_text("mine")
    (tmp_path / "pages.json").write_text("{")
    add(InspectionFolder(tmp_path, 3), make_page(0.3, "c"))
    assert read_pages(tmp_path) == {"c", "mine"}
