#!/bin/sh
# daft 0.7.26: JSON lines whose dates have two offsets cannot be read.
#
# One offset gives a time with that offset. Two, as in a feed before and after the change of the clocks, give the type
# "Timestamp[s; Z]", which daft itself refuses when it reads the column. A column of dates and times stays text.
#
# Seen on 2026-11-28 with Python 3.11: type of the column, value or error.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv env
env/bin/pip install --quiet daft==0.7.26
env/bin/python - >seen <<'PYTHON'
import json
from pathlib import Path

import daft

DATES = (
    ("2026-11-27T10:00:00+01:00", "2026-11-28T10:00:00+01:00"),
    ("2026-10-24T10:00:00+02:00", "2026-10-26T10:00:00+01:00"),
    ("2026-11-27", "2026-11-28T10:00:00+01:00"),
)
for dates in DATES:
    Path("feed.jsonl").write_text("".join(json.dumps({"date": date}) + "\n" for date in dates))
    frame = daft.read_json("feed.jsonl")
    kind = frame.schema()["date"].dtype
    try:
        print(kind, len(frame.to_pydict()["date"]))
    except Exception as error:
        print(kind, error)
PYTHON
cat seen
diff - seen <<'SEEN'
Timestamp[s; +01:00] 2
Timestamp[s; Z] DaftError::ValueError Failed to parse timezone string: Z
String 2
SEEN
