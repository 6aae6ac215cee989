"""The inspection page in a real browser: its content and its controls."""

import re
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from scrapy_boilerplate.cli import main
from tests.builders import document, sentences
from tests.report.browser import Browser
from tests.report.pages import FAR_DOWN, HEADLINE, NEWS

HEADLINE_LEAF, BODY_LEAF = 2, 3


def write_report(folder: Path, html: str, *extractors: str) -> Path:
    page, out = folder / "page.html", folder / "report.html"
    page.write_text(html, encoding="utf-8")
    named = [word for name in extractors for word in ("--extractor", name)]
    assert main(["inspect", str(page), *named, "-o", str(out)]) == 0
    return out


def label_of(browser: Browser, leaf: int, pane: int = 0) -> str:
    label: str = browser.run(
        "return document.querySelectorAll('iframe')[arguments[1]].contentDocument"
        ".querySelector(`[data-leaf='${arguments[0]}']`).dataset.k",
        leaf,
        pane,
    )
    return label


def test_a_page_and_its_controls(browser: Browser, tmp_path: Path) -> None:
    browser.open(write_report(tmp_path, NEWS, "news"))
    assert label_of(browser, HEADLINE_LEAF) == "1"
    assert label_of(browser, BODY_LEAF) == "2"
    assert browser.run("return panes[0].leaves[3].dataset.mark") == "T"
    assert "full text 3" in browser.text("#legend")
    assert browser.text("#article h3") == "The harbour opens again"
    assert "headline" in browser.text("#metadata")
    # keys move from block to block
    browser.run("document.querySelector('.glass').focus()")
    assert browser.run("return state.block") == HEADLINE_LEAF
    browser.press(Keys.ARROW_DOWN, "j", Keys.ARROW_UP, Keys.ARROW_DOWN)
    assert browser.run("return state.block") == HEADLINE_LEAF + 2
    assert browser.run(f"return panes[0].leaves[{HEADLINE_LEAF + 2}].hasAttribute('data-on')")
    # pointing at a block tells why
    browser.point_at(BODY_LEAF)
    browser.wait("state.block === 3")
    assert browser.text("#label") == "full text"
    assert "decided by" in browser.text("#decider")
    assert len(browser.find_all("#scores tr")) == 6
    assert browser.find_all("#weighed tbody tr")
    # the legend filters blocks
    listed = len(browser.find_all("#blocks li"))
    browser.find("[data-label=boilerplate]").click()
    assert 0 < len(browser.find_all("#blocks li")) < listed
    assert browser.run("return panes[0].leaves[0].hasAttribute('data-off')")
    assert not browser.run("return panes[0].leaves[3].hasAttribute('data-off')")
    browser.find("[data-label=boilerplate]").click()
    assert len(browser.find_all("#blocks li")) == listed
    # the slider goes through the steps
    browser.run("document.getElementById('step').focus()")
    browser.press(Keys.HOME)
    browser.wait("document.getElementById('stepname').textContent.startsWith('1 of')")
    assert label_of(browser, BODY_LEAF) == "0", "the model has scored, no step has decided"
    browser.press(Keys.END)
    last = "`${main().steps.length} of`"  # set when all is painted, a frame after the key
    browser.wait(f"document.getElementById('stepname').textContent.startsWith({last})")
    assert label_of(browser, BODY_LEAF) == "2"


def test_two_extractors_side_by_side(browser: Browser, tmp_path: Path) -> None:
    browser.open(write_report(tmp_path, NEWS, "container", "keep-everything", "web2text"))
    assert label_of(browser, 0, pane=0) == "0"
    assert label_of(browser, 0, pane=1) == "2"
    for pane in (0, 1):
        assert browser.run(f"return panes[{pane}].leaves[0].hasAttribute('data-differs')")
        assert not browser.run(f"return panes[{pane}].leaves[3].hasAttribute('data-differs')")
    browser.run("choose(0, true)")
    assert "keep-everything says full text" in browser.text("#other")
    listed = len(browser.find_all("#blocks li"))
    browser.find("#differing").click()
    assert 0 < len(browser.find_all("#blocks li")) < listed
    # an extractor that cuts the page into other blocks
    browser.run(
        "arguments[0].value = '2'; arguments[0].dispatchEvent(new Event('change'))",
        browser.find("#right"),
    )
    browser.wait("panes[1].caption.textContent.startsWith('web2text')")
    assert label_of(browser, BODY_LEAF, pane=1) in ("0", "2")


def test_pages_with_hardly_a_block(browser: Browser, tmp_path: Path) -> None:
    for html in (document(""), document("<p>one</p>")):
        browser.open(write_report(tmp_path, html, "news", "container"))
        log = browser.driver.get_log("browser")
        assert not [entry for entry in log if entry["level"] == "SEVERE"]


def is_seen(browser: Browser, leaf: int) -> bool:
    """Whether a leaf is in the upper left quarter of its pane."""
    left, top, bottom, width, height = browser.run(
        "const seen = panes[0].scroller, {left, top, bottom} = panes[0].leaves[arguments[0]]"
        ".getClientRects()[0]; return [left - seen.scrollLeft, top - seen.scrollTop,"
        " bottom - seen.scrollTop, seen.clientWidth, seen.clientHeight]",
        leaf,
    )
    return bool(0 <= left < width / 2 and top >= 0 and bottom <= height / 2)


@pytest.mark.parametrize(
    ("html", "label"),
    [(FAR_DOWN, "1"), (FAR_DOWN.replace("<h1>The harbour opens again</h1>", ""), "2")],
)
def test_a_page_opens_at_its_headline_or_its_first_paragraph(
    browser: Browser, tmp_path: Path, html: str, label: str
) -> None:
    browser.open(write_report(tmp_path, html, "news"))
    assert label_of(browser, HEADLINE) == label
    assert browser.run("return panes[0].scroller.scrollTop") > 1000
    assert is_seen(browser, HEADLINE)
    block = browser.run("return main().blockOf[arguments[0]]", HEADLINE)
    row, rows = browser.find(f'[data-block="{block}"]').rect, browser.find("#blocks").rect
    assert rows["y"] <= row["y"]
    assert row["y"] + row["height"] <= rows["y"] + rows["height"]
    assert browser.run("return document.querySelector('.side').scrollTop") == 0
    browser.run("document.querySelector('.glass').focus()")
    assert browser.run("return state.block") == block


PARTS, CHOICES = 2500, 5
# Share of the layout of opening that CHOICES blocks may cost (1.3 before the list was cut, now
# .04).
CHEAP = 0.25


def layout_seconds(browser: Browser) -> float:
    metrics = browser.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return float(next(metric["value"] for metric in metrics if metric["name"] == "LayoutDuration"))


SETTLED = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))"


def test_a_long_page_opens_and_is_not_laid_out_again(browser: Browser, tmp_path: Path) -> None:
    body = "".join(f"<h2>Part {n}</h2><p>{sentences(30, 'tide')}</p>" for n in range(PARTS))
    browser.driver.execute_cdp_cmd("Performance.enable", {})
    browser.open(write_report(tmp_path, document(body), "num-words"))
    browser.driver.execute_async_script(SETTLED)
    opening = layout_seconds(browser)
    for block in range(0, 2 * PARTS, 2 * PARTS // CHOICES):
        browser.driver.execute_async_script(f"choose({block}, false); {SETTLED}")
    assert layout_seconds(browser) - opening < CHEAP * opening
    assert browser.run("return panes[0].scroller.scrollHeight") > 100_000
    browser.run("choose(4000, true)")
    assert browser.run("return panes[0].scroller.scrollTop") > 10_000
    assert browser.run("return panes[0].leaves[4000].hasAttribute('data-on')")


def test_on_a_phone_a_block_of_the_list_brings_the_page_into_view(
    browser: Browser, tmp_path: Path
) -> None:
    html = document(NEWS + "<p>a line of text</p>" * 200)
    browser.open(write_report(tmp_path, html, "num-words"))
    scroller = "panes[0].scroller"
    assert browser.run(f"return {scroller}.scrollWidth - {scroller}.clientWidth") == 0
    browser.resize(390, 844)
    browser.open(tmp_path / "report.html")
    assert browser.run("return document.documentElement.scrollWidth") <= 390
    browser.run("document.querySelector('[data-block=\"100\"]').click()")
    top, end = browser.run(
        "const inner = panes[0].leaves[100].getBoundingClientRect(),"
        " outer = panes[0].frame.getBoundingClientRect();"
        "return [outer.top + inner.top, outer.top + inner.bottom]"
    )
    assert top >= 0
    assert end <= browser.run("return document.querySelector('.block').getBoundingClientRect().top")


def test_nothing_serious_for_axe(browser: Browser, tmp_path: Path) -> None:
    report = write_report(tmp_path, NEWS, "news", "container")
    for width, dark in ((1400, False), (1400, True), (390, False), (390, True)):
        browser.resize(width)
        browser.prefer_dark(dark)
        browser.open(report)
        browser.run("choose(3, true)")
        assert browser.find_violations() == [], (width, dark)


def test_the_strongest_reasons_against_an_article(tmp_path: Path) -> None:
    shop = f"<title>Hats | Shop | Sale</title><ul>{'<li><a class=price href=/h>$5</a>' * 30}</ul>"
    report = write_report(tmp_path, shop, "news").read_text(encoding="utf-8")
    [reasons] = re.findall(r"no article; log odds of the strongest reasons: ([^\"]*)", report)
    assert len(re.findall(r": [\d.e+-]+ \(-\d+\.\d\)", reasons)) == 3
