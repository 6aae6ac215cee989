#!/bin/sh
# datasets 5.2.0: a Parquet file with one column of the type map cannot be loaded, not even its other columns.
#
# A map of text to text is one of Parquet's logical types, and pyarrow reads it. load_dataset refuses the file also with
# `columns` that leave the map out.
#
# Seen on 2026-11-28 with Python 3.11: columns, rows or the start of the error.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv env
env/bin/pip install --quiet datasets==5.2.0 pyarrow==26.0.1
env/bin/python - >seen <<'PYTHON'
import pyarrow as pa
import pyarrow.parquet as pq
from datasets import load_dataset

rows = {"url": ["https://news.example/fares"], "evidence": [[("date", "time element")]]}
schema = pa.schema([("url", pa.string()), ("evidence", pa.map_(pa.string(), pa.string()))])
pq.write_table(pa.table(rows, schema=schema), "feed.parquet")
print("pyarrow", pq.read_table("feed.parquet").num_rows)
for options in ({}, {"columns": ["url"]}):
    try:
        print(options, load_dataset("parquet", data_files="feed.parquet", split="train", **options).num_rows)
    except Exception as error:
        cause = error.__cause__ or error
        print(options, str(cause).splitlines()[0][:37])
PYTHON
cat seen
diff - seen <<'SEEN'
pyarrow 1
{} Arrow type map<string, string ('evide
{'columns': ['url']} Arrow type map<string, string ('evide
SEEN
