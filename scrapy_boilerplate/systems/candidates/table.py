"""Methods that choose elements: subtree heuristics and candidate scoring."""

from __future__ import annotations

from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.steps.rows import by_rules
from scrapy_boilerplate.systems.candidates.fan_out import FanOut
from scrapy_boilerplate.systems.candidates.goose import Goose
from scrapy_boilerplate.systems.candidates.largest_tag_count import LargestTagCount
from scrapy_boilerplate.systems.candidates.libextract import LibExtract
from scrapy_boilerplate.systems.candidates.newspaper import Newspaper
from scrapy_boilerplate.systems.candidates.readability import Readability

OMINI = "Buttler, Liu, Pu 2001 (OMINI)"

ROWS: tuple[Extractor, ...] = (
    by_rules(
        "largest-tag-count",
        OMINI,
        "the element with most children of one tag; finds lists, a baseline",
        LargestTagCount(),
    ),
    by_rules(
        "fan-out",
        OMINI,
        "the element with most children; finds lists, a baseline",
        FanOut(),
    ),
    by_rules(
        "libextract",
        "libextract (datalib) 2015",
        "the five elements with most children of one tag; a baseline",
        LibExtract(),
    ),
    by_rules(
        "goose",
        "Goose (Gravity Labs 2011), python-goose",
        "the element with most stop words in its paragraphs; articles in one container",
        Goose(),
    ),
    by_rules(
        "newspaper",
        "Newspaper (Ou-Yang 2013), newspaper4k 0.9.6",
        "like goose, with all like elements of one depth; articles in several containers",
        Newspaper(),
    ),
    by_rules(
        "readability",
        "Readability (Arc90 2009), Readability.js 0.6.0",
        "the best-scored element and its siblings, cleaned; articles of any kind",
        Readability(),
    ),
)
