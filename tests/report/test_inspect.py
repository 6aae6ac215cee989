"""The inspection page in a real browser: its content and its controls."""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from scrapy_boilerplate.cli import main
from tests.builders import document, sentences
from tests.report.browser import Browser
from tests.report.pages import FAR_DOWN, HEADLINE, NEWS, SCATTERED

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


def test_blocks_are_tinted_and_marked(browser: Browser, folder: Path) -> None:
    browser.open(write_report(folder, NEWS, "news"))
    assert label_of(browser, HEADLINE_LEAF) == "1"
    assert label_of(browser, BODY_LEAF) == "2"
    mark = browser.run("return panes[0].leaves[3].dataset.mark")
    assert mark == "T"
    assert "full text 3" in browser.text("#legend")
    assert browser.text("#article h3") == "The harbour opens again"
    assert "headline" in browser.text("#metadata")


def test_legend_filters_blocks(browser: Browser, folder: Path) -> None:
    browser.open(write_report(folder, NEWS, "container"))
    listed = len(browser.find_all("#blocks li"))
    browser.find("[data-label=boilerplate]").click()
    assert 0 < len(browser.find_all("#blocks li")) < listed
    assert browser.run("return panes[0].leaves[0].hasAttribute('data-off')")
    assert not browser.run("return panes[0].leaves[3].hasAttribute('data-off')")
    browser.find("[data-label=boilerplate]").click()
    assert len(browser.find_all("#blocks li")) == listed


def test_pointing_at_a_block_tells_why(browser: Browser, folder: Path) -> None:
    browser.open(write_report(folder, NEWS, "news"))
    browser.point_at(BODY_LEAF)
    browser.wait("state.block === 3")
    assert browser.text("#label") == "full text"
    assert "decided by" in browser.text("#decider")
    assert len(browser.find_all("#scores tr")) == 6
    assert browser.find_all("#weighed tbody tr")


def test_keys_move_from_block_to_block(browser: Browser, folder: Path) -> None:
    browser.open(write_report(folder, NEWS, "container"))
    browser.run("document.querySelector('.glass').focus()")
    assert browser.run("return state.block") == HEADLINE_LEAF
    browser.press(Keys.ARROW_DOWN, "j", Keys.ARROW_UP, Keys.ARROW_DOWN)
    assert browser.run("return state.block") == HEADLINE_LEAF + 2
    assert browser.run(f"return panes[0].leaves[{HEADLINE_LEAF + 2}].hasAttribute('data-on')")
    assert "decided by" in browser.text("#block")


def test_slider_goes_through_the_steps(browser: Browser, folder: Path) -> None:
    browser.open(write_report(folder, NEWS, "news"))
    assert label_of(browser, BODY_LEAF) == "2"
    browser.run("document.getElementById('step').focus()")
    browser.press(Keys.HOME)
    browser.wait("document.getElementById('stepname').textContent.startsWith('1 of')")
    assert label_of(browser, BODY_LEAF) == "0", "the model has scored, no step has decided"
    browser.press(Keys.END)
    last = "`${main().steps.length} of`"  # set when all is painted, a frame after the key
    browser.wait(f"document.getElementById('stepname').textContent.startsWith({last})")
    assert label_of(browser, BODY_LEAF) == "2"


def test_two_extractors_side_by_side(browser: Browser, folder: Path) -> None:
    browser.open(write_report(folder, NEWS, "container", "keep-everything"))
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


def test_extractors_that_cut_differently_can_be_compared(browser: Browser, folder: Path) -> None:
    browser.open(write_report(folder, NEWS, "container", "crf", "mlp", "web2text"))
    browser.run(
        "arguments[0].value = '2'; arguments[0].dispatchEvent(new Event('change'))",
        browser.find("#right"),
    )
    browser.wait("panes[1].caption.textContent.startsWith('mlp')")
    assert label_of(browser, BODY_LEAF, pane=1) in ("0", "2")


@pytest.mark.parametrize(
    "html", [document(""), document("<p>one</p>"), document("<p>one</p><p>two</p>")]
)
def test_pages_with_hardly_a_block(browser: Browser, folder: Path, html: str) -> None:
    browser.open(write_report(folder, html, "news", "container"))
    assert not [entry for entry in browser.driver.get_log("browser") if entry["level"] == "SEVERE"]


def find_place(browser: Browser, leaf: int) -> list[float]:
    """Left, top and bottom of a leaf in its pane, and width and height of the pane."""
    place: list[float] = browser.run(
        "const seen = panes[0].scroller, {left, top, bottom} = panes[0].leaves[arguments[0]]"
        ".getClientRects()[0]; return [left - seen.scrollLeft, top - seen.scrollTop,"
        " bottom - seen.scrollTop, seen.clientWidth, seen.clientHeight]",
        leaf,
    )
    return place


def is_seen(browser: Browser, leaf: int) -> bool:
    left, top, bottom, width, height = find_place(browser, leaf)
    return 0 <= left < width / 2 and top >= 0 and bottom <= height / 2


@pytest.mark.parametrize(
    ("html", "label"),
    [
        (FAR_DOWN, "1"),
        (SCATTERED, "1"),
        (FAR_DOWN.replace("<h1>The harbour opens again</h1>", ""), "2"),
    ],
)
def test_a_page_opens_at_its_headline_or_its_first_paragraph(
    browser: Browser, folder: Path, html: str, label: str
) -> None:
    browser.open(write_report(folder, html, "news"))
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


def test_v_shows_a_page_without_its_own_styles(browser: Browser, folder: Path) -> None:
    browser.open(write_report(folder, SCATTERED, "news"))
    scroller = "panes[0].scroller"
    widths = f"return {scroller}.scrollWidth - {scroller}.clientWidth"
    place = "return panes[0].leaves[arguments[0]].getBoundingClientRect().toJSON()"
    scattered = browser.run(place, HEADLINE)
    assert browser.run(widths) > 1000
    browser.press("v")
    assert browser.run(widths) == 0
    assert browser.run(place, HEADLINE)["left"] < 100
    assert browser.run(place, HEADLINE)["top"] < scattered["top"] - 2000
    assert is_seen(browser, HEADLINE)
    assert label_of(browser, HEADLINE) == "1"
    assert browser.find("#plain").get_attribute("aria-pressed") == "true"
    browser.find("#plain").click()
    assert browser.run(place, HEADLINE) == scattered
    assert is_seen(browser, HEADLINE)


def test_an_image_is_a_small_box_with_its_text(browser: Browser, folder: Path) -> None:
    alt = "Boats in the harbour before noon. " * 5
    image = f'<figure style="padding-bottom: 150%"><img height="900" alt="{alt}"></figure>'
    html = NEWS.replace("</h1>", f"</h1>{image}")
    browser.open(write_report(folder, html, "news"))
    below_headline, box, width = browser.run(
        "const [headline, body] = [...arguments].map((leaf) => panes[0].leaves[leaf]"
        ".getBoundingClientRect()); const box = panes[0].document().querySelector('b-empty')"
        ".getBoundingClientRect(); return [body.top - headline.bottom, box.height, box.width]",
        HEADLINE_LEAF,
        BODY_LEAF,
    )
    assert below_headline < 200
    assert 50 < box < 70
    assert width > 300


def test_no_word_of_a_source_is_broken(browser: Browser, folder: Path) -> None:
    html = document(NEWS, "The harbour opens again").replace(
        "<title>",
        '<meta property="og:title" content="The harbour opens again">'
        '<meta name="description" content="Ships are back."><title>',
    )
    browser.open(write_report(folder, html, "news"))
    lines = browser.run(
        "return [...document.querySelectorAll('#metadata tr > :is(th, td:last-child)')].flatMap("
        "(cell) => [...cell.textContent.matchAll(/\\S+/g)].map((word) => {"
        "const range = document.createRange(); range.setStart(cell.firstChild, word.index);"
        "range.setEnd(cell.firstChild, word.index + word[0].length);"
        "const outer = cell.getBoundingClientRect(), inner = range.getBoundingClientRect();"
        "return [word[0], range.getClientRects().length,"
        " inner.left >= outer.left && inner.right <= outer.right]; }))"
    )
    assert "og:title" in [word for word, _, _ in lines]
    assert [line for line in lines if line[1:] != [1, True]] == []
    assert browser.find("#metadata td:last-child").size["width"] >= 120


PARTS, CHOICES, JUMP, FRAMES = 2500, 5, 600, 60
CHEAP, SMOOTH_MS = 0.25, 100
"""Share of the layout of opening that CHOICES blocks may cost (1.3 before the list was cut, now
.04), and the longest median frame while scrolling (17 ms on an idle machine)."""


def long_page(folder: Path) -> Path:
    body = "".join(f"<h2>Part {n}</h2><p>{sentences(30, 'tide')}</p>" for n in range(PARTS))
    return write_report(folder, document(body), "num-words")


def layout_seconds(browser: Browser) -> float:
    metrics = browser.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return float(next(metric["value"] for metric in metrics if metric["name"] == "LayoutDuration"))


SETTLED = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))"
SCROLL = """
const [step, count, done] = arguments, times = [], scroller = panes[0].scroller;
(function frame(now) {
  times.push(now);
  scroller.scrollTop += step;
  if (times.length > count) done(times.slice(1).map((time, n) => time - times[n]));
  else requestAnimationFrame(frame);
})(performance.now());
"""


def test_a_long_page_opens_and_scrolls(browser: Browser, folder: Path) -> None:
    browser.open(long_page(folder))
    assert browser.run("return panes[0].scroller.scrollHeight") > 100_000
    frames = browser.driver.execute_async_script(SCROLL, JUMP, FRAMES)
    assert browser.run("return panes[0].scroller.scrollTop") >= JUMP * FRAMES
    assert sorted(frames)[FRAMES // 2] < SMOOTH_MS
    browser.run("choose(4000, true)")
    assert browser.run("return panes[0].leaves[4000].hasAttribute('data-on')")


def test_choosing_a_block_lays_out_neither_page_nor_list(browser: Browser, folder: Path) -> None:
    browser.driver.execute_cdp_cmd("Performance.enable", {})
    browser.open(long_page(folder))
    browser.driver.execute_async_script(SETTLED)
    opening = layout_seconds(browser)
    for block in range(0, 2 * PARTS, 2 * PARTS // CHOICES):
        browser.driver.execute_async_script(f"choose({block}, false); {SETTLED}")
    assert layout_seconds(browser) - opening < CHEAP * opening


def test_an_inspected_page_does_not_scroll_sideways(browser: Browser, folder: Path) -> None:
    browser.open(write_report(folder, document("<p>a line of text</p>" * 200), "num-words"))
    scroller = "panes[0].scroller"
    assert browser.run(f"return {scroller}.scrollWidth - {scroller}.clientWidth") == 0


def test_on_a_phone_a_block_of_the_list_brings_the_page_into_view(
    browser: Browser, folder: Path
) -> None:
    browser.resize(390, 844)
    html = document(NEWS + "<p>a line of text</p>" * 200)
    browser.open(write_report(folder, html, "num-words"))
    browser.run("document.querySelector('[data-block=\"100\"]').click()")
    top, end = browser.run(
        "const inner = panes[0].leaves[100].getBoundingClientRect(),"
        " outer = panes[0].frame.getBoundingClientRect();"
        "return [outer.top + inner.top, outer.top + inner.bottom]"
    )
    assert top >= 0
    assert end <= browser.run("return document.querySelector('.block').getBoundingClientRect().top")


@pytest.mark.parametrize(
    ("width", "dark"), [(1400, False), (1400, True), (390, False), (390, True)]
)
def test_nothing_serious_for_axe(browser: Browser, folder: Path, width: int, dark: bool) -> None:
    browser.resize(width)
    browser.prefer_dark(dark)
    browser.open(write_report(folder, NEWS, "news", "container"))
    browser.run("choose(3, true)")
    assert browser.find_violations() == []


def test_the_page_is_no_wider_than_a_phone(browser: Browser, folder: Path) -> None:
    browser.resize(390, 844)
    browser.open(write_report(folder, NEWS, "news"))
    assert browser.run("return document.documentElement.scrollWidth") <= 390
