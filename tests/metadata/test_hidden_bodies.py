"""Bodies of articles that a page declares and does not show."""

import pytest

from scrapy_boilerplate import extract
from tests.builders import filler
from tests.metadata.pages import URL, write_article

DECLARED = {
    # what the page shows, words of the text that it declares, whether that is the text
    "nothing": ("", 5, True),
    "a menu": ("<nav><a href=/x>home</a></nav>", 5, True),
    "a line": (f"<h1>A b</h1><p>{filler(12)}.</p>", 60, True),
    "a paragraph": (f"<h1>A b</h1><p>{filler(40)}.</p>", 200, False),
}


@pytest.mark.parametrize(("shown", "n_words", "is_text"), DECLARED.values(), ids=DECLARED)
def test_a_declared_text_is_the_last_resort(shown: str, n_words: int, is_text: bool) -> None:
    body = filler(n_words, "declared")
    extracted = extract(write_article(articleBody=body) + shown, URL)
    assert (extracted.text == body, extracted.html == f"<p>{body}</p>") == (is_text, is_text)
    assert extracted.evidence.get("text") == ("json-ld" if is_text else None)


def test_a_page_that_only_declares_its_text_has_its_paragraphs() -> None:
    extracted = extract(
        write_article(articleBody="One <b>bold</b> & plain line.\nAnother line."), URL
    )
    assert extracted.text == "One <b>bold</b> & plain line.\n\nAnother line."
    html = "<p>One &lt;b&gt;bold&lt;/b&gt; &amp; plain line.</p>\n<p>Another line.</p>"
    assert extracted.html == html
    assert extracted.markdown == "One \\<b>bold\\</b> \\& plain line.\n\nAnother line."
