#!/bin/sh
# feed 6.0.0 (npm): of two authors, JSON Feed names the first; RSS and Atom name both.
#
# The JSON Feed also has `date_modified` and no `date_published` for an item that has one date, so that a reader who
# takes new items by `date_published` sees none.
#
# Seen on 2026-11-28 with Node.js 20.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund feed@6.0.0
cat >run.mjs <<'JAVASCRIPT'
import { Feed } from "feed";

const feed = new Feed({ title: "Harbour Post", id: "https://news.example/", link: "https://news.example/" });
feed.addItem({
  title: "Fares rise",
  id: "https://news.example/fares",
  link: "https://news.example/fares",
  date: new Date("2026-11-27T10:00:00Z"),
  author: [{ name: "Ada Brown" }, { name: "Carl Dunn" }],
});
for (const text of [feed.rss2(), feed.atom1(), feed.json1()]) {
  console.log(["Ada Brown", "Carl Dunn"].filter((name) => text.includes(name)).join(", "));
}
const item = JSON.parse(feed.json1()).items[0];
console.log(Object.keys(item).filter((key) => key.startsWith("date")).join(", "));
JAVASCRIPT
node run.mjs >seen
cat seen
diff - seen <<'SEEN'
Ada Brown, Carl Dunn
Ada Brown, Carl Dunn
Ada Brown
date_modified
SEEN
