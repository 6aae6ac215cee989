"""The tree filter: paragraphs stay if they share the n-th ancestor that holds most text."""

from dataclasses import replace

from tests.builders import all_content, filler, page_of, step_of, true_at, with_content

FILTER = step_of("grandparent", "grandparent-filter")

# Blocks 0 to 3. Ancestors of 3: div, article, section, div, body; of 2: section, div, body.
TREE = f"""
<body>
 <div><p>{filler(5)}</p></div>
 <div>
  <p>{filler(9)}</p>
  <section>
   <p>{filler(20)}</p>
   <article><div><p>{filler(30)}</p></div></article>
  </section>
 </div>
</body>
"""


def test_depth() -> None:
    for depth, kept in [
        (1, [3]),  # father: each is a group
        (2, [3]),  # grandfather: article against div and body
        (3, [3]),  # section against body and root
        (4, [0, 1, 2]),  # div of 3 against root of the others
        (5, [0, 1, 2]),  # body of 3 against root of the others
        (6, [0, 1, 2, 3]),  # all at the root
    ]:
        page = page_of(TREE)
        assert true_at(replace(FILTER, depth=depth)(page, all_content(page)).content) == kept


def test_groups() -> None:
    for body, depth, kept in [
        ("<div><p>one</p><p>two</p></div><div>x</div>", 1, [0, 1]),
        # a quote is no paragraph: its div is
        ("<div><blockquote>one</blockquote><p>seven</p></div><div>x</div>", 1, [1]),
        ("<div><p>a b c</p></div><div><p>abcdefg</p></div>", 1, [1]),
        ("<div><p>aa</p></div><div><p>bb</p></div>", 1, [0]),
    ]:
        page = page_of(f"<body>{body}</body>")
        assert true_at(replace(FILTER, depth=depth)(page, all_content(page)).content) == kept


def test_groups_weigh_content_only_and_never_add_to_it() -> None:
    page = page_of(f"<div><p>a</p><p>{filler(50)}</p></div><div><p>bb</p></div>")
    filtered = replace(FILTER, depth=1)(page, with_content(page, 0, 2))
    assert true_at(filtered.content) == [2]
