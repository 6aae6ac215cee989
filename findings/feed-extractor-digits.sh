#!/bin/sh
# @extractus/feed-extractor 8.0.3 (npm): a title of digits loses its zeros.
#
# An RSS item named "007" has the title "7". Its XML parser turns text that looks like a number into one, and back.
#
# Seen on 2026-11-28 with Node.js 20.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @extractus/feed-extractor@8.0.3
cat >run.mjs <<'JAVASCRIPT'
import { extractFromXml } from "@extractus/feed-extractor";

const item = (title, path) => `<item><title>${title}</title><link>https://news.example/${path}</link></item>`;
const rss = `<?xml version="1.0"?><rss version="2.0"><channel><title>Harbour Post</title>
<link>https://news.example/</link><description>News</description>
${item("007", "film")}${item("1.10", "release")}${item("Fares rise", "fares")}</channel></rss>`;
for (const entry of extractFromXml(rss).entries) console.log(entry.title);
JAVASCRIPT
node run.mjs >seen
cat seen
diff - seen <<'SEEN'
7
1.1
Fares rise
SEEN
