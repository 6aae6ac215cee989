"""Pages that browsers, archives and mirror programs save."""

import json
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest

from scrapy_boilerplate.batch.inputs import create_input, find_inputs
from scrapy_boilerplate.batch.pages import InputError, StoredPage
from scrapy_boilerplate.cli import main
from tests.batch.stored import http, page, pages_warc, record, rows_in, serve_folder, warc

URL = "https://a.example/news/bridge"


def pages_of(path: Path) -> list[StoredPage]:
    return [stored for source in find_inputs([path]) for stored in source.read_pages()]


def save(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


MHTML = f"""From: <Saved by Blink>
Snapshot-Content-Location: {URL}
MIME-Version: 1.0
Content-Type: multipart/related;
	type="text/html";
	boundary="----b"


------b
Content-Type: text/css

a {{}}
------b
Content-Type: text/html
Content-Transfer-Encoding: quoted-printable

<html><head><meta charset=3Dutf-8></head><p>na=C3=AFve =
and long</p><b><template shadowmode=3D"open">shown</template></b>
------b--
""".replace("\n", "\r\n")


def test_mhtml(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = save(tmp_path / "a.mhtml", MHTML)
    [stored] = pages_of(tmp_path)
    assert (stored.id, stored.url) == ("a.mhtml", URL)
    assert "<p>naïve and long</p><b><shadow-root" in stored.decode()
    assert main(["extract", "--format", "json", str(path)]) == 0
    assert json.loads(capsys.readouterr().out)["url"] == URL


def create_entry(url: str, status: int, kind: str, **content: str) -> dict[str, object]:
    answer = {"status": status, "content": {"mimeType": kind, **content}}
    return {"request": {"url": url}, "response": answer}


def test_har(tmp_path: Path) -> None:
    packed = b64encode("<p>naïve".encode("latin-1")).decode()
    entries = [
        create_entry(URL + "1", 200, "text/html; charset=utf-8", text="<p>naïve"),
        create_entry(URL + "2", 404, "text/html", text="<p>gone"),
        create_entry(URL + "3", 200, "image/png", text="png"),
        create_entry(
            URL + "4", 206, "text/html; charset=iso-8859-1", text=packed, encoding="base64"
        ),
        create_entry(URL + "5", 200, "text/html"),
    ]
    path = save(tmp_path / "a.har", json.dumps({"log": {"entries": entries}}))
    stored = pages_of(path)
    assert [(each.url, each.html) for each in stored[:2]] == [
        (URL + "1", "<p>naïve"),
        (URL + "4", "<p>naïve"),
    ]
    assert stored[2].error
    [broken] = pages_of(save(tmp_path / "b.har", '{"log": {"entries": [{'))
    assert "b.har cannot be read" in str(broken.error)


def test_bodies_beside_the_har(tmp_path: Path) -> None:
    kinds = {"body.html": None, "../out.html": "no content", "gone.html": "gone.html"}
    entries = [create_entry(URL, 200, "text/html; charset=utf-8", _file=name) for name in kinds]
    path = save(tmp_path / "pages" / "a.har", json.dumps({"log": {"entries": entries}}))
    body = save(tmp_path / "pages" / "body.html", "<p>naïve")
    save(tmp_path / "out.html", "<p>outside")
    with ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(path, path.name)
        archive.write(body, body.name)
    for har in (path, tmp_path / "a.zip"):
        for stored, error in zip(pages_of(har), kinds.values(), strict=True):
            assert (stored.html == "<p>naïve") is (error is None)
            assert error is None or error in str(stored.error)


LINKED = f'<html><head><link rel="canonical" href="{URL}"></head><body>'
REPLAYED = (
    '<html><head><!-- End Wayback Rewrite JS Include --><link rel="canonical" '
    f'href="https://web.archive.org/web/20200102030405/{URL}"></head><body>'
    "<!-- BEGIN WAYBACK TOOLBAR INSERT --><p>Toolbar</p><!-- END WAYBACK TOOLBAR INSERT -->"
    "<a href=\"/web/2020/http://b.example/\"><img src='/web/20200102im_/http://b.example/i'>"
)
SAVED: dict[str, tuple[str, str | None]] = {
    "browser": (f"<!-- saved from url=(0029){URL} -->\n<html>", URL),
    "SingleFile": (
        f"<!DOCTYPE html> <html><!--\n Page saved with SingleFile \n url: {URL} \n saved -->", URL,
    ),
    "HTTrack": (
        "<html>\n<!-- Mirrored from a.example/news/bridge by HTTrack Website Copier/3.x -->"
        '<head><link rel="canonical" href="bridge.html"></head>',
        URL.replace("https", "http"),
    ),
    "HTTrack, a page that declares its scheme": (
        "<!-- Mirrored from a.example/news/bridge by HTTrack Website Copier/3.x -->"
        f'<html><head><meta property="og:url" content="{URL}">', URL,
    ),
    "wget -k": ("<html><head><link href='bridge.html' rel=canonical></head>", None),
    "a canonical link": (LINKED, URL),
    "Wayback Machine": (REPLAYED, URL),
    "Wayback Machine, saved by a browser": (
        f"<!-- saved from url=(0071)https://web.archive.org/web/20200102030405/{URL} -->\n"
        + REPLAYED, URL,
    ),
    "pywb": (f'<html><!-- WB Insert --><script>wbinfo.url = "{URL}"</script>', URL),
}  # fmt: skip


@pytest.mark.parametrize("program", SAVED)
def test_url_of_a_saved_page(program: str, tmp_path: Path) -> None:
    html, url = SAVED[program]
    [stored] = pages_of(save(tmp_path / "a.html", html))
    text = stored.decode()
    assert stored.url == url
    assert "Toolbar" not in text
    assert "/web/2020" not in text.partition("<html")[2]
    assert "bridge.html" not in text
    if "Wayback" in program:
        assert "<a href=\"http://b.example/\"><img src='http://b.example/i'>" in text


def test_page_that_is_also_a_zip_archive(tmp_path: Path) -> None:
    path = save(tmp_path / "a.html", f"<html><!--\n Page saved with SingleFile\n url: {URL} -->")
    with ZipFile(path, "a") as archive:
        archive.writestr("index.html", "<p>inside")
    [stored] = pages_of(path)
    assert (stored.url, stored.html) == (URL, b"<p>inside")


def test_web_archive_collection(tmp_path: Path) -> None:
    pytest.importorskip("warcio")
    (tmp_path / "archive").mkdir()
    for number in (1, 0):
        answer = [record(URL, http(page(number).encode()), number)]
        warc(tmp_path / f"archive/{number}.warc.gz", answer)
    save(tmp_path / "pages/pages.jsonl", '{"format": "json-pages-1.0", "id": "pages"}\n{"url": 1}')
    expected = [page(0), page(1)]
    assert [stored.html for stored in pages_of(tmp_path)] == expected
    with ZipFile(tmp_path / "a.wacz", "w") as archive:
        for path in sorted(tmp_path.glob("*/*")):
            archive.write(path, path.relative_to(tmp_path))
    assert [stored.html for stored in pages_of(tmp_path / "a.wacz")] == expected


def test_folder_of_files_of_all_kinds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "in"
    pages = ("index.html?p=1", "news/slug", "a.php", "comment")
    for name in pages:
        save(folder / name, "<!-- a\n comment -->\n" * (name == "comment") + page(1))
    save(folder / "a.css", "a {}")
    save(folder / "a.svg", "<?xml version='1.0'?><!-- a --><svg/>")
    save(folder / "a.png", b"\x89PNG\r\n\x1a\n")
    command = ["batch", str(folder), "--extractor", "container", "-o"]
    assert main([*command, str(tmp_path / "1.jsonl")]) == 0
    lines = (tmp_path / "1.jsonl").read_text("utf-8").splitlines()
    assert {json.loads(line)["id"] for line in lines} == set(pages)
    error = capsys.readouterr().err
    assert "skipped 3 files" in error
    assert "an image (1, as a.png)" in error
    for name, content in (("a.pdf", b"%PDF-1.7"), ("a.webarchive", b"bplist00")):
        save(folder / name, content)
    assert main([*command, str(tmp_path / "2.jsonl")]) == 1
    assert "a Safari archive or another property list (1, as a.webarchive)" in (
        capsys.readouterr().err
    )
    with pytest.raises(InputError, match="is a PDF"):
        create_input(folder / "a.pdf")


def test_one_row_for_each_url(tmp_path: Path) -> None:
    pytest.importorskip("warcio")
    folder = tmp_path / "in"
    folder.mkdir()
    pages_warc(folder / "a.warc", 2)
    save(folder / "b.html", LINKED.replace(URL, "http://www.site1.example/1#top"))
    command = ["batch", str(folder), "--extractor", "container", "-o"]
    for options, n_rows in (([], 3), (["--unique"], 2)):
        assert main([*command, str(tmp_path / f"out{n_rows}"), *options]) == 0
        assert len(rows_in(tmp_path / f"out{n_rows}")) == n_rows


# --- the programs themselves ---


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """The URL of a site with two articles."""
    folder = tmp_path / "site"
    save(folder / "index.html", "<html><a href='a/'>one</a> <a href='b.html?p=1'>two</a>")
    save(folder / "a/index.html", page(1))
    save(folder / "b.html", page(2))
    with serve_folder(folder) as url:
        yield url


def split_by_pzstd(url: str, folder: Path) -> list[str]:
    plain = warc(folder / "a.warc", [record(url, http(page(n).encode()), n) for n in range(9_000)])
    packed = folder / "a.warc.zst"
    subprocess.run(["pzstd", "-q", "-p", "2", plain, "-o", packed], check=True)
    plain.unlink()
    return [page(n) for n in range(9_000)]


def mirror_by_wget(url: str, folder: Path) -> list[str]:
    subprocess.run(["wget", "-q", "-r", "-k", "-P", folder, url], check=True)
    return [page(1), page(2)]


def mirror_by_httrack(url: str, folder: Path) -> list[str]:
    subprocess.run(["httrack", url, "-O", folder, "-q"], check=True, capture_output=True)
    return [page(1), page(2)]


@pytest.mark.parametrize("write", [split_by_pzstd, mirror_by_wget, mirror_by_httrack])
def test_files_of_the_program_itself(
    write: Callable[[str, Path], list[str]], site: str, tmp_path: Path
) -> None:
    program = write.__name__.rpartition("_")[2]
    if shutil.which(program) is None:
        pytest.skip(f"needs {program}")
    pytest.importorskip("warcio")
    pytest.importorskip("zstandard")
    (tmp_path / "in").mkdir()
    expected = write(site, tmp_path / "in")
    stored = pages_of(tmp_path / "in")
    assert [each.error for each in stored if each.error] == []
    titles = {each.decode().partition("<title>")[2].partition("<")[0] for each in stored}
    assert titles >= {html.partition("<title>")[2].partition("<")[0] for html in expected}
