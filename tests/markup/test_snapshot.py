"""What remains of styles: nothing that loads, hides, moves or covers."""

from __future__ import annotations

import pytest

from scrapy_boilerplate.markup.snapshot import clean_style, clean_style_sheets


@pytest.mark.parametrize(
    ("style", "remains"),
    [
        ("color: red; font-weight: bold", "color:red;font-weight:bold"),
        ("width: calc(100% - 20px)", "width:calc(100% - 20px)"),
        ("background: url(http://x/)", ""),
        ("background: URL( 'x' )", ""),
        (r"background: \75 rl(http://x/)", ""),
        ("background: image-set('http://x/' 1x)", ""),
        ("color: var(--x)", ""),
        ("--x: url(http://x/)", ""),
        ("width: expression(alert(1))", ""),
        ("position: fixed; top: 0", ""),
        ("display: none", ""),
        ("color: transparent", ""),
        ("margin-left: -9999px", ""),
        ("padding-bottom: 66.6%; margin: 56% 0 0; padding-top: calc(100% / 3)", ""),
        ("margin-left: 8%; padding-top: 2em", "margin-left:8%;padding-top:2em"),
        ("width: 99999px", ""),
        ("opacity: 0; transform: scale(0); visibility: hidden", ""),
        ("content: 'x'; cursor: none; animation: a 1s", ""),
        ("font-family: '</style><script>'", ""),
        ("", ""),
        ("}{;;:", ""),
    ],
)
def test_declarations(style: str, remains: str) -> None:
    assert clean_style(style) == remains


@pytest.mark.parametrize(
    ("sheet", "remains"),
    [
        ("p { color: red }", "p{color:red}"),
        ("@media screen { p { color: red } }", "@media screen{p{color:red}}"),
        ("@import 'http://x/a.css'; p { color: red }", "p{color:red}"),
        ("@font-face { font-family: x; src: url(http://x/) }", ""),
        ("@namespace svg url(http://x/); @charset 'utf-8';", ""),
        ("b-leaf { color: red } i B-LEAF { color: red }", ""),
        ("</style><script> { color: red }", ""),
        ("p { color: red", "p{color:red}"),
        ("p { background: url(x); color: red }", "p{color:red}"),
        ("<!-- p { color: red } -->", "p{color:red}"),
    ],
)
def test_sheets(sheet: str, remains: str) -> None:
    assert clean_style_sheets([sheet]) == remains
