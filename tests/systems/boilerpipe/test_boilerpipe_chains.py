"""The chains of boilerpipe 1.2 against its port boilerpy3, on pages of our own making."""

from collections.abc import Callable
from random import Random

import pytest

from tests.builders import content_texts, document, filler, page_of, paragraph

boilerpy3 = pytest.importorskip("boilerpy3.extractors")

TITLE = "Heavy rain in the north | The Daily"
SIZES = (1, 2, 4, 5, 7, 8, 9, 12, 15, 16, 17, 19, 20, 30, 40, 59, 60)
PARTS: tuple[tuple[int, Callable[[int], str]], ...] = (
    # weight, and the part of a size
    (1, lambda size: f"<h1>Heavy rain in the north{'' if size % 2 else ' again'}</h1>"),
    (5, lambda size: f"<p>{filler(size, f'w{size}')}</p>"),
    (2, lambda size: f"<p>{filler(size, f's{size}')}.</p>"),
    (1, lambda size: f"<div>{filler(2 * size, f'x{size}')}</div>"),
    (2, lambda size: paragraph((size, size // 2))),
    (3, lambda size: f"<ul><li><a href=/{size}>{filler(size % 7 + 1)}</a></li></ul>"),
    (1, lambda size: f"<p>{size} comments</p>"),
    (1, lambda size: f"<p>{filler(3 * size, f'y{size}')}<br>{filler(size)}</p>"),
)


def make_page(seed: int) -> str:
    """A page of 3 to 25 parts, the same for the same seed."""
    choose = Random(seed)  # noqa: S311 - not for secrets
    weights, builders = zip(*PARTS, strict=True)
    parts = choose.choices(builders, weights, k=choose.randint(3, 25))
    return document("".join(part(choose.choice(SIZES)) for part in parts), title=TITLE)


@pytest.mark.parametrize(
    ("extractor", "theirs"),
    [
        ("boilerpipe-article", "ArticleExtractor"),
        ("boilerpipe-default", "DefaultExtractor"),
        ("largest-content", "LargestContentExtractor"),
        ("boilerpipe-article-sentences", "ArticleSentencesExtractor"),
    ],
)
def test_same_text_as_boilerpy3(extractor: str, theirs: str) -> None:
    peer, with_text = getattr(boilerpy3, theirs)(), 0
    for seed in range(150):
        html = make_page(seed)
        expected = peer.get_content(html).split()
        assert " ".join(content_texts(extractor, page_of(html))).split() == expected, seed
        with_text += bool(expected)
    assert with_text > 75
