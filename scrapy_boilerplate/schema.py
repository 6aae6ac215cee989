"""Columns of the fields of `ArticleItem`: as Arrow types, and as text for other readers.

A column has the type of a field as `ArticleItem` declares it, with its nested types: a scalar is
one of SCALARS, a list ``[type]``, a mapping of text ``{"": type}``, and a dict of known keys
``{key: type, ...}``.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType, NoneType
from typing import Any, get_args, get_origin, get_type_hints, is_typeddict

from scrapy_boilerplate import import_optional
from scrapy_boilerplate.items import ArticleItem, describe_unknown_field

ColumnType = Any
TEXT, REAL, INTEGER, BOOLEAN = SCALARS = ("text", "real", "integer", "boolean")
SCALAR_TYPES: Mapping[type, ColumnType] = MappingProxyType(
    {str: TEXT, float: REAL, int: INTEGER, bool: BOOLEAN}
)


def _read_column(hint: Any) -> ColumnType:
    if is_typeddict(hint):
        return {key: _read_column(value) for key, value in get_type_hints(hint).items()}
    inner = [each for each in get_args(hint) if each is not NoneType]
    if get_origin(hint) is list:
        return [_read_column(inner[0])]
    if get_origin(hint) is dict:
        return {"": _read_column(inner[1])}
    return _read_column(inner[0]) if inner else SCALAR_TYPES[hint]


# Field to column, for every field of `ArticleItem`
FIELD_COLUMNS: Mapping[str, ColumnType] = MappingProxyType(
    {name: _read_column(hint) for name, hint in get_type_hints(ArticleItem).items()}
)


def create_arrow_type(column: ColumnType) -> Any:
    """Return the Arrow type of a column. Raises MissingExtraError."""
    arrow = import_optional("pyarrow", "Parquet", "batch")
    scalars = {TEXT: "string", REAL: "float64", INTEGER: "int64", BOOLEAN: "bool_"}
    if isinstance(column, str):
        return getattr(arrow, scalars[column])()
    if isinstance(column, list):
        return arrow.list_(create_arrow_type(column[0]))
    if "" in column:
        return arrow.map_(arrow.string(), create_arrow_type(column[""]))
    return arrow.struct([(key, create_arrow_type(inner)) for key, inner in column.items()])


def create_arrow_batch(rows: Iterable[Mapping[str, Any]], columns: Mapping[str, ColumnType]) -> Any:
    """Return an Arrow record batch of rows; values that are missing are null."""
    arrow = import_optional("pyarrow", "Parquet", "batch")
    schema = arrow.schema([(name, create_arrow_type(each)) for name, each in columns.items()])
    maps = [name for name, column in columns.items() if isinstance(column, dict) and "" in column]
    sorted_rows = [
        {**row, **{name: sorted(row[name].items()) for name in maps if row.get(name) is not None}}
        for row in rows
    ]
    return arrow.RecordBatch.from_pylist(sorted_rows, schema=schema)


# --- text for other readers ---


@dataclass(frozen=True)
class Dialect:
    """How a reader writes its types.

    scalars  the types of SCALARS, in order
    nested   the type of every nested column, if there is only one; else
    list_, map_, struct, member  a list, a mapping of text, a dict and its keys
    column, table                a column of the table, and the table
    """

    scalars: tuple[str, ...]
    nested: str = ""
    list_: str = ""
    map_: str = ""
    struct: str = ""
    member: str = ""
    column: str = "'{}': {}"
    table: str = "{{\n    {}\n}}"

    def write_type(self, column: ColumnType) -> str:
        if isinstance(column, str):
            return self.scalars[SCALARS.index(column)]
        if self.nested:
            return self.nested
        if isinstance(column, list):
            return self.list_.format(self.write_type(column[0]))
        if "" in column:
            return self.map_.format(self.write_type(column[""]))
        members = (self.member.format(key, self.write_type(each)) for key, each in column.items())
        return self.struct.format(", ".join(members))

    def write_table(self, columns: Mapping[str, ColumnType]) -> str:
        lines = (self.column.format(name, self.write_type(each)) for name, each in columns.items())
        return self.table.format(",\n    ".join(lines))


DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {
        "arrow": Dialect(
            scalars=("pa.string()", "pa.float64()", "pa.int64()", "pa.bool_()"),
            list_="pa.list_({})",
            map_="pa.map_(pa.string(), {})",
            struct="pa.struct({{{}}})",
            member="'{}': {}",
            table="pa.schema({{\n    {}\n}})",
        ),
        "duckdb": Dialect(
            scalars=("VARCHAR", "DOUBLE", "BIGINT", "BOOLEAN"),
            list_="{}[]",
            map_="MAP(VARCHAR, {})",
            struct="STRUCT({})",
            member='"{}" {}',
            column="'{}': '{}'",
        ),
        "polars": Dialect(
            scalars=("pl.String", "pl.Float64", "pl.Int64", "pl.Boolean"),
            list_="pl.List({})",
            map_="pl.String",
            struct="pl.Struct({{{}}})",
            member="'{}': {}",
        ),
        "postgres": Dialect(
            scalars=("text", "double precision", "bigint", "boolean"),
            nested="jsonb",
            column="{} {}",
            table="CREATE TABLE IF NOT EXISTS articles (\n    {}\n)",
        ),
        "spark": Dialect(
            scalars=("STRING", "DOUBLE", "BIGINT", "BOOLEAN"),
            list_="ARRAY<{}>",
            map_="MAP<STRING, {}>",
            struct="STRUCT<{}>",
            member="{}: {}",
            column="{} {}",
            table="{}",
        ),
    }
)


def describe_schema(dialect: str, names: Sequence[str] = tuple(FIELD_COLUMNS)) -> str:
    """Return the columns of fields for a reader. Raises ValueError for an unknown field."""
    for name in names:
        if name not in FIELD_COLUMNS:
            raise ValueError(describe_unknown_field(name, FIELD_COLUMNS))
    return DIALECTS[dialect].write_table({name: FIELD_COLUMNS[name] for name in names})
