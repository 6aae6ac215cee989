"""Adapters of other packages that extract the text of an article.

Each package is called as its documentation shows for articles, with its default settings except
`options`. Comments are disabled if there is an option, because the gold texts have none. The
packages are in the extra [bench].
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from importlib.metadata import version
from typing import Any

from scrapy_boilerplate import is_installed
from scrapy_boilerplate.extraction import load_page
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.systems.common.running_text import JUSTEXT_NAMES
from scrapy_boilerplate.training.corpora import LabelledPage

# The timed function. It may use `html`, `url` and `language` of the page, not the gold.
Run = Callable[[LabelledPage], Any]

# for packages that require a URL
NO_URL = "http://unknown.example/"


def replace_none(text: str | None) -> str:
    return text or ""


def extract_visible_text(html: str) -> str:
    """Return the visible text of HTML, one block per line."""
    page = AtomicBlocks()(load_page(html).page)
    return page.join_blocks(range(len(page)))


@dataclass(frozen=True, kw_only=True)
class Peer:
    """A package and how it is called.

    package   name on the package index
    module    the module that is imported, and passed to `build`
    options   differences to the defaults of the package
    build     makes the timed function from the module
    text      makes plain text of its result; not timed
    """

    name: str
    package: str
    module: str
    options: str
    build: Callable[[Any], Run]
    text: Callable[[Any], str] = replace_none

    @property
    def installed(self) -> bool:
        return is_installed(self.module.partition(".")[0])

    @property
    def version(self) -> str:
        return version(self.package)

    def load(self) -> Run:
        return self.build(import_module(self.module))


def _build_trafilatura(module: Any, **options: bool) -> Run:
    return lambda page: module.extract(page.html, include_comments=False, **options)


def _build_readability(module: Any) -> Run:
    return lambda page: module.Document(page.html).summary()


def _build_newspaper(module: Any) -> Run:
    known = frozenset(import_module("newspaper.languages").get_available_languages())

    def run(page: LabelledPage) -> Any:
        language = {"language": page.language} if page.language in known else {}
        article = module.Article(page.url or NO_URL, fetch_images=False, **language)
        article.download(input_html=page.html)
        article.parse()
        return article.text

    return run


# goose3's classes for scripts without spaces that need no further data
GOOSE_SPLITTERS = {"zh": "StopWordsChinese", "ko": "StopWordsKorean"}


def _build_goose(module: Any) -> Run:
    splitters = import_module("goose3.text")

    @cache
    def get_goose(language: str | None) -> Any:
        settings: dict[str, Any] = {"enable_image_fetching": False}
        if language:
            settings |= {"use_meta_language": False, "target_language": language}
        if language in GOOSE_SPLITTERS:
            settings["stopwords_class"] = getattr(splitters, GOOSE_SPLITTERS[language])
        return module.Goose(settings)

    return lambda page: get_goose(page.language).extract(raw_html=page.html).cleaned_text


def _build_justext(module: Any) -> Run:
    """Run jusText; without a list of the language it counts no stop words, as documented."""
    load_list = cache(module.get_stoplist)

    def run(page: LabelledPage) -> Any:
        name = JUSTEXT_NAMES.get(page.language or "")
        if name is None:
            paragraphs = module.justext(page.html, (), stopwords_low=0, stopwords_high=0)
        else:
            paragraphs = module.justext(page.html, load_list(name))
        return "\n".join(part.text for part in paragraphs if not part.is_boilerplate)

    return run


def _build_boilerpy3(module: Any) -> Run:
    extractor = module.ArticleExtractor(raise_on_failure=False)
    return lambda page: extractor.get_content(page.html)


def _build_resiliparse(module: Any) -> Run:
    options = dict.fromkeys(("alt_texts", "list_bullets", "comments"), False)
    return lambda page: module.extract_plain_text(page.html, main_content=True, **options)


def _build_turbohtml(module: Any) -> Run:
    return lambda page: module.parse(page.html).article().text


_TRAFILATURA = partial(Peer, package="trafilatura", module="trafilatura")

PEERS: tuple[Peer, ...] = (
    _TRAFILATURA(name="trafilatura", options="without comments", build=_build_trafilatura),
    _TRAFILATURA(
        name="trafilatura, precision",
        options="favor_precision, without comments",
        build=partial(_build_trafilatura, favor_precision=True),
    ),
    _TRAFILATURA(
        name="trafilatura, fast",
        options="fast, without comments",
        build=partial(_build_trafilatura, fast=True),
    ),
    Peer(
        name="readability-lxml",
        package="readability-lxml",
        module="readability",
        options="all the text of `summary()`",
        build=_build_readability,
        text=extract_visible_text,
    ),
    Peer(
        name="newspaper4k",
        package="newspaper4k",
        module="newspaper",
        options="given the page's language; no images fetched",
        build=_build_newspaper,
    ),
    Peer(
        name="goose3",
        package="goose3",
        module="goose3",
        options="given the page's language; no images fetched",
        build=_build_goose,
    ),
    Peer(
        name="jusText",
        package="justext",
        module="justext",
        options="given the page's language",
        build=_build_justext,
    ),
    Peer(
        name="boilerpy3",
        package="boilerpy3",
        module="boilerpy3.extractors",
        options="ArticleExtractor",
        build=_build_boilerpy3,
    ),
    Peer(
        name="resiliparse",
        package="resiliparse",
        module="resiliparse.extract.html2text",
        options="main_content, without comments, bullets and texts of images",
        build=_build_resiliparse,
    ),
    Peer(
        name="turbohtml",
        package="turbohtml",
        module="turbohtml",
        options="the text of `article()`",
        build=_build_turbohtml,
    ),
)
