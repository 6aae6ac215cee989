"""The specification of the fields, and its consequences."""

from __future__ import annotations

from functools import cached_property

from scrapy_boilerplate import Document
from scrapy_boilerplate.article.fields import ArticleFields
from scrapy_boilerplate.crawl.settings import CHANGE_FIELDS, PARAGRAPH_FIELDS
from scrapy_boilerplate.document import DOCUMENT_FIELDS, LAZY_FIELDS
from scrapy_boilerplate.items import (
    ADDED_FIELDS,
    ALL_FIELDS,
    BY_OTHERS,
    ON_REQUEST,
    OPTIONAL_FIELDS,
    RECORD_FIELDS,
)
from scrapy_boilerplate.metadata.fields import METADATA_FIELDS, Metadata
from tests.builders import sentences
from tests.reference import (
    ITEM_FIELDS,
    build_document_rows,
    build_item_rows,
    read_docstrings,
    read_table,
)

OTHERS = ("evidence", "partial", "late", "failures", "labelled", "tree", "clock")


def list_computed_fields() -> list[str]:
    """Return the public fields of documents that are computed on demand."""
    members = [*vars(Metadata).items(), *vars(ArticleFields).items(), *vars(Document).items()]
    return [n for n, v in members if isinstance(v, cached_property) and not n.startswith("_")]


def test_the_reference_has_the_rows_of_the_classes() -> None:
    assert read_table("Item fields") == build_item_rows(), "run python -m tests.reference"
    assert read_table("Documents") == build_document_rows(), "run python -m tests.reference"
    public = {*DOCUMENT_FIELDS, *list_computed_fields(), *OTHERS}
    names = ", ".join(row[0] for row in read_table("Documents"))
    assert sorted(names.split(", ")) == sorted(f"`{name}`" for name in public)


def test_optional_fields_say_so() -> None:
    docstrings = read_docstrings()
    optional = [name for name in ITEM_FIELDS if docstrings[name].startswith("Optional")]
    assert optional == [name for name in ITEM_FIELDS if name in OPTIONAL_FIELDS]
    assert optional == [n for n, field in ITEM_FIELDS.items() if field.metadata == ON_REQUEST]
    assert all(field.metadata in ({}, ON_REQUEST, BY_OTHERS) for field in ITEM_FIELDS.values())


def test_every_field_comes_from_a_document() -> None:
    document = Document()
    assert all(hasattr(document, name) for name in (*ALL_FIELDS, *RECORD_FIELDS))


def test_records_have_every_field_but_the_marks_of_pipelines() -> None:
    marks = {"is_article", "duplicate", "found_in", *CHANGE_FIELDS, *PARAGRAPH_FIELDS}
    assert len(set(RECORD_FIELDS)) == len(RECORD_FIELDS)
    assert {*RECORD_FIELDS, *ADDED_FIELDS, "blocks"} == ITEM_FIELDS.keys() - marks


def test_what_documents_build_is_built_before_they_travel() -> None:
    # without a page, only fields that are computed from the text have a value
    by_hand = Document(text=sentences(60, "tide"))
    empty = {name for name in list_computed_fields() if not getattr(by_hand, name)}
    assert empty == {*LAZY_FIELDS, *METADATA_FIELDS}
