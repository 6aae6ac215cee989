"""The site that the project of this folder crawls, and the text of its pages."""

from tests.crawl.pages import Answer, page
from tests.crawl.site import Site
from tests.site_pages import article_text, page_around

N_STORIES = 12


def read_paragraphs(path: str) -> list[str]:
    return article_text(int(path.rpartition("/")[2]))


def headline_of(path: str) -> str:
    return " ".join(read_paragraphs(path)[0].split()[:6])


def text_of(path: str) -> str:
    return "\n\n".join(read_paragraphs(path))


def publish(site: Site) -> None:
    """Put the pages on a site: two sections, stories, a sitemap and a feed."""
    stories = [f"/story/{number}" for number in range(N_STORIES)]
    for number, path in enumerate(stories):
        canonical = f'<link rel="canonical" href="{site.url(path + "/")}?utm_source=paper">'
        html = page_around(read_paragraphs(path), number, "The Courier")
        site.pages[path] = page(html.replace("<head>", f"<head>{canonical}"))
        site.pages[f"{path}/old"] = Answer(b"", 301, {"Location": path})
    for number in (0, 1):
        teasers = [
            f'<p><a href="{path}{"/old" if path == stories[0] else ""}">{headline_of(path)}</a></p>'
            for path in stories[number::2]
        ]
        site.pages[f"/section/{number}"] = page(f"<article>{''.join(teasers)}</article>")
    site.pages["/"] = page('<a href="/section/0">One</a> <a href="/section/1">Two</a>')
    locations = "".join(f"<url><loc>{site.url(path)}</loc></url>" for path in stories)
    sitemap = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locations}</urlset>'
    site.pages["/sitemap.xml"] = page(sitemap, "application/xml")
    entries = "".join(
        f"<item><title>{headline_of(path)}</title><link>{site.url(path)}</link></item>"
        for path in stories
    )
    rss = f'<rss version="2.0"><channel><title>Wire</title>{entries}</channel></rss>'
    site.pages["/rss.xml"] = page(rss, "application/rss+xml")
