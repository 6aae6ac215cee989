"""``python -m tests.native.fuzz``: random pages and trees, natively and in Python.

``make fuzz-native`` runs it with modules that AddressSanitizer watches. Each input
depends only on its number: ``--first N --runs 1`` repeats it.
"""

import argparse
import logging
import sys
import warnings
from collections.abc import Sequence
from functools import cache
from random import Random

import numpy as np
from lxml import etree

from scrapy_boilerplate import extract, native
from scrapy_boilerplate.news.features import compute_features
from scrapy_boilerplate.page.blocks import AtomicBlocks, TextNodes
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.page.reading import read_tree
from scrapy_boilerplate.page.text import collapse, count_words
from scrapy_boilerplate.site import fingerprints
from tests.fuzz.mutations import mutate
from tests.fuzz.seeds import OWN
from tests.native import test_net as nets
from tests.native.test_walk import PAGES, build_roots, build_tree, check_parts, check_tree
from tests.news.test_features import WEIGHTS
from tests.news_models import random_net

# Of so many inputs one is a tree made by functions of lxml.
TREES = 4
# Of so many inputs one is compared with Python; the others only run native code.
COMPARED = 50
# Bytes of a page before it is changed.
LONGEST = 4_000


@cache
def seeds() -> Sequence[bytes]:
    return [page.encode("utf-8", "replace")[:LONGEST] for page in (*OWN, *PAGES.values())]


def build_input(seed: int) -> tuple[etree._Element, Random]:
    """Return the tree with this number, and what chooses parts of it."""
    random = Random(seed)  # noqa: S311 - no secret
    if seed % TREES == 0:
        root = random.choice(list(build_roots()))
        return build_tree(random, root, random.randrange(90)), random
    data = mutate(b"\0" + random.choice(seeds()), random.choice(seeds()), random)
    return parse_html(data[1:]), random


def check_input(seed: int) -> None:
    root, random = build_input(seed)
    extract(root)
    if seed % COMPARED:
        return
    is_native = check_tree(root)
    if seed % TREES and not is_native:
        raise AssertionError("a parsed page is left to Python")
    check_texts(root)
    check_scores(random)
    check_parts(root, random)


def check_texts(root: etree._Element) -> None:
    page = read_tree(root)
    for segment in (AtomicBlocks(), TextNodes()):
        segmented = segment(page)
        assert list(map(collapse, segmented.texts)) == segmented.texts
        assert segmented.words.tolist() == list(map(count_words, segmented.texts))
        assert np.isfinite(compute_features(segmented, WEIGHTS).rows).all()
        for lines in (segmented.texts, [" ".join(segmented.texts)]):
            digest = fingerprints._digest_lines(lines, 9, 4)
            assert digest == fingerprints._digest_in_numpy(lines, 9, 4)


def check_scores(random: Random) -> None:
    n, widest = random.randrange(40), random.choice(nets.WIDTHS)
    sizes = {"channels": random.choice([1, 4, 33]), "width": random.choice([1, 3, 5])}
    net = random_net(random.randint(1, 9), layers=random.randrange(5), **sizes)
    rows = np.random.default_rng(n).normal(0, 2, (n, len(net.mean))).astype(np.float32)
    expected = nets.run_in_numpy(net, rows)
    assert np.allclose(nets.run(net, rows, widest), expected, rtol=1e-4, atol=nets.MAX_DIFFERENCE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=1, help="number of the first input")
    parser.add_argument("--runs", type=int, default=100_000, help="inputs (%(default)s)")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    extract("<p>one two")
    sys.stdout.write(f"{native.describe()}; {native.__path__[0]}\n")
    for seed in range(options.first, options.first + options.runs):
        try:
            check_input(seed)
        except BaseException:
            sys.stdout.write(f"input {seed}\n")
            raise
        if seed % 5_000 == 0:
            sys.stdout.write(f"{seed} inputs\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
