"""The table of the learned systems, except the classifiers of `shallow`."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from scrapy_boilerplate.page.blocks import AtomicBlocks, TextNodes
from scrapy_boilerplate.steps.extractor import Extractor, Segmenter, build_extractor, build_trained
from scrapy_boilerplate.steps.model_store import StoredModel, load_shipped
from scrapy_boilerplate.systems.common.block_model import BlockModel, LabelByModel
from scrapy_boilerplate.systems.ncleaner import read_character_models
from scrapy_boilerplate.systems.texrex import cut_sections, read_nets
from scrapy_boilerplate.systems.victor import read_chain
from scrapy_boilerplate.systems.web2text import read_web2text_nets

MODELS = Path(__file__).parent / "models"

# name, function that reads a stored model, segmenter, source, summary
TABLE: tuple[tuple[str, Callable[[StoredModel], BlockModel], Segmenter, str, str], ...] = (
    ("mlp", read_nets, cut_sections, "Schaefer 2017 (texrex)",
     "a small neural net for each of several languages, and one for all others"),
    ("crf", read_chain, TextNodes(), "Spousta, Marek, Pecina 2008 (Victor)",
     "conditional random field over text nodes; all running text of any kind of page"),
    ("web2text", read_web2text_nets, TextNodes(), "Vogels, Ganea, Eickhoff 2018",
     "convolutional nets over the collapsed DOM; all running text of any kind of page"),
    ("ncleaner", read_character_models, AtomicBlocks(), "Evert 2008",
     "probabilities of characters in a row; English text, also without markup"),
)  # fmt: skip

ROWS: tuple[Extractor, ...] = tuple(
    build_extractor(
        name,
        source,
        summary,
        LabelByModel(name=name, read=read, load_model=partial(load_shipped, MODELS / name)),
        segmenter=segmenter,
    )
    for name, read, segmenter, source, summary in TABLE
)
MAKERS = {
    row.name: partial(build_trained, row, read)
    for row, (_, read, *_) in zip(ROWS, TABLE, strict=True)
}
