#!/bin/sh
# simhash 2.1.2: texts that differ in every vowel mark are the same.
#
# Its default pattern keeps characters of words, to which Python does not count the vowels and tones above and below the
# letters of Thai and Devanagari. Two headlines whose words all differ have a distance of 0; in Latin script the same
# change gives other hashes.
#
# Seen on 2026-11-28 with Python 3.11: script, distance in bits.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv env
env/bin/pip install --quiet simhash==2.1.2
env/bin/python - >seen <<'PYTHON'
from simhash import Simhash

PAIRS = {
    "Thai": ("รถไฟขบวนใหม่มาถึงเมื่อเช้า", "รถไฟขบวนใหมมาถงเมอเชา"),
    "Devanagari": ("नदी में बाढ़ आई", "नद म बढ आइ".replace("इ", "ई")),
    "Latin": ("the new train came in", "the niw troin cume on"),
}
for script, (one, other) in PAIRS.items():
    print(script, Simhash(one).distance(Simhash(other)))
PYTHON
cat seen
diff - seen <<'SEEN'
Thai 0
Devanagari 0
Latin 28
SEEN
