"""Tag-ratio and token-sequence methods: text where there are many words and few tags."""

from __future__ import annotations

from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.steps.rows import by_rules
from scrapy_boilerplate.systems.tag_ratios.bte import BodyText
from scrapy_boilerplate.systems.tag_ratios.cetr import TagRatioClusters, TagRatioThreshold
from scrapy_boilerplate.systems.tag_ratios.content_code_blurring import ContentCodeBlurring
from scrapy_boilerplate.systems.tag_ratios.document_slope import DocumentSlope
from scrapy_boilerplate.systems.tag_ratios.maximum_subsequence import MaximumSubsequence
from scrapy_boilerplate.systems.tag_ratios.text_density_tree import CompositeDensity, SimpleDensity

WENINGER = "Weninger, Hsu, Han 2010"
SUN = "Sun, Song, Liao 2011"

ROWS: tuple[Extractor, ...] = (
    by_rules(
        "bte",
        "Finn, Kushmerick, Smyth 2001",
        "the one stretch of most words and fewest tags; any language, keeps what interrupts it",
        BodyText(),
    ),
    by_rules(
        "dsc",
        "Pinto et al. 2002",
        "the longest region with few tags for its page; a baseline, loses interrupted articles",
        DocumentSlope(),
    ),
    by_rules(
        "adsc",
        "Pinto et al. 2002; Gottron 2007",
        "every region with few tags for its page; not for pages of little but text",
        DocumentSlope(several=True),
    ),
    by_rules(
        "cetr-tm",
        WENINGER,
        "blocks of much text to few tags, by one threshold; long teasers stay",
        TagRatioThreshold(),
    ),
    by_rules(
        "cetr-km",
        WENINGER,
        "blocks of much text to few tags, by three clusters; long teasers stay",
        TagRatioClusters(),
    ),
    by_rules(
        "cetr",
        WENINGER,
        "cetr-km that also looks at the change to the next blocks; pages of any kind",
        TagRatioClusters(derivative=True),
    ),
    by_rules(
        "ccb",
        "Gottron 2008",
        "regions that stay text when blurred; several regions, any language, drops headlines",
        ContentCodeBlurring(),
    ),
    by_rules(
        "cetd",
        f"{SUN}, composite text density",
        "the densest elements of the tree; high recall on pages of any kind, keeps teasers",
        CompositeDensity(),
    ),
    by_rules(
        "text-density",
        f"{SUN}, text density",
        "cetd with plain characters to tags; a little more precise on news",
        SimpleDensity(),
    ),
    by_rules(
        "mss",
        "Pasternack, Roth 2009, simple weights",
        "bte with heavier tags; high precision, loses the rest of articles in pieces",
        MaximumSubsequence(),
    ),
)
