"""A browser for tests: open a page, wait, press keys, read the logs."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
).split()
WIDE, TALL = 1400, 900
# Longest wait: the machine may be busy with other things.
SECONDS = 90
OUR_SCHEMES = ("file:", "data:", "about:", "blob:", "chrome:")


class Browser:
    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def reset(self) -> None:
        """Leave the page, empty the logs, and restore size and colour scheme."""
        self.driver.get("about:blank")
        self.resize(WIDE, TALL)
        self.prefer_dark(False)
        self.driver.get_log("performance")
        self.driver.get_log("browser")

    def open(self, page: Path | str) -> None:
        self.driver.get(page.resolve().as_uri() if isinstance(page, Path) else page)
        self.wait("document.documentElement.dataset.ready === 'yes'")

    def run(self, code: str, *arguments: Any) -> Any:
        return self.driver.execute_script(code, *arguments)

    def wait(self, condition: str) -> None:
        WebDriverWait(self.driver, SECONDS, 0.05).until(lambda _: self.run(f"return {condition}"))

    def find(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def find_all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        text: str = self.run("return document.querySelector(arguments[0]).innerText", selector)
        return text

    def press(self, *keys: str) -> None:
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def point_at(self, leaf: int) -> None:
        """Scroll a leaf into view, and move the mouse over it."""
        x, y = self.run(PLACE, leaf, 0)
        chain = ActionChains(self.driver)
        chain.w3c_actions.pointer_action.move_to_location(x, y)
        chain.perform()

    def click_at(self, leaf: int, *, shift: bool = False) -> None:
        x, y = self.run(PLACE, leaf, 0)
        if shift:
            ActionChains(self.driver).key_down(Keys.SHIFT).perform()
        chain = ActionChains(self.driver)
        chain.w3c_actions.pointer_action.move_to_location(x, y).click()
        chain.perform()
        if shift:
            ActionChains(self.driver).key_up(Keys.SHIFT).perform()

    def drag(self, first: int, last: int) -> None:
        """Drag from one leaf to another; both are in view."""
        self.run(PLACE, first, 0)
        start, end = self.run(SPOT, first, 0), self.run(SPOT, last, 0)
        chain = ActionChains(self.driver)
        pointer = chain.w3c_actions.pointer_action
        pointer.move_to_location(*start).pointer_down().move_to_location(*end).pointer_up()
        chain.perform()

    def resize(self, width: int, height: int = TALL) -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def prefer_dark(self, dark: bool) -> None:
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})

    def read_requests(self) -> list[str]:
        """URLs requested since the last call, except files and data of the page itself."""
        urls = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                urls.append(message["params"]["request"]["url"])
            elif message["method"] == "Network.webSocketCreated":
                urls.append(message["params"]["url"])
        return [url for url in urls if not url.startswith(OUR_SCHEMES)]

    def find_violations(self) -> list[str]:
        """The serious and critical findings of axe-core, with the first place of each."""
        source = files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")
        # run by the driver: the policy of the page keeps other scripts out
        self.driver.execute_script(source)
        violations = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "axe.run(document, {iframes: false}).then((r) => done(r.violations))"
        )
        return [
            f"{violation['id']} ({violation['impact']}): {violation['nodes'][0]['html'][:200]} "
            f"{violation['nodes'][0]['failureSummary'][:300]}"
            for violation in violations
            if violation["impact"] in ("serious", "critical")
        ]


SPOT = """
const frame = document.querySelectorAll("iframe")[arguments[1]];
const leaf = frame.contentDocument.querySelector(`[data-leaf="${arguments[0]}"]`);
const inner = leaf.getClientRects()[0], outer = frame.getBoundingClientRect();
return [Math.round(outer.left + inner.left + Math.min(12, inner.width / 2)),
        Math.round(outer.top + inner.top + inner.height / 2)];
"""
PLACE = (
    """
const stage = document.querySelectorAll(".scroller")[arguments[1]];
const shown = document.querySelectorAll("iframe")[arguments[1]].contentDocument;
stage.scrollIntoView({block: "center"});
stage.scrollTop = shown.querySelector(`[data-leaf="${arguments[0]}"]`)
  .getBoundingClientRect().top - 60;
"""
    + SPOT
)


@contextmanager
def open_browser(profile: Path) -> Iterator[Browser]:
    """Run Chromium with a profile of its own."""
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    driver.set_page_load_timeout(SECONDS)
    driver.set_script_timeout(SECONDS)
    try:
        yield Browser(driver)
    finally:
        driver.quit()
