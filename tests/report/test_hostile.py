"""A page under inspection sends no request, runs no script, and stays in its frame."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crawl.site import Site, serving
from tests.report.browser import Browser
from tests.report.pages import hostile
from tests.report.test_inspect import write_report


@pytest.fixture
def recorder() -> Iterator[Site]:
    """A server that hostile pages call; `asked` lists the paths that were asked for."""
    with serving() as site:
        yield site


def test_the_hostile_page_does_act_by_itself(
    browser: Browser, tmp_path: Path, recorder: Site
) -> None:
    """Without this the other tests prove nothing."""
    page = tmp_path / "page.html"
    page.write_text(hostile(recorder.url("")), encoding="utf-8")
    browser.driver.get(page.as_uri())
    browser.wait(f"location.href.startsWith('{recorder.url('')}')")
    assert len({path for path in recorder.asked if path != "/favicon.ico"}) >= 5


def test_nothing_acts_in_the_inspection_page(
    browser: Browser, tmp_path: Path, recorder: Site
) -> None:
    report = write_report(tmp_path, hostile(recorder.url("")), "news", "container")
    browser.open(report)
    for leaf in browser.run("return Object.keys(panes[0].leaves).map(Number)"):
        browser.click_at(leaf)
    browser.run("for (let n = 0; n < main().starts.length; n += 1) choose(n, true)")
    assert browser.run("return typeof window.hacked") == "undefined"
    assert browser.run("return typeof panes[0].frame.contentWindow.hacked") == "undefined"
    assert browser.run("return location.href") == report.as_uri()
    assert browser.run("return panes[0].frame.contentDocument.URL") == "about:srcdoc"
    assert len(browser.driver.window_handles) == 1
    assert browser.read_requests() == []
    assert recorder.asked == []
    hidden = browser.run(
        "return panes[0].leaves.filter((leaf) => { const box = leaf.getBoundingClientRect();"
        "leaf.ownerDocument.defaultView.scrollTo(0, 0);"
        "const hit = leaf.ownerDocument.elementFromPoint(box.left + box.width / 2,"
        "box.top + box.height / 2); return box.width && hit && !leaf.contains(hit)"
        "&& !hit.contains(leaf) }).length"
    )
    assert hidden == 0, "nothing covers the blocks"
    forged = browser.run("return panes[0].document().querySelectorAll('[data-leaf=\"0\"]').length")
    assert forged == 1
    shown = browser.run("return panes[0].document().documentElement.outerHTML")
    assert recorder.url("") not in shown.replace("hacked", "").split("<body", 1)[0]
    names = browser.run(
        "return [...new Set([...panes[0].document().querySelectorAll('*')].flatMap((one) =>"
        "[one.localName, ...[...one.attributes].map((a) => '@' + a.name)]))]"
    )
    assert not {"script", "iframe", "img", "form", "input", "svg", "link", "object"} & set(names)
    assert not [name for name in names if name.startswith(("@on", "@src", "@href", "@action"))]
    assert browser.run("return panes[0].frame.getAttribute('sandbox')") == "allow-same-origin"


def test_the_policies_hold_without_the_sanitiser(
    browser: Browser, tmp_path: Path, recorder: Site
) -> None:
    """The raw page is in the same frame, under the same policies."""
    report = write_report(tmp_path, "<p>plain</p>", "container")
    browser.open(report)
    browser.run(
        # a function returns the page, because `$` is special in a replacement text
        "const raw = DATA.frame.replace(/<body>[^]*<\\/body>/, () => arguments[0]);"
        "const root = document.documentElement.dataset; root.ready = 'no';"
        "panes[0].frame.addEventListener('load', () => { root.ready = 'yes' });"
        "panes[0].frame.srcdoc = raw",
        hostile(recorder.url("")).partition("<base")[2].partition(">")[2],
    )
    browser.wait("document.documentElement.dataset.ready === 'yes'")
    assert browser.run("return typeof window.hacked") == "undefined"
    assert browser.run("return location.href") == report.as_uri()
    assert recorder.asked == []
