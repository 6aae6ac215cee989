"""What each kind of element becomes."""

from html import escape

import pytest

from scrapy_boilerplate import extract
from tests.builders import sentences
from tests.markup.safety import render_markdown

pytest.importorskip("html_to_markdown")

URL = "https://news.example/a/b.html"


def write_body(body: str, url: str | None = URL, extractor: str = "keep-everything") -> str:
    extracted = extract(f"<html><body>{body}</body></html>", url, extractor).html
    assert extracted is not None
    return extracted.replace("\n", "")


SAME = [
    "<p>one <strong>two</strong> <em>three</em></p>",
    "<h2>one</h2><p>two</p>",
    '<ol start="3"><li>one</li></ol>',
    '<ol reversed=""><li value="7">one</li><li>two</li></ol>',
    '<pre><code class="language-bash">one  two</code></pre>',
    "<p>10<sup>6</sup></p>",
    '<p>one<sup><a href="#note-2">[2]</a></sup></p><ol><li id="note-2">two</li></ol>',
    "<ul><li>one<ol><li>two</li></ol></li><li>three</li></ul>",
    "<ul><li><p>one</p><p>two</p></li></ul>",
    "<dl><dt>one</dt><dd>two</dd></dl>",
    "<blockquote><p>one</p><p>two</p></blockquote>",
    "<table><tbody><tr><th>one</th><th>two</th></tr></tbody></table>",
    '<table><caption>one</caption><tbody><tr><td colspan="2">a</td><td>b</td></tr></tbody></table>',
    "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>",
    '<p>one <a href="https://a.example/x?y=1&amp;z=2#t">two</a></p>',
    '<p>one <a href="mailto:desk@news.example">two</a></p>',
    "<p>x<sup>2</sup> H<sub>2</sub>O <code>f(x)</code> <kbd>q</kbd> <q>r</q> <cite>s</cite></p>",
    "<p>one &lt; two &amp; three</p>",
    '<p>one <img src="https://news.example/x.png" alt="two"> three</p>',
]


@pytest.mark.parametrize("body", SAME)
def test_plain_structure_comes_out_as_it_went_in(body: str) -> None:
    assert write_body(body) == body


@pytest.mark.parametrize(
    ("body", "clean"),
    [
        ("<div>one</div>two", "<p>one</p><p>two</p>"),
        ("<p>one<br><br>two</p>", "<p>one</p><p>two</p>"),
        ("<p>a<br>\n&nbsp;<br/>b</p>", "<p>a</p><p>b</p>"),
        ("<b>a</b> <i>b</i>", "<p><strong>a</strong> <em>b</em></p>"),
        ("<p>a<b> b </b>c</p>", "<p>a <strong>b</strong> c</p>"),
        ("<p> a \n\t b </p>", "<p>a b</p>"),
        ("<p>a\x00\x0bb\ufffe</p>", "<p>a b</p>"),
        ("<b>a<div>b</div></b>", "<p><strong>a</strong></p><p><strong>b</strong></p>"),
        ("<i><em>a</em></i>", "<p><em>a</em></p>"),
        ("<pre>a\xa0&amp;lt; &amp; b</pre>", "<pre>a&nbsp;&amp;lt; &amp; b</pre>"),
        (
            "<s><u><q><sup><sub><del>a<br>b</del></sub></sup></q></u></s>",
            "<p><s><u><q><sup><sub>a</sub></sup></q></u></s><br>"
            "<s><u><q><sup><sub>b</sub></sup></q></u></s></p>",
        ),
        ("<h3>a<br>b</h3>", "<h3>a<br>b</h3>"),
        ("<pre>a\n  b<br>c</pre>", "<pre>a  bc</pre>"),
        ("<p>a</p><script>b</script><style>c</style><p>d</p>", "<p>a</p><p>d</p>"),
        ("<p class=x style=y onclick=z lang=en>a</p>", "<p>a</p>"),
        # links
        (
            "<p>a <a href='/é?b=1&c=<d>'>b</a>",
            '<p>a <a href="https://news.example/%C3%A9?b=1&amp;c=%3Cd%3E">b</a></p>',
        ),
        (
            "<a href=/x><h2>a</h2><p>b</p></a>",
            '<h2><a href="https://news.example/x">a</a></h2><p><a href="https://news.example/x">b</a></p>',
        ),
        ("<p>a <a href='javascript:x'>b</a></p>", "<p>a b</p>"),
        ("<p>a <a href='#x'>b</a></p>", "<p>a b</p>"),
        # lists
        (
            "<ul><li><p>a</p><ul><li>b</li></ul></li><li><p>c</p><img src=/d.jpg></li></ul>",
            "<ul><li>a<ul><li>b</li></ul></li><li><p>c</p><p>"
            '<img src="https://news.example/d.jpg" alt=""></p></li></ul>',
        ),
        ("<ul>a<li>b</ul>", "<ul><li>a</li><li>b</li></ul>"),
        ("<ul><ul><li>a</ul></ul>", "<ul><li><ul><li>a</li></ul></li></ul>"),
        ("<div><li>a</div>", "<p>a</p>"),
        ("<dl>a<dt>b</dl>", "<dl><dd>a</dd><dt>b</dt></dl>"),
        # tables, and those for layout
        (
            "<table>a<tr>b<td>c<td>d</table>",
            "<table><tbody><tr><td>a</td></tr><tr><td>b</td><td>c</td><td>d</td></tr></tbody></table>",
        ),
        ("<table><tr><td>a</table>", "<p>a</p>"),
        (
            "<table><tr><td>a<td><td>b<tr><td><td>c<td></table>",
            "<table><tbody><tr><td>a</td><td></td><td>b</td></tr>"
            "<tr><td></td><td>c</td><td></td></tr></tbody></table>",
        ),
        (
            "<table><tr><td>a<td><table><tr><td>b<td>c</table></table>",
            "<p>a</p><table><tbody><tr><td>b</td><td>c</td></tr></tbody></table>",
        ),
    ],
)
def test_becomes(body: str, clean: str) -> None:
    assert write_body(body) == clean


LEAD, END = sentences(60, "harbour"), sentences(60, "market")


def find_images(body: str) -> list[str]:
    """The URLs of the images of an article with `body` between two paragraphs."""
    html = write_body(f"<article><p>{LEAD}</p>{body}<p>{END}</p></article>", URL, "container")
    assert LEAD in html
    return [part.partition('"')[0] for part in html.split('src="')[1:]]


@pytest.mark.parametrize(
    ("image", "path"),
    [
        ("<img src=x.jpg>", "/a/x.jpg"),
        ("<img src='//news.example/x y.jpg'>", "/x%20y.jpg"),
        ("<img src=blank.gif data-src=/x.jpg>", "/x.jpg"),
        (
            '<img src=b.gif data-src=\'[{"w": 9, "url": "/x.jpg"}]\'>',
            "/x.jpg",
        ),
        ("<img srcset='/a.jpg 320w, /b.jpg 1024w, /c.jpg 640w'>", "/b.jpg"),
        ("<picture><source srcset='/a.webp 9w'><img alt=x></picture>", "/a.webp"),
        ("<img data-src=/x.jpg><noscript><img src=/x.jpg></noscript>", "/x.jpg"),
        ("<p><img src=/small.jpg><noscript><img src=/x.jpg></noscript></p>", "/x.jpg"),
        ("<img src=/spacer.gif data-hires=/x.jpg>", "/x.jpg"),
        ("<amp-img src=/x.jpg></amp-img>", "/x.jpg"),
        ("<figure><a href=/gallery><img src=/x.jpg></a></figure>", "/x.jpg"),
        ("<a href=/big.jpg><img src=/x.jpg></a>", "/x.jpg"),
        ("<figure><button><img src=/x.jpg></button></figure>", "/x.jpg"),
    ],
)
def test_images(image: str, path: str) -> None:
    assert find_images(image) == [f"https://news.example{path}"]


@pytest.mark.parametrize(
    "image",
    [
        *("<img src=/img/spacer.gif>", "<img src=/icons/mail.png>", "<img src=/static/arrow.svg>"),
        *("<img src=/x.gif width=1 height=1>", "<img src=/x.gif width=16px>", "<img alt=x>"),
        *("<img data-src=//video.example/embed/1>", "<img src='data:image/png;base64,R0'>"),
        "<button><img src=/x.jpg></button>",
        "<div class=author-card><img src=/ada.jpg></div>",
        "<a href=//shop.example/><img src=/banner.jpg></a>",
        "<div class=related><a href=/y><img src=/x.jpg>Snow in June</a></div>",
        "<aside class=teaser><div><img src=/x.jpg></div><a href=/y>Snow in June</a></aside>",
    ],
)
def test_images_that_are_not_of_the_article(image: str) -> None:
    assert find_images(image) == []


def test_figure_keeps_its_caption_though_text_has_none() -> None:
    figure = (
        "<figure><img src=/x.jpg alt='Wet street'><figcaption>A wet street</figcaption></figure>"
    )
    extracted = extract(f"<article><p>{LEAD}</p>{figure}<p>{END}</p></article>", URL)
    clean = figure.replace("src=/x.jpg alt='Wet street'", 'src="{}" alt="Wet street"')
    assert extracted.html is not None
    assert clean.format("https://news.example/x.jpg") in extracted.html.replace("\n", "")
    assert "A wet street" not in extracted.text


TEXT = f"<p>{LEAD}</p><p>{END}</p>"
IMAGE = '<img src="https://news.example/x.jpg" alt="">'
PICTURES = {
    "a box of picture and caption": (
        f"<p>{LEAD}</p><div class=image><img src=/x.jpg><p class=caption>A wet street</p></div>"
        f"<p>{END}</p>",
        f"<figure>{IMAGE}<figcaption>A wet street</figcaption></figure>",
    ),
    "between headline and text": (f"<figure><img src=/x.jpg></figure>{TEXT}", IMAGE),
    "beside the container of the text": (
        f"<div><div><img src=/x.jpg></div><p>Ada Pell / The Paper</p></div><div>{TEXT}</div>",
        IMAGE,
    ),
}


@pytest.mark.parametrize(("body", "clean"), PICTURES.values(), ids=PICTURES)
def test_pictures_of_the_article(body: str, clean: str) -> None:
    html = write_body(f"<main><h1>Rain in May</h1>{body}</main>", extractor="container")
    assert clean in html


def test_picture_after_the_text_belongs_to_it_in_a_figure_only() -> None:
    boxes = "".join(
        f"<div><{tag}><img src=/{tag}.jpg></{tag}>Paper</div>" for tag in ("figure", "b")
    )
    page = f"<main><h1>Rain in May</h1><div>{TEXT}</div>{boxes}</main>"
    html = write_body(page, extractor="container")
    assert ("/figure.jpg" in html, "/b.jpg" in html) == (True, False)


@pytest.mark.parametrize(
    ("embed", "link"),
    [
        ("<iframe src=//video.example/e title='A film'></iframe>", "A film"),
        ("<iframe data-src=https://video.example/e></iframe>", "https://video.example/e"),
        ("<video><source src=https://video.example/e></video>", "https://video.example/e"),
        ("<object data=https://video.example/e></object>", "https://video.example/e"),
        ("<amp-iframe src=https://video.example/e></amp-iframe>", "https://video.example/e"),
    ],
)
def test_embeds_are_links(embed: str, link: str) -> None:
    html = write_body(f"<article><p>{LEAD}</p>{embed}<p>{END}</p></article>", extractor="container")
    assert f'<p><a href="https://video.example/e">{link}</a></p>' in html


@pytest.mark.parametrize("query", ["a=1&b=2", "a=1&copy=2", "a=1&copy;=2", "a=1&#38;b", "a&amp;b"])
def test_a_url_is_the_same_when_markdown_is_rendered(query: str) -> None:
    href = escape(f"https://news.example/x?{query}")
    body = f'<p>one <a href="{href}">two</a></p>'
    markdown = extract(body, URL, "keep-everything").markdown
    assert markdown is not None
    assert f'href="{href}"' in render_markdown(markdown)


STANDFIRST = "The mayor says that the bridge will be open again before the end of summer"


@pytest.mark.parametrize(
    ("heading", "tag"),
    [(STANDFIRST, "p"), ("The bridge opens in May.", "p"), ("What we know", "h2")],
)
def test_a_sentence_above_the_text_is_no_heading(heading: str, tag: str) -> None:
    body = f"<h2>{heading}</h2><p>one</p><h2>{STANDFIRST}</h2><p>two</p>"
    clean = f"<{tag}>{heading}</{tag}><p>one</p><h2>{STANDFIRST}</h2><p>two</p>"
    assert write_body(body) == clean
