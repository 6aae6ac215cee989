"""Pages of a made-up site: a template around articles, in our own words."""

import random

WORDS = (
    "harbour ferry council winter orchard bridge school market river teacher garden morning "
    "weather village station museum library doctor concert captain engine letter farmer window "
    "story summer valley number island street bakery hospital carpenter festival meeting road"
).split()


def article_text(seed: int, paragraphs: int = 8) -> list[str]:
    """Paragraphs that no other seed gives."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    return [
        " ".join(chance.choice(WORDS) for _ in range(chance.randint(35, 60))).capitalize() + "."
        for _ in range(paragraphs)
    ]


def page_around(paragraphs: list[str], seed: int, suffix: str = "The Harbour Post") -> str:
    """A page with these paragraphs, and advertising, teasers and dates that change with `seed`."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    teasers = "".join(
        f'<li><a href="/a/{chance.randint(1, 10**6)}">{" ".join(chance.choices(WORDS, k=6))}</a>'
        "</li>"
        for _ in range(chance.randint(2, 9))
    )
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    title = " ".join(paragraphs[0].split()[:6])
    notice = (
        "We use small files to remember your choices and to count our readers, and you can change "
        "that at any time in the settings of your browser."
    )
    return f"""<!DOCTYPE html><html><head><title>{title} | {suffix}</title></head><body>
<div class="head"><a href="/">Home</a> <a href="/sport">Sport</a></div>
<div class="notice"><p>{notice}</p></div>
<div class="story"><h1>{title}</h1><p class="date">{chance.randint(1, 28)} May 2024</p>
<div class="text">{body}</div></div>
<div class="teasers"><ul>{teasers}</ul></div>
<div class="ad">{" ".join(chance.choices(WORDS, k=chance.randint(3, 12)))}</div>
<div class="foot"><p>{notice.replace("files", "notes")}</p></div></body></html>"""


def site_page(number: int) -> str:
    return page_around(article_text(number), number)
