"""Methods that read a page as a sequence of tags and words: BTE, MSS, CCB, DSC and ADSC."""

import pytest

from tests.systems.pages import content_of, links, paragraph, words


@pytest.mark.parametrize(
    ("extractor", "before", "between", "least"),
    [
        ("bte", "", "<div>" * 8, 11),  # </p>, eight <div> and <p>
        ("mss", "<div>", "</div><div>", 14),  # </p></div><div><p>, a tag costs 3.25 words
    ],
)
def test_a_gap_costs_words_for_each_tag(
    extractor: str, before: str, between: str, least: int
) -> None:
    for count, expected in [(least - 1, ["first"]), (least, ["first", "second"])]:
        html = before + paragraph(30, "first") + between + paragraph(count, "second")
        texts = content_of(extractor, links(5) + html + "</div>" * 8 + links(5))
        assert [text.split()[0] for text in texts] == expected


def test_a_block_is_content_by_the_larger_part_of_its_words() -> None:
    markup = "<i>a</i><i>b</i><i>c</i> "  # three words that cost six tags
    kept = content_of("bte", links(3) + f"<p>{markup}{words(3)}</p>")
    assert kept == ["abc word word word"]
    lost = content_of("bte", f"<p>{markup}one</p><p>{words(9)}</p>")
    assert lost == [words(9)]


def test_blurring_keeps_long_text_and_single_words_fade() -> None:
    html = links(20) + "<p>Lonely</p>" + links(20) + paragraph(120) + links(20)
    assert content_of("ccb", html) == [words(120)]


def test_the_threshold_of_blurring_is_the_share_of_text() -> None:
    for plain_words, kept in [
        (4, False),  # with the bold one five words to two tags: .71
        (6, True),  # seven to two: .78
    ]:
        html = "<p>" + f"{words(plain_words)} <b>bold</b> " * 40 + "</p>"
        assert bool(content_of("ccb", html)) == kept


def test_dsc_keeps_the_longest_section_and_adsc_all() -> None:
    html = links(10) + paragraph(40, "first") + links(10) + paragraph(30, "second") + links(10)
    assert content_of("dsc", html) == [words(40, "first")]
    assert content_of("adsc", html) == [words(40, "first"), words(30, "second")]
