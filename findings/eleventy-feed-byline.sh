#!/bin/sh
# @11ty/eleventy-plugin-rss 3.0.0 with Eleventy 3.1.8: the author of a post is not in its feed.
#
# The plugin writes the feed itself (feedPlugin). It names the author of the site as dc:creator of every item; `author`
# in the front matter of the post, which themes show as the byline, is not asked. A crawler that takes authors from such
# a feed gives every article to the same person.
#
# Seen on 2026-11-28 with Node.js 20.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @11ty/eleventy@3.1.8 @11ty/eleventy-plugin-rss@3.0.0
cat >.eleventy.mjs <<'CONFIG'
import { feedPlugin } from "@11ty/eleventy-plugin-rss";
export default function (config) {
  config.addPlugin(feedPlugin, {
    type: "rss",
    outputPath: "/feed.xml",
    collection: { name: "post", limit: 0 },
    metadata: { language: "en", title: "Harbour Post", base: "https://news.example/", author: { name: "The Editors" } },
  });
}
CONFIG
cat >fares.md <<'POST'
---
title: Fares rise
author: Ada Brown
date: 2026-11-27
tags: post
---
The harbour board raised the fares.
POST
npx eleventy --config=.eleventy.mjs --quiet
cat >run.mjs <<'JAVASCRIPT'
import { readFileSync } from "node:fs";

const item = readFileSync("_site/feed.xml", "utf8").split("<item>")[1];
console.log(item.match(/<title>(.*?)<\/title>/)[1]);
console.log(item.match(/<dc:creator>(.*?)<\/dc:creator>/)[1]);
JAVASCRIPT
node run.mjs >seen
cat seen
diff - seen <<'SEEN'
Fares rise
The Editors
SEEN
