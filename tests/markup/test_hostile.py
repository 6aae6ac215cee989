"""Hostile pages: what tries to run in a reader's browser does not come out, the article does.

The rows take up the ideas of the OWASP XSS filter evasion cheat sheet, written anew.
"""

import pytest

from scrapy_boilerplate import Document, extract
from tests.builders import document, sentences
from tests.markup.safety import check_html, check_markdown, find_elements

pytest.importorskip("html_to_markdown")

RUN = "alert(document.domain)"
BEFORE, AFTER = sentences(40, "harbour"), sentences(40, "market")

ELEMENTS = [
    f"<title>&lt;script&gt;{RUN}&lt;/script&gt;</title>",
    f"<script>{RUN}</script>",
    f"<template><img src=/a.png onerror={RUN}></template>",
    f"<style>@import 'javascript:{RUN}';</style>",
    f"<meta http-equiv=refresh content='0;url=javascript:{RUN}'>",
    f"<iframe src='javascript:{RUN}'></iframe>",
    f"<svg><a xlink:href='javascript:{RUN}'><text>press</text></a></svg>",
    f"<math><mtext><table><mglyph><style><img src=x onerror={RUN}></style></table></math>",
    f"<video poster='javascript:{RUN}'><source onerror={RUN} src='javascript:{RUN}'></video>",
    f"<table background='javascript:{RUN}'><tr><td background='javascript:{RUN}'>cell</table>",
    f"<p onclick={RUN}>words</p>",
    f"<a href=/x x='\"><script>{RUN}</script>'>x</a>",
    f"<a href=/x srcdoc='<script>{RUN}</script>' xmlns:on='x' on:click={RUN}>x</a>",
]

SCHEMES = [
    f"javascript:{RUN}",
    f"java\nscript:{RUN}",
    f"\x01\x1fjavascript:{RUN}",
    f"&#x6A&#x61&#x76&#x61&#x73&#x63&#x72&#x69&#x70&#x74&#x3A{RUN}",
    f"javascript&amp;colon;{RUN}",
    f"data:text/html,<script>{RUN}</script>",
    "intent://bad.example/#Intent;scheme=http;end",
    f"javascript\u2029:{RUN}",
    f"http://a.example/)[x](javascript:{RUN})",
    f"http://a.example/`<img src=x onerror={RUN}>`",
]

WORDS = [
    f"&lt;script&gt;{RUN}&lt;/script&gt;",
    f"![press](javascript:{RUN})",
    f"[press][x] <br><br>[x]: javascript:{RUN}",
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
]

URL = "https://news.example/a/b"


def check_extracted(html: str, url: str | None) -> Document:
    """The document of a page whose markup is safe."""
    extracted = extract(html, url, "keep-everything")
    assert extracted.html is not None
    assert extracted.markdown is not None
    check_html(extracted.html)
    check_markdown(extracted.markdown)
    assert BEFORE in extracted.html
    assert BEFORE.split()[-1] in extracted.markdown
    return extracted


@pytest.mark.parametrize("hostile", [*ELEMENTS, *PREFORMATTED])
def test_elements(hostile: str) -> None:
    html = document(f"<article><p>{BEFORE}</p>{hostile}<p>{AFTER}</p></article>")
    for url in (URL, None):
        check_extracted(html, url)


@pytest.mark.parametrize("hostile", SCHEMES)
def test_urls(hostile: str) -> None:
    elements = (
        *(
            f'<p>See <a href="{hostile}">this</a> now.</p>',
            f'<p>See <img src="{hostile}"> now.</p>',
        ),
        *(f'<p>See <img data-src="{hostile}"> now.</p>', f'<iframe src="{hostile}"></iframe>'),
        f'<p>See <img srcset="{hostile} 2x"> now.</p>',
    )
    for url in (URL, None, hostile):
        check_extracted(f"<p>{BEFORE} <a href=x>x</a></p>{''.join(elements)}<p>{AFTER}", url)
    base = f'<head><base href="{hostile}"></head><p>{BEFORE} <a href="x">x</a></p>'
    extracted = check_extracted(base, URL)
    links = [each.get("href") for each in find_elements(extracted.html or "") if each.tag == "a"]
    assert all(link and link.startswith(("https://news.example/", "http://")) for link in links)


@pytest.mark.parametrize("hostile", WORDS)
def test_words(hostile: str) -> None:
    for tag in ("p", "h1", "h2", "figcaption", "li", "blockquote", "td"):
        check_extracted(f"<article><p>{BEFORE}</p><{tag}>{hostile}</{tag}><p>{AFTER}", URL)
