"""The site that the project of this folder crawls, and the text of its pages."""

from tests.crawl.pages import Answer, page
from tests.crawl.site import Site

N_STORIES = 12
PLACES = "Ardmore Brackwell Colne Dunmoor Eskdale Farlow Glentham Harnsea".split()
SUBJECTS = (
    "the harbour office in {place} counted {n} boats that came back before the storm was there",
    "no one in {place} could say on {day} why the clock of the market had stopped at minute {n}",
    "the council of {place} will pay {n} pounds for every hedge that is planted by {day} week",
    "a choir of {n} voices sang in {place} on {day} although the roof of the chapel is open",
    "the bakers of {place} sold {n} loaves on {day} and gave the rest to the lifeboat crew",
    "teachers from {place} walked {n} miles on {day} to show that the railway could be a path",
)
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()


def headline_of(path: str) -> str:
    number, place = _read_number(path)
    return f"{place} wakes to {number + 3} surprises on a cold {DAYS[number % 7]}"


def text_of(path: str) -> str:
    """The main text of a page: four paragraphs that no other page has."""
    number, place = _read_number(path)
    sentences = [
        subject.format(place=place, n=17 * number + 5 * i + 2, day=DAYS[(number + i) % 7])
        for i, subject in enumerate(2 * SUBJECTS)
    ]
    texts = [f"{text[0].upper()}{text[1:]}." for text in sentences]
    return "\n\n".join(" ".join(texts[start::4]) for start in range(4))


def _read_number(path: str) -> tuple[int, str]:
    number = int(path.rpartition("/")[2])
    return number, PLACES[number % len(PLACES)]


def story(path: str, head: str = "") -> str:
    """The HTML of a page, within the template of the site."""
    text = "".join(f"<p>{paragraph}</p>" for paragraph in text_of(path).split("\n\n"))
    title = headline_of(path)
    return _frame(title, f"<article><h1>{title}</h1>{text}</article>", head)


def _frame(title: str, content: str, head: str = "") -> str:
    links = "".join(
        f'<li><a href="/section/{number}">Section {number}</a></li>' for number in (0, 1)
    )
    return (
        f'<html lang="en"><head><title>{title} | The Courier</title>{head}</head><body>'
        f"<nav><ul>{links}</ul></nav>{content}<aside><h2>Our letter</h2><p>Every Friday the "
        "editors of this paper send a letter about the week to all who ask for it here.</p></aside>"
        "<footer><p>All rights reserved.</p></footer></body></html>"
    )


def publish(site: Site) -> None:
    """Put the pages on a site: two sections, stories, a sitemap and a feed."""
    stories = [f"/story/{number}" for number in range(N_STORIES)]
    for path in stories:
        canonical = f'<link rel="canonical" href="{site.url(path + "/")}?utm_source=paper">'
        site.pages[path] = page(story(path, canonical))
        site.pages[f"{path}/old"] = Answer(b"", 301, {"Location": path})
    for number in (0, 1):
        teasers = [
            f'<p><a href="{path}{"/old" if path == stories[0] else ""}">{headline_of(path)}</a></p>'
            for path in stories[number::2]
        ]
        listing = f"<article>{''.join(teasers)}</article>"
        site.pages[f"/section/{number}"] = page(_frame(f"Section {number}", listing))
    site.pages["/"] = page(_frame("Front page", "<h1>The Courier</h1>"))
    locations = "".join(f"<url><loc>{site.url(path)}</loc></url>" for path in stories)
    sitemap = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locations}</urlset>'
    site.pages["/sitemap.xml"] = page(sitemap, "application/xml")
    entries = "".join(
        f"<item><title>{headline_of(path)}</title><link>{site.url(path)}</link></item>"
        for path in stories
    )
    rss = f'<rss version="2.0"><channel><title>Wire</title>{entries}</channel></rss>'
    site.pages["/rss.xml"] = page(rss, "application/rss+xml")
