"""Images, videos, links and tables of an article."""

import json
import pickle
from typing import Any

import pytest

from scrapy_boilerplate import Document, extract
from scrapy_boilerplate.joining import extract_pages
from scrapy_boilerplate.workers.worker import dump_document, load_document
from tests.builders import sentences

URL = "https://news.example/a/b.html"
FIELDS = ("images", "videos", "links", "tables", "comment_list")


def read(body: str, url: str = URL) -> Document:
    """The document of an article with `body` between two paragraphs."""
    lead, end = sentences(60, "harbour"), sentences(60, "market")
    page = f"<article><h1>Rain in May</h1><p>{lead}</p>{body}<p>{end}</p></article>"
    return extract(page, url, "keep-everything")


def build_figure(caption: str) -> str:
    return f"<figure><img src=x.jpg alt=Rain><figcaption>{caption}</figcaption></figure>"


@pytest.mark.parametrize(
    ("caption", "expected"),
    [
        ("A wet street", ("A wet street", None)),
        (
            "A wet street. <span class=credit>Photo: A. Berg/AP</span>",
            ("A wet street.", "A. Berg/AP"),
        ),
        ("<p>A wet street<p class=photo-credit>A. Berg", ("A wet street", "A. Berg")),
        ("A wet street. <a class=credit href=/p>A. Berg</a>", ("A wet street.", "A. Berg")),
        ("A wet street (Foto: dpa)", ("A wet street", "dpa")),
        ("A wet street. Photograph by A. Berg", ("A wet street.", "A. Berg")),
        ("A wet street &copy; Paper", ("A wet street", "Paper")),
        (
            "The source of the river: a photo of 1908",
            ("The source of the river: a photo of 1908", None),
        ),
        ("<span class=caption-credit__caption>A wet street</span>", ("A wet street", None)),
    ],
)
def test_captions_and_credits(caption: str, expected: tuple[str, str | None]) -> None:
    document = read(build_figure(caption))
    url = "https://news.example/a/x.jpg"
    image = {"url": url, "caption": expected[0], "credit": expected[1], "alt": "Rain"}
    assert document.images == (image,)
    assert "b-credit" not in (document.html or "")


def test_of_equal_pictures_the_one_with_a_caption_is_kept() -> None:
    thumbnail = "<figure><img src=x.jpg></figure>"
    for body in (
        thumbnail + build_figure("A wet street"),
        build_figure("A wet street") + thumbnail,
    ):
        assert [image["caption"] for image in read(body).images or ()] == ["A wet street"]


def test_galleries_of_wordpress() -> None:
    picture = "<div class=gallery-icon><a href=/attachment><img src={}.jpg></a></div>"
    figures = (f"<figure class=gallery-item>{picture.format(name)}</figure>" for name in "cd")
    images = read(f"<div class=gallery>{''.join(figures)}</div>").images or ()
    assert [image["url"][-5:] for image in images] == ["c.jpg", "d.jpg"]


@pytest.mark.parametrize(
    ("embed", "video"),
    [
        ("<iframe src=//www.youtube-nocookie.com/embed/x title=Fog>", ("youtube", "Fog")),
        ("<iframe data-src=https://player.vimeo.com/video/1>", ("vimeo", None)),
        (
            "<iframe data-consent-url=https://www.dailymotion.com/embed/video/x>",
            ("dailymotion", None),
        ),
        ("<video><source src=/film.mp4></video>", ("news.example", None)),
        ("<amp-youtube data-videoid=x_1></amp-youtube>", ("youtube", None)),
        ("<iframe src=https://www.facebook.com/plugins/video.php?href=x>", ("facebook", None)),
        ("<iframe src=https://www.facebook.com/plugins/post.php?href=x>", None),
        ("<iframe src=https://open.spotify.com/embed/player/x>", None),
        ("<audio src=/video.mp3></audio>", None),
        ("<amp-youtube data-videoid='x/../y'></amp-youtube>", None),
    ],
)
def test_videos(embed: str, video: tuple[str, str | None] | None) -> None:
    document = read(f"{embed}</iframe>" if "<iframe" in embed else embed)
    found = [(each["provider"], each["title"]) for each in document.videos or ()]
    assert found == ([video] if video else [])
    assert document.links == ()


def test_links_and_their_text() -> None:
    body = (
        "<p>A <a href=c?d=1>link <b>of</b><br>lines</a>, <a href=mailto:a@news.example>mail</a>, "
        "<a href=#x>place</a>, <a href=javascript:x>none</a>, <a href=c?d=1>link of lines</a>"
    )
    assert read(body).links == (
        {"url": "https://news.example/a/c?d=1", "text": "link of lines"},
        {"url": "mailto:a@news.example", "text": "mail"},
    )


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        ("<tr><th>a<th>b<tr><td>1<td>", [["a", "b"], ["1", ""]]),
        ("<tr><td colspan=2>a<td>b<tr><td>1<td>2<td>3", [["a", "", "b"], ["1", "2", "3"]]),
        ("<tr><td rowspan=2>a<td>b<tr><td>c<tr><td>d<td>e", [["a", "b"], ["", "c"], ["d", "e"]]),
        ("<tr><td>a<td rowspan=2>b<tr><td>c", [["a", "b"], ["c", ""]]),
        ("<thead><tr><th>a<th><b>b</b><br>c</thead><tr><td>1<td>2", [["a", "b c"], ["1", "2"]]),
    ],
)
def test_rows_of_tables(table: str, rows: list[list[str]]) -> None:
    document = read(f"<table><caption>Fares</caption>{table}</table>")
    assert document.tables == ({"caption": "Fares", "rows": rows},)


def test_spans_of_a_table_are_limited() -> None:
    cells = "<td rowspan=900 colspan=900>a<td>b"
    [table] = read(f"<table>{f'<tr>{cells}' * 100}</table>").tables or ()
    assert sum(map(len, table["rows"])) == 200


EVERYTHING = (
    f"{build_figure('A wet street')}<iframe src=https://youtu.be/x></iframe>"
    "<table><tr><td>a<td>b</table><p><a href=/c>harbour</a></p>"
)


def test_parts_go_where_documents_go() -> None:
    document = read(EVERYTHING)
    values = document.to_dict(FIELDS)
    assert all(values[name] for name in FIELDS if name != "comment_list")
    assert pickle.loads(pickle.dumps(document)).to_dict(FIELDS) == values  # noqa: S301 - our own bytes
    sent = json.loads(json.dumps(dump_document(document, FIELDS)))
    assert load_document(sent).to_dict(FIELDS) == values
    assert Document(text="a").images is None


def test_parts_of_several_pages() -> None:
    lines = (sentences(60, word) for word in ("harbour", "market", "bridge", "garden"))
    first, second, third, fourth = (f"<p>{line}</p>" for line in lines)
    pages = [
        f"<article><h1>Rain</h1>{first}{EVERYTHING}{second}</article>",
        f"<article><h1>Rain</h1>{third}{EVERYTHING}<p><a href=/d>bridge</a></p>{fourth}</article>",
    ]
    document: Any = extract_pages(pages, [URL, f"{URL}?page=2"], "keep-everything")
    assert [len(getattr(document, name)) for name in FIELDS] == [1, 1, 2, 1, 0]


@pytest.mark.parametrize(
    ("head", "path"),
    [
        ("<meta property=og:image content=/card.jpg>", "/card.jpg"),
        ("<meta property=og:image content=/img/news-logo-square.png>", "/a/x.jpg"),
        ("<meta property=og:image content=/img/railway-logo.png>", "/img/railway-logo.png"),
        ("<meta property=og:image content=/default.jpg?v=1>", "/a/x.jpg"),
        ("", "/a/x.jpg"),
    ],
)
def test_main_image(head: str, path: str) -> None:
    assert read(f"{head}{build_figure('A wet street')}").main_image == f"https://news.example{path}"
