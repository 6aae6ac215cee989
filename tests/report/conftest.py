"""A real browser, Debian's Chromium, with its logs."""

import shutil
from collections.abc import Iterator

import pytest

from tests.report.browser import Browser, open_browser

CHROMIUM, DRIVER = "chromium", "chromedriver"


@pytest.fixture(scope="session")
def one_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """The browser of all tests; skipped where Debian's packages are missing."""
    for program, package in ((CHROMIUM, "chromium"), (DRIVER, "chromium-driver")):
        if shutil.which(program) is None:
            pytest.skip(f"no {program}: apt-get install {package}")
    with open_browser(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture
def browser(one_browser: Browser) -> Browser:
    """The browser with empty logs, wide and light."""
    one_browser.reset()
    return one_browser
