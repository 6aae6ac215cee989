"""The segmenter `block-fusion`: neighbours of similar text density become one block.

Kohlschuetter, Nejdl, A Densitometric Approach to Web Page Segmentation, CIKM 2008, section 4
(docs/systems/block-fusion.md). The paper was not available: constants and variants follow the
literature that cites it. While fusing, a block has the words and lines of its parts, as in
``TextBlock.mergeNext`` of the same author's boilerpipe. A classifier sees fused text wrapped anew,
as one paragraph: ten links of one word have density 10, not 1.
"""

from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from scrapy_boilerplate.page.blocks import AtomicBlocks, find_boundaries, regroup_leaves
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import Extractor, build_extractor
from scrapy_boilerplate.systems.common.rules import DENSITY_RULES

# Elements at whose start and end the paper's rule-based variant never fuses.
GAP_TAGS = frozenset("h1 h2 h3 h4 h5 h6 ul dl ol hr table address img script".split())
# Passes over the page, so that the time is linear (300 pages of five corpora needed at most 7).
MAX_PASSES = 64
# A fused block: its first atomic block, its words on full lines, its full lines.
FusedBlock = tuple[int, int, int]


@dataclass(frozen=True, kw_only=True)
class BlockFusion:
    """Fuse atomic blocks from the first to the last, until nothing changes.

    `smoothed`: a block between two of equal density, higher than its own, is fused with both (the
    paper's BF-SMOOTHED). `gaps`: no fusion across the start or end of such an element
    (`GAP_TAGS` for BF-RULEBASED; none for the plain variant).
    """

    max_slope: float = 0.38
    smoothed: bool = False
    gaps: frozenset[str] = frozenset()

    def __call__(self, page: Page) -> Page:
        """Return the page in fused blocks; linear time, at most MAX_PASSES passes."""
        page = AtomicBlocks()(page)
        words, lines = page.full_line_words.tolist(), page.full_lines.tolist()
        gaps = find_boundaries(page, self.gaps)[page.blocks.first_leaf].tolist()
        blocks: list[FusedBlock] = list(zip(range(len(page)), words, lines, strict=True))
        for _ in range(MAX_PASSES):
            fused = self._fuse_once(blocks, gaps)
            if len(fused) == len(blocks):
                break
            blocks = fused
        first = np.array([block for block, _, _ in blocks], dtype=np.int64)
        return regroup_leaves(page, page.blocks.first_leaf[first])

    def _fuse_once(self, blocks: list[FusedBlock], gaps: list[bool]) -> list[FusedBlock]:
        fused = blocks[:1]
        closes_low = False
        for block, after in zip_longest(blocks[1:], blocks[2:]):
            before, may_fuse = fused[-1], not gaps[block[0]]
            is_low = self.smoothed and may_fuse and after is not None and not gaps[after[0]]
            is_low = is_low and _density(before) == _density(after) > _density(block)
            here, there = _density(block), _density(before)
            is_alike = abs(here - there) <= self.max_slope * max(here, there)
            if may_fuse and (closes_low or is_low or is_alike):
                fused[-1] = (before[0], before[1] + block[1], before[2] + block[2])
            else:
                fused.append(block)
            closes_low = is_low
        return fused


def _density(block: FusedBlock) -> float:
    return block[1] / block[2]


NEJDL = "Kohlschuetter, Nejdl 2008; Kohlschuetter, Fankhauser, Nejdl 2010"

ROWS: tuple[Extractor, ...] = (
    build_extractor("block-fusion", NEJDL,
        "BF-PLAIN: density rules over neighbours fused by text density; a study of segmentation",
        DENSITY_RULES, segmenter=BlockFusion()),
    build_extractor("block-fusion-smoothed", NEJDL,
        "BF-SMOOTHED: block-fusion that also takes in a low between two of a kind; a study",
        DENSITY_RULES, segmenter=BlockFusion(smoothed=True)),
    build_extractor("block-fusion-rulebased", NEJDL,
        "BF-RULEBASED: block-fusion that never crosses headings, lists and tables; a study",
        DENSITY_RULES, segmenter=BlockFusion(gaps=GAP_TAGS)),
)  # fmt: skip
