"""``make screenshots``: the pictures of the documentation, in a real browser.

docs/inspect.png and docs/annotate.png show a page of the example project, docs/evaluate.png the
curves of `evaluate --plot` over a corpus. Needs Debian's chromium and chromium-driver, and the
extra [test]. Takes about a minute.
"""

import argparse
import base64
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from scrapy_boilerplate.cli import main as command
from scrapy_boilerplate.extractors import EXTRACTORS
from scrapy_boilerplate.report.annotator import Annotator, AnnotatorServer, sort_by_confidence
from scrapy_boilerplate.report.label_store import LabelStore

REPO = Path(__file__).resolve().parent.parent
PAGE = REPO / "example_project" / "site" / "gazette" / "orchard-frost.html"
WIDTH, HEIGHT = 1400, 900
COMPARED = ("news", "container")
CURVES = ("news", "container", "boilerpipe-article", "readability", "justext", "bte")
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars "
    "--disable-background-networking --disable-component-update --disable-sync"
).split()
# seconds that a page may take to be ready
MAX_SECONDS = 120
# a block of the page's article
BODY_BLOCK = 19


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, prog="make screenshots")
    parser.add_argument("--corpus", type=Path, help="for docs/evaluate.png; left out without it")
    parser.add_argument("--out", type=Path, default=REPO / "docs")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        driver = start_browser(Path(folder) / "profile")
        try:
            take_inspection(driver, Path(folder), options.out)
            take_annotator(driver, Path(folder), options.out)
        finally:
            driver.quit()
    if options.corpus and options.corpus.is_file():
        named = [word for name in CURVES for word in ("--extractor", name)]
        plot = str(options.out / "evaluate.png")
        command(["evaluate", str(options.corpus), *named, "--metric", "tokens", "--plot", plot])


def start_browser(profile: Path) -> webdriver.Chrome:
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


def take_inspection(driver: webdriver.Chrome, folder: Path, out: Path) -> None:
    """Take the inspection page of two extractors, one block chosen."""
    report = folder / "inspect.html"
    named = [word for name in COMPARED for word in ("--extractor", name)]
    command(["inspect", str(PAGE), *named, "-o", str(report)])
    show(driver, report.as_uri(), WIDTH, HEIGHT)
    driver.execute_script(f"choose({BODY_BLOCK}, true)")
    take(driver, out / "inspect.png")


def take_annotator(driver: webdriver.Chrome, folder: Path, out: Path) -> None:
    """Take a page of the annotator's queue, a paragraph chosen."""
    extractor = EXTRACTORS[COMPARED[0]]
    pages = sort_by_confidence([(PAGE.name, PAGE.read_text(encoding="utf-8"), None)], extractor)
    store = LabelStore(folder / "labels")
    annotator = Annotator(pages=pages, extractor=extractor, store=store, name="you")
    with AnnotatorServer(annotator) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        show(driver, server.url, WIDTH, HEIGHT)
        driver.execute_script(f"choose(blockRange({BODY_BLOCK}), true)")
        take(driver, out / "annotate.png")
        server.shutdown()


def show(driver: webdriver.Chrome, url: str, width: int, height: int) -> None:
    """Open a page of this package in a window of this size and wait until it is ready."""
    metrics: dict[str, Any] = {"width": width, "height": height}
    metrics |= {"deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    driver.get(url)
    end = time.monotonic() + MAX_SECONDS
    while driver.execute_script("return document.documentElement.dataset.ready") != "yes":
        if time.monotonic() > end:
            raise TimeoutError(f"{url} is not ready after {MAX_SECONDS} seconds")
        time.sleep(0.1)


def take(driver: webdriver.Chrome, file: Path) -> None:
    time.sleep(0.5)  # colours fade in
    file.write_bytes(base64.b64decode(driver.get_screenshot_as_base64()))
    print(f"written: {file}")


if __name__ == "__main__":
    main()
