import pytest

from scrapy_boilerplate.systems.tag_ratios.text_density import ElementCounts
from tests.builders import page_of
from tests.systems.pages import content_of, links, paragraph, words


def test_simple_density_leaves_links_out() -> None:
    page = page_of(
        "<html><head><title>No text</title></head><body><div><p>ten chars!<script>x</script></p>"
        "<p>five5 <a>link</a> ten<b> chars!</b></p></div><ul><li><a>one</a></li></ul></body></html>"
    )
    density = ElementCounts(page).simple_density[[4, 6, 7]].tolist()  # of p, p and its a
    assert density == [10, 14 / 2, 0]


@pytest.mark.parametrize("extractor", ["cetd", "text-density"])
def test_article_among_links(extractor: str) -> None:
    article = "<div>" + paragraph(60, "a") + paragraph(40, "b") + "<h2>Heading</h2></div>"
    kept = content_of(extractor, links(10) + article + links(20))
    assert kept == [words(60, "a"), words(40, "b"), "Heading"]


def test_links_of_a_second_root_stay_in_it() -> None:
    """libxml2 makes elements after ``</html>`` another root."""
    elements = ElementCounts(page_of("<meta></html><a>n</a><p>m</p>"))
    assert elements.elements.tags == ["html", "head", "html", "body", "a", "p"]
    assert list(elements.link_tag_counts) == [0, 0, 1, 1, 0, 0]
