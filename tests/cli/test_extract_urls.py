"""`extract --urls`: a file for each URL of a list."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scrapy_boilerplate.cli import main
from tests.batch.stored import page, serve_folder


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    folder = tmp_path / "site"
    folder.mkdir()
    for number in (1, 2):
        (folder / f"{number}.html").write_text(page(number), encoding="utf-8")
    (folder / "a.png").write_bytes(b"\x89PNG")
    (folder / "robots.txt").write_text("User-agent: *\nDisallow: /2", encoding="utf-8")
    with serve_folder(folder) as url:
        yield url


def run_extract(folder: Path) -> subprocess.CompletedProcess[str]:
    command = ["-m", "scrapy_boilerplate.cli", "extract", "--urls", "list", "-o", "out"]
    return subprocess.run(
        [sys.executable, *command], cwd=folder, capture_output=True, text=True, check=False
    )


def test_list_of_urls(site: str, tmp_path: Path) -> None:
    """In another process, because a reactor does not start twice."""
    names = ("1.html", "2.html", "a.png", "gone.html")
    (tmp_path / "list").write_text("# news\n" + "\n".join(site + name for name in names))
    done = run_extract(tmp_path)
    assert done.returncode == 1
    for name, reason in (("2.html", "robots.txt"), ("a.png", "an image"), ("gone.html", "404")):
        assert any(name in line and reason in line for line in done.stderr.splitlines()), name
    [file] = (tmp_path / "out").iterdir()
    assert file.name == site[7:-1].replace(":", "-") + "-1.txt"
    assert "first1 word" in file.read_text("utf-8")


def test_names_of_files(site: str, tmp_path: Path) -> None:
    folder, html = tmp_path / "site", page(1)
    for path in ("news/a", "News/A", "x" * 200):
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(html, encoding="utf-8")
    (folder / "index.html").write_text(html, encoding="utf-8")
    urls = [site + path for path in ("", "news/a", "News/A", "?p=1&q=ä", "x" * 200)]
    (tmp_path / "list").write_text("\n".join(urls), encoding="utf-8")
    run_extract(tmp_path)
    host = site[7:-1].replace(":", "-")
    names = {path.stem.removeprefix(host) for path in (tmp_path / "out").iterdir()}
    assert {"", "-news-a", "-News-A-2", "-p-1-q-ä"} <= names
    assert max(map(len, names)) + len(host) <= 120


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--urls", "list"], "need each other"),
        (["--urls", "list", "-o", "out", "a.html"], "does not go with files"),
        (["--urls", "list", "-o", "out"], "'a.html' does not start with"),
    ],
)
def test_wrong_lists(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("list").write_text("a.html", encoding="utf-8")
    assert main(["extract", *arguments]) == 1
    assert message in capsys.readouterr().err
