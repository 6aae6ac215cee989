#!/bin/sh
# Protego 0.7.0: an unknown field between two User-agent lines splits their group.
#
# RFC 9309, 2.2.4: a crawler may read other records, and they must not disturb the rules of a group. With a
# Content-Signal or License line after the first of two agents, that agent loses the rules. A Sitemap line, a Host line
# and a comment do not do this. Google's parser keeps the group (gpyrobotstxt 1.0.0).
#
# Seen on 2026-11-28 with Python 3.11: the columns are the field between the agents, and whether "alpha" and "beta" may
# fetch the page that both are forbidden, by Protego and by Google's rules.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv env
env/bin/pip install --quiet Protego==0.7.0 gpyrobotstxt==1.0.0
env/bin/python - >seen <<'PYTHON'
from gpyrobotstxt.robots_cc import RobotsMatcher
from protego import Protego

FIELDS = ("Content-Signal: ai-train=no", "License: https://news.example/rsl.xml", "Sitemap: https://news.example/s.xml")
PAGE = "https://news.example/drafts/1"
for field in FIELDS:
    lines = f"User-agent: alpha\n{field}\nUser-agent: beta\nDisallow: /drafts/\n"
    rules = Protego.parse(lines)
    ours = [rules.can_fetch(PAGE, agent) for agent in ("alpha", "beta")]
    theirs = [RobotsMatcher().allowed_by_robots(lines.encode(), [agent], PAGE) for agent in ("alpha", "beta")]
    print(field.split(":")[0], *ours, *theirs)
PYTHON
cat seen
diff - seen <<'SEEN'
Content-Signal True False False False
License True False False False
Sitemap False False False False
SEEN
