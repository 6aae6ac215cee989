#!/bin/sh
# sqlite-utils 4.2.1: an insert that fails leaves the first hundred rows in the table.
#
# JSON lines whose 151st row has a key that no row had before. The command says that a column is missing and ends with
# status 1. Rows are written in batches of a hundred, each committed by itself, and the first hundred stay, so that a
# second try with --alter gives them twice.
#
# Seen on 2026-11-28 with Python 3.11: exit status, rows after it, rows after the second try.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv env
env/bin/pip install --quiet sqlite-utils==4.2.1
env/bin/python - <<'PYTHON'
import json
from pathlib import Path

rows = [{"url": f"https://news.example/{number}"} for number in range(150)]
rows.append({"url": "https://news.example/match", "section": "Sport"})
Path("feed.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
PYTHON
status=0
env/bin/sqlite-utils insert feed.db articles feed.jsonl --nl 2>log || status=$?
echo "$status" >seen
env/bin/sqlite-utils rows feed.db articles --nl | wc -l >>seen
env/bin/sqlite-utils insert feed.db articles feed.jsonl --nl --alter 2>>log
env/bin/sqlite-utils rows feed.db articles --nl | wc -l >>seen
cat seen
diff - seen <<'SEEN'
1
100
251
SEEN
