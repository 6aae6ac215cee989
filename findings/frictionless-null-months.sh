#!/bin/sh
# frictionless 5.21.0: a field without a value in the first hundred lines of JSON is a month, and later values are None.
#
# `section` is null in 150 lines, then "Sport". The type is guessed as "yearmonth", every value after that does not fit,
# and rows give None. Nothing is raised; the reason is in `row.errors`.
#
# Seen on 2026-11-28 with Python 3.11: type, value of the last row, types of its errors.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv env
env/bin/pip install --quiet "frictionless[json]==5.21.0"
env/bin/python - >seen <<'PYTHON'
import json
from pathlib import Path

from frictionless import Resource

rows = [{"url": f"https://news.example/{number}", "section": None} for number in range(150)]
rows.append({"url": "https://news.example/match", "section": "Sport"})
Path("feed.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
with Resource("feed.jsonl") as resource:
    last = list(resource.row_stream)[-1]
    print(resource.schema.get_field("section").type, last["section"], [error.type for error in last.errors])
PYTHON
cat seen
diff - seen <<'SEEN'
yearmonth None ['type-error']
SEEN
