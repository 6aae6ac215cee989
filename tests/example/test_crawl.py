"""The command `crawl` on the site of the example project."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from tests.crawl.project import environment
from tests.example.test_example import EXAMPLE

SERVER = """
from http.server import HTTPServer
from newsroom.embedded import SiteHandler
server = HTTPServer(("127.0.0.1", 0), SiteHandler)
print(server.server_port, flush=True)
server.serve_forever()
"""


def test_only_articles_give_items(tmp_path: Path) -> None:
    """Not the front pages of the papers, nor the page about the site."""
    feed = tmp_path / "articles.jsonl"
    command = [sys.executable, "-m", "scrapy_boilerplate.cli", "crawl", "-o", str(feed)]
    arguments = [sys.executable, "-c", SERVER]
    with subprocess.Popen(arguments, cwd=EXAMPLE, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            url = f"http://127.0.0.1:{int(server.stdout.readline())}/"
            settings = ["-s", "AUTOTHROTTLE_ENABLED=0", "-s", "LOG_LEVEL=WARNING"]
            done = subprocess.run(
                [*command, url, *settings], env=environment(), timeout=120, check=False
            )
        finally:
            server.terminate()
    assert done.returncode == 0
    paths = [
        urlsplit(json.loads(line)["url"]).path for line in feed.read_text("utf-8").splitlines()
    ]
    assert len(paths) == len(set(paths)) == 16
    assert {path.split("/")[1] for path in paths} == {"courier", "gazette", "record"}
    assert all(path.endswith(".html") and not path.endswith("index.html") for path in paths)
