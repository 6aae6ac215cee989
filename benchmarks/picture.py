"""``python -m benchmarks.picture``: plots a page of the example site.

Writes ``docs/news.png``: a bar for each block, its score for full text in the colour of its label.
Takes some seconds.
"""

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot as plt

from scrapy_boilerplate import extract
from scrapy_boilerplate.page.labels import Label

PAGE = Path("example_project/site/gazette/orchard-frost.html")
OUT = Path("docs/news.png")
# Tol's vibrant palette, for colour-blind readers too
COLOURS = {
    Label.BOILERPLATE: "#bbbbbb",
    Label.HEADLINE: "#cc3311",
    Label.FULL_TEXT: "#0077bb",
    Label.SUPPLEMENTAL: "#ee7733",
    Label.RELATED: "#009988",
    Label.COMMENTS: "#aa4499",
}


def main() -> None:
    document = extract(PAGE.read_bytes())
    if document.labelled is None:
        raise SystemExit(f"{PAGE} gave no blocks")
    page, labeling = document.labelled
    figure, axes = plt.subplots(figsize=(11, 4.5))
    scores = labeling.scores[:, Label.FULL_TEXT]
    for label in Label:
        blocks = [block for block in range(len(page)) if labeling.labels[block] == label]
        heights = [max(float(scores[block]), 0.015) for block in blocks]
        if not blocks:
            continue
        name = label.text.replace("_", " ")
        axes.bar(blocks, heights, width=0.85, color=COLOURS[label], label=name)
    axes.set_xlabel("blocks of one page of the example site, in order")
    axes.set_ylabel("score for full text")
    axes.set_ylim(0, 1.02)
    axes.legend(loc="upper right", frameon=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.tight_layout()
    figure.savefig(OUT, dpi=110)


if __name__ == "__main__":
    main()
