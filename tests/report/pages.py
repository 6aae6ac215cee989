"""Pages to inspect and to annotate, all written here."""

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
# The same news under a long navigation: the headline is leaf HEADLINE.
FAR_DOWN = NEWS.replace('<li><a href="/">Front page</a></li>', NAVIGATION)
HEADLINE = LINKS + 1


def hostile(url: str) -> str:
    """A page that tries to call `url`, to get out of its frame, or to change the report.

    Each attempt names its number in the URL; what runs notes itself as `window.top.hacked`.
    """
    run = "top.hacked=1;parent.hacked=1;window.hacked=1"
    return f"""<!DOCTYPE html><html><head>
<meta http-equiv="refresh" content="0;url={url}/1">
<base href="{url}/2/" target="_top">
<link rel="stylesheet" href="{url}/3.css">
<link rel="prefetch" href="{url}/4"><link rel="dns-prefetch" href="{url}/5">
<link rel="icon" href="{url}/6.ico"><link rel="preload" as="image" href="{url}/7.png">
<script>{run};fetch("{url}/8")</script><script src="{url}/9.js"></script>
<style>@import url("{url}/10.css");
@font-face{{font-family:x;src:url({url}/11.woff)}}
body{{background:url({url}/12.png);font-family:x}}
p::after{{content:url({url}/13.png)}}
a[href^="x"]{{background-image:image-set("{url}/14.png" 1x)}}
#cover{{position:fixed;inset:0;z-index:99999;background:#fff}}
</style><style>p{{color:red}}</style ><script>{run}</script>
</head><body onload="{run}" background="{url}/15.png">
<img src="{url}/16.png" onerror="{run}" srcset="{url}/17.png 2x">
<picture><source srcset="{url}/18.png"><img src="{url}/19.png"></picture>
<iframe src="{url}/20"></iframe><iframe srcdoc="<script>{run}</script>"></iframe>
<object data="{url}/21"></object><embed src="{url}/22">
<video src="{url}/23.mp4" poster="{url}/24.png" autoplay></video>
<audio src="{url}/25.mp3" autoplay></audio>
<form action="{url}/26" id="f"><input name="querySelectorAll" autofocus onfocus="{run}">
<button formaction="{url}/27">go</button></form>
<svg onload="{run}"><image href="{url}/28.png"/><use href="{url}/29.svg#x"/>
<script>{run}</script></svg>
<math><mtext><table><mglyph><style><img src=x onerror="{run}"></style></mglyph></table></mtext>
</math>
<a href="javascript:{run}" id="js">a script</a> <a href="{url}/30" ping="{url}/31"
target="_top" id="away">away</a>
<p style="background:url({url}/32.png);position:fixed;top:0;left:0;z-index:9">styled</p>
<p style="width:expression({run});behavior:url({url}/33.htc)">old tricks</p>
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
