"""Hostile pages: what tries to run in a reader's browser does not come out, the article does.

The rows take up the ideas of the OWASP XSS filter evasion cheat sheet, written anew.
"""

from __future__ import annotations

import pytest

from scrapy_boilerplate.extraction import extract
from tests.builders import document, sentences
from tests.markup.safety import check_html, check_markdown, find_elements

pytest.importorskip("nh3")

RUN = "alert(document.domain)"
TAB, LINE, RETURN, NUL = "\t", "\n", "\r", "\x00"
BEFORE, AFTER = sentences(40, "harbour"), sentences(40, "market")

ELEMENTS = [
    f"<script>{RUN}</script>",
    f"<script>/*<p>*/{RUN}</script>",
    f"<template><img src=/a.png onerror={RUN}></template>",
    f"<style>@import 'javascript:{RUN}';</style>",
    f"<meta http-equiv=refresh content='0;url=javascript:{RUN}'>",
    f"<iframe src='javascript:{RUN}'></iframe>",
    f"<object data='javascript:{RUN}'></object>",
    f"<svg><a xlink:href='javascript:{RUN}'><text>press</text></a></svg>",
    f"<math><mtext><table><mglyph><style><img src=x onerror={RUN}></style></table></math>",
    f"<title><img src=x onerror={RUN}></title>",
    f"<form action='javascript:{RUN}'><input type=submit formaction='javascript:{RUN}'></form>",
    f"<video poster='javascript:{RUN}'><source onerror={RUN} src='javascript:{RUN}'></video>",
    f"<table background='javascript:{RUN}'><tr><td background='javascript:{RUN}'>cell</table>",
    f"<custom-element onclick={RUN}>mine</custom-element>",
]

ATTRIBUTES = [
    f"onclick={RUN}",
    f"x='\"><script>{RUN}</script>'",
    f"style='width:expression({RUN})'",
    f"srcdoc='<script>{RUN}</script>'",
    f"xmlns:on='x' on:click={RUN}",
]

SCHEMES = [
    f"javascript:{RUN}",
    f"java{LINE}script:{RUN}",
    f"\x01\x1fjavascript:{RUN}",
    f"javascript&#58;{RUN}",
    f"&#x6A&#x61&#x76&#x61&#x73&#x63&#x72&#x69&#x70&#x74&#x3A{RUN}",
    f"javascript&amp;colon;{RUN}",
    f"javascript://bad.example/%0A{RUN}",
    f"data:text/html,<script>{RUN}</script>",
    f"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='{RUN}'/>",
    "intent://bad.example/#Intent;scheme=http;end",
    f"javascript\u2029:{RUN}",
    f"http://a.example/)[x](javascript:{RUN})",
    f"http://a.example/`<img src=x onerror={RUN}>`",
]

WORDS = [
    f"&lt;script&gt;{RUN}&lt;/script&gt;",
    f"![press](javascript:{RUN})",
    f"[press][x] <br><br>[x]: javascript:{RUN}",
    f"&#92;[press](javascript:{RUN})",
    f"<code>``` &lt;script&gt;{RUN}&lt;/script&gt;</code>",
    f"<br>&lt;script&gt;{RUN}&lt;/script&gt;<br>&lt;/script&gt;",
    f"<img src=/a.png alt='](javascript:{RUN})'>",
    f"| x | <br>| --- | <br>| &lt;script&gt;{RUN}&lt;/script&gt; |",
    f"&lt;!-- --&gt;&lt;script&gt;{RUN}&lt;/script&gt;",
]

PREFORMATTED = [
    f"<pre>```\n&lt;script&gt;{RUN}&lt;/script&gt;\n```</pre>",
    f"<table><tr><td>one</td><td><pre>`\n|&lt;script&gt;{RUN}&lt;/script&gt;</pre></td></tr></table>",
    f"<ul><li><pre>``` \n&lt;script&gt;{RUN}&lt;/script&gt;</pre></li></ul>",
    f"<table><tr><th><img src=/c.png alt='&lt;script&gt;{RUN}'></th><td>two</td></tr></table>",
    f"<iframe src=https://a.example/e title='&lt;script&gt;{RUN}&lt;/script&gt;'></iframe>",
    f"<iframe src=https://a.example/f title='](javascript:{RUN})'></iframe>",
]

INSIDE = {
    "an element": ELEMENTS,
    "an attribute": [f"<p {written}>words</p><a href=/x {written}>x</a>" for written in ATTRIBUTES],
    "a link": [f'<p>See <a href="{written}">this</a> now.</p>' for written in SCHEMES],
    "an image": [f'<p>See <img src="{written}"> now.</p>' for written in SCHEMES],
    "a lazy image": [f'<p>See <img data-src="{written}"> now.</p>' for written in SCHEMES],
    "a set of images": [f'<p>See <img srcset="{written} 2x"> now.</p>' for written in SCHEMES],
    "an embed": [f'<iframe src="{written}"></iframe>' for written in SCHEMES],
    "words": [f"<p>{written}</p>" for written in WORDS],
    "preformatted words": PREFORMATTED,
}
ROWS = [
    pytest.param(row, id=f"{kind} {n}") for kind in INSIDE for n, row in enumerate(INSIDE[kind])
]
URLS = pytest.mark.parametrize("url", ["https://news.example/a", None], ids=["address", "none"])


@URLS
@pytest.mark.parametrize("hostile", ROWS)
def test_nothing_executable_comes_out(hostile: str, url: str | None) -> None:
    html = document(f"<article><p>{BEFORE}</p>{hostile}<p>{AFTER}</p></article>")
    extracted = extract(html, url, "keep-everything")
    assert extracted.html is not None
    assert extracted.markdown is not None
    check_html(extracted.html)
    check_markdown(extracted.markdown)
    assert BEFORE in extracted.html
    assert BEFORE.split()[-1] in extracted.markdown


@pytest.mark.parametrize("written", SCHEMES)
def test_hostile_base_is_no_base(written: str) -> None:
    html = f'<head><base href="{written}"></head><p>{BEFORE} <a href="x">x</a></p>'
    extracted = extract(html, "https://news.example/a/b", "keep-everything")
    assert extracted.html is not None
    check_html(extracted.html)
    links = [element.get("href") for element in find_elements(extracted.html) if element.tag == "a"]
    assert all(link and link.startswith(("https://news.example/", "http://")) for link in links)


@pytest.mark.parametrize("written", SCHEMES)
def test_hostile_address_of_the_page_itself(written: str) -> None:
    extracted = extract(f'<p>{BEFORE} <a href="x">x</a></p>', written, "keep-everything")
    assert extracted.html is not None
    check_html(extracted.html)


@pytest.mark.parametrize("field", ["title", "h1", "figcaption", "li", "blockquote", "h2", "td"])
def test_words_of_every_place_stay_words(field: str) -> None:
    hostile = f"&lt;script&gt;{RUN}&lt;/script&gt;"
    html = f"<article><{field}>{hostile}</{field}><p>{BEFORE}</p><p>{AFTER}</p></article>"
    extracted = extract(html, extractor="keep-everything")
    assert extracted.html is not None
    assert extracted.markdown is not None
    check_html(extracted.html)
    check_markdown(extracted.markdown)
