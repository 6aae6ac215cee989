"""Pages to inspect and to annotate, all written here."""

from __future__ import annotations

from tests.builders import document, sentences

NEWS = document(
    '<nav><ul><li><a href="/">Front page</a></li><li><a href="/sport">Sport</a></li></ul></nav>'
    '<main id="story"><h1>The harbour opens again</h1>'
    f"<p>{sentences(60, 'harbour')}</p><p>{sentences(70, 'ferry')}</p>"
    f"<p>{sentences(50, 'captain')}</p>"
    '<div class="comments"><h2>Comments</h2><p>Well done, all of you.</p></div></main>'
    "<footer><p>Imprint</p></footer>",
    "The harbour opens again",
)

LINKS = 150
NAVIGATION = "".join(f'<li><a href="/{n}">Section {n}</a></li>' for n in range(LINKS))
FAR_DOWN = NEWS.replace('<li><a href="/">Front page</a></li>', NAVIGATION)
"""The same news under a long navigation: the headline is leaf HEADLINE."""
HEADLINE = LINKS + 1


def hostile(address: str) -> str:
    """A page that tries to call `address`, to get out of its frame, or to change the report.

    Each attempt names its number in the address; what runs notes itself as `window.top.hacked`.
    """
    run = "top.hacked=1;parent.hacked=1;window.hacked=1"
    return f"""<!DOCTYPE html><html><head>
<meta http-equiv="refresh" content="0;url={address}/1">
<base href="{address}/2/" target="_top">
<link rel="stylesheet" href="{address}/3.css">
<link rel="prefetch" href="{address}/4"><link rel="dns-prefetch" href="{address}/5">
<link rel="icon" href="{address}/6.ico"><link rel="preload" as="image" href="{address}/7.png">
<script>{run};fetch("{address}/8")</script><script src="{address}/9.js"></script>
<style>@import url("{address}/10.css");
@font-face{{font-family:x;src:url({address}/11.woff)}}
body{{background:url({address}/12.png);font-family:x}}
p::after{{content:url({address}/13.png)}}
a[href^="x"]{{background-image:image-set("{address}/14.png" 1x)}}
#cover{{position:fixed;inset:0;z-index:99999;background:#fff}}
</style><style>p{{color:red}}</style ><script>{run}</script>
</head><body onload="{run}" background="{address}/15.png">
<img src="{address}/16.png" onerror="{run}" srcset="{address}/17.png 2x">
<picture><source srcset="{address}/18.png"><img src="{address}/19.png"></picture>
<iframe src="{address}/20"></iframe><iframe srcdoc="<script>{run}</script>"></iframe>
<object data="{address}/21"></object><embed src="{address}/22">
<video src="{address}/23.mp4" poster="{address}/24.png" autoplay></video>
<audio src="{address}/25.mp3" autoplay></audio>
<form action="{address}/26" id="f"><input name="querySelectorAll" autofocus onfocus="{run}">
<button formaction="{address}/27">go</button></form>
<svg onload="{run}"><image href="{address}/28.png"/><use href="{address}/29.svg#x"/>
<script>{run}</script></svg>
<math><mtext><table><mglyph><style><img src=x onerror="{run}"></style></mglyph></table></mtext>
</math>
<a href="javascript:{run}" id="js">a script</a> <a href="{address}/30" ping="{address}/31"
target="_top" id="away">away</a>
<p style="background:url({address}/32.png);position:fixed;top:0;left:0;z-index:9">styled</p>
<p style="width:expression({run});behavior:url({address}/33.htc)">old tricks</p>
<div id="cover">covers it all</div>
<img name="querySelectorAll" id="getElementById"><form name="body"></form>
<marquee onstart="{run}">moves</marquee><details open ontoggle="{run}">more</details>
<noscript><p title="</noscript><img src=x onerror='{run}'>">noscript</p></noscript>
<template><script>{run}</script></template>
<b-leaf data-leaf="0" data-k="1">not ours</b-leaf>
</textarea></title></style></script></iframe></template>--></script><script>{run}</script>
<h1>"</script><script>{run}</script>&lt;/script&gt;&lt;script&gt;{run}&lt;/script&gt;</h1>
<p>{sentences(60, "harbour")}</p><p>${{style}} $title</p>
</body></html>"""
