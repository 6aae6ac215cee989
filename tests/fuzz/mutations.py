"""Mutations of inputs: markup is inserted, removed, repeated, or taken from another input."""

from random import Random

MARKUP = tuple(
    piece.encode()
    for piece in (
        *("<p>", "</p>", "<div class=x>", "</div>", "<br>", "<a href='//x'>", "</a>", "<li>"),
        *("<table>", "<tr><td>", "</table>", "<title>", "</title>", "<head>", "<body>", "</html>"),
        *("<script>", "</script>", "<style>", "<!--", "-->", "<![CDATA[", "]]>", "<?x", "&#0;"),
        *("<svg>", "<math>", "<template>", "<noscript>", "<h1>", "<time datetime='2024-02-30'>"),
        *("<meta charset=hex>", "<meta charset=punycode>", "<meta charset=idna>", "charset=zlib"),
        *("<meta charset=undefined>", "<?xml version='1.0' encoding='unicode_escape'?>"),
        *("<meta charset=utf-16>", "<base href='http://['>", "<html lang=''>", "<img src='data:'>"),
        *("<script type='application/ld+json'>", '{"@graph": [', '"datePublished": "', "null", "}"),
        *("<o:p>", "<x:y z:w=1>", "\x00", "\ufeff", "\u202e", "&nbsp;", "&lt;", "漢字", "١٢", " "),
        *("<pre>", "<frameset>", "<form>", "<option>", "<iframe src=javascript:x>", "\r", "1e999"),
    )
)
# Most repetitions of a piece of markup.
MANY = 400


def mutate(data: bytes, other: bytes, random: Random) -> bytes:
    """A mutation of `data`; its first byte, which chooses the target, changes rarely."""
    first, content = data[:1], data[1:]
    for _ in range(random.randint(1, 6)):
        content = _mutate_once(content, other, random)
    return (bytes([random.randrange(256)]) if random.random() < 0.2 else first) + content


def _mutate_once(content: bytes, other: bytes, random: Random) -> bytes:
    start, end = sorted(random.randint(0, len(content)) for _ in range(2))
    end = min(end, start + 2_000)
    kind = random.randrange(7)
    if kind == 0:
        return content[:start] + content[end:]
    if kind == 1:
        return content[:end] + content[start:end] * random.randint(1, 5) + content[end:]
    if kind == 2:
        cut = random.randint(0, len(other))
        return content[:start] + other[cut : cut + 2_000] + content[start:]
    if kind == 3:
        return content[:start] + bytes([random.randrange(256)]) + content[start + 1 :]
    if kind == 4:
        return content[:start] + random.choice(MARKUP) * random.randint(1, MANY) + content[start:]
    return content[:start] + random.choice(MARKUP) + content[start:]
