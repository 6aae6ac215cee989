"""Scrapy as users start it: a project in a folder, `scrapy crawl` in a process of its own."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPO = Path(__file__).resolve().parent.parent.parent
TOO_LONG = 240
"""Seconds after which a crawl hangs."""

CONFIG = "[settings]\ndefault = project.settings\n"
SPIDER = """
from scrapy import Request, Spider

class PagesSpider(Spider):
    name = "pages"

    async def start(self):
        with open(self.urls, encoding="utf-8") as urls:
            for url in urls:
                yield Request(url.strip(), cb_kwargs={"page": url.strip()})

    def parse(self, response, page):
        yield {"page": page, "url": response.url}
"""


@dataclass(frozen=True)
class Run:
    code: int
    output: str

    @property
    def stats(self) -> dict[str, Any]:
        """The stats dumped at the end of the crawl: numbers and words."""
        numbers = re.findall(r"'([\w./-]+)': (\d+)[,}]", self.output)
        words = re.findall(r"'([\w./-]+)': '(\w+)'[,}]", self.output)
        return {**{name: int(value) for name, value in numbers}, **dict(words)}

    @property
    def ours(self) -> dict[str, Any]:
        """The stats of the package, without their prefix."""
        prefix = "boilerplate/"
        stats = self.stats.items()
        return {name.removeprefix(prefix): v for name, v in stats if name.startswith(prefix)}

    @property
    def troubles(self) -> list[str]:
        """Lines of the log that should not be there."""
        bad = re.compile(r"\b(ERROR|CRITICAL|Traceback|Exception|[A-Z]\w+Warning)\b")
        return [line for line in self.output.splitlines() if bad.search(line)]


def write_project(folder: Path, **settings: Any) -> Path:
    """A project with the spider `pages`, which asks for the URLs in the file `urls`."""
    package = folder / "project"
    package.mkdir(parents=True)
    everywhere = {
        "SPIDER_MODULES": ["project.spiders"],
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "FEED_EXPORT_ENCODING": "utf-8",
    }
    lines = [f"{name} = {value!r}\n" for name, value in {**everywhere, **settings}.items()]
    (folder / "scrapy.cfg").write_text(CONFIG)
    (package / "__init__.py").write_text("")
    (package / "settings.py").write_text("".join(lines))
    (package / "spiders.py").write_text(SPIDER)
    return folder


def environment() -> dict[str, str]:
    """The environment in which this checkout is found, installed or not."""
    paths = [str(REPO), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def start_scrapy(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start `scrapy <arguments>` in the folder of a project; deprecated Scrapy API is an error."""
    return _start(folder, "-m", "tests.crawl.strict", *arguments)


def python(script: Path, *arguments: str) -> Run:
    return finished(_start(script.parent, str(script), *arguments))


def module(folder: Path, name: str, *arguments: str) -> Run:
    return finished(_start(folder, "-m", name, *arguments))


def _start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )


def finished(process: subprocess.Popen[str]) -> Run:
    try:
        output, _ = process.communicate(timeout=TOO_LONG)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return Run(process.returncode, output)


def scrapy(folder: Path, *arguments: str) -> Run:
    return finished(start_scrapy(folder, *arguments))


def crawl(folder: Path, urls: list[str], *arguments: str) -> Run:
    return scrapy(folder, *crawl_arguments(folder, urls, *arguments))


def crawl_arguments(folder: Path, urls: list[str], *arguments: str) -> tuple[str, ...]:
    file = folder / "urls.txt"
    file.write_text("\n".join(urls), encoding="utf-8")
    return ("crawl", "pages", "-a", f"urls={file}", *arguments)
