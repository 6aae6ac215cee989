"""``scrapy-boilerplate site rule``: rules that are proposed from pages."""

from __future__ import annotations

import shlex
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from scrapy_boilerplate.cli import main
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.site.overrides import SiteRules
from tests.documented import find_block, read_commands
from tests.site_pages import article_text

PROMOTION = (
    "Read all that we have on boats, in one place, each week, for as little as a cup of tea."
)


def write_pages(
    folder: Path, container: str = '<div class="story {n}x big" id="n{n}">'
) -> list[str]:
    """Three articles with an advertisement in their middle."""
    names = [f"story-{n}.html" for n in (1, 2, 3)]
    for n, name in enumerate(names):
        paragraphs = [f"<p>{text}</p>" for text in article_text(n)]
        paragraphs.insert(1, f'<aside class="promo wide"><p>{PROMOTION}</p></aside>')
        story = f"{container.format(n=n)}{''.join(paragraphs)}</div>"
        body = f'<div id=top><a href="/">Home</a></div>{story}'
        html = f"<html><head><title>{n}</title></head><body>{body}</body></html>"
        (folder / name).write_text(html, encoding="utf-8")
    return names


def test_a_rule_is_proposed_and_can_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = write_pages(tmp_path)
    block = find_block(
        "docs/site.md",
        "scrapy-boilerplate site rule story-1.html story-2.html story-3.html > sites.toml",
    )
    [command] = read_commands(block)
    arguments = shlex.split(command.partition(" > ")[0])[1:]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    Path("sites.toml").write_text(out, encoding="utf-8")
    [rule] = SiteRules.load("sites.toml")
    assert (rule.pattern, rule.content) == ("example.com", ("div.story.big",))
    assert all(each.startswith("aside") for each in rule.remove)
    assert [line.split(":")[0] for line in out.splitlines()[-3:]] == [f"# {name}" for name in names]
    for n, name in enumerate(names):
        html = Path(name).read_bytes()
        document = extract(html, "http://example.com/", sites=SiteRules.load("sites.toml"))
        assert document.text.split("\n\n")[0] == article_text(n)[0]


def test_what_stands_in_the_content_is_removed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = write_pages(tmp_path, "<article class=story>")
    for name in names:  # of links, so that an extractor leaves it out
        text = Path(name).read_text().replace(PROMOTION, f"<a href='/x'>{PROMOTION}</a>")
        Path(name).write_text(text)
    assert (
        main(["site", "rule", "--pattern", "boats.example", "--extractor", "num-words", *names])
        == 0
    )
    out = capsys.readouterr().out
    assert '["boats.example"]\ncontent = "article.story"\nremove = ["aside' in out
    assert " -0 +0" in out


def test_a_rule_of_addresses_is_for_these_addresses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    names = write_pages(tmp_path)
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        addresses = [f"http://127.0.0.1:{server.server_port}/{name}" for name in names]
        assert main(["site", "rule", *addresses]) == 0
        server.shutdown()
    out = capsys.readouterr().out
    (tmp_path / "sites.toml").write_text(out, encoding="utf-8")
    rules = SiteRules.load(tmp_path / "sites.toml")
    assert [rule.content for address in addresses if (rule := rules.find(address))] == [
        ("div.story.big",)
    ] * len(names)
    assert [line.split(": ")[0] for line in out.splitlines()[-3:]] == [f"# {a}" for a in addresses]


def test_pages_that_share_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for n in range(2):
        (tmp_path / f"{n}.html").write_text("<p>" + article_text(n)[0])
    assert main(["site", "rule", *map(str, tmp_path.glob("*.html"))]) == 1
    assert "share no id or class around their text" in capsys.readouterr().err
    assert main(["site", "rule", str(tmp_path / "none.html")]) == 1
    assert main(["site", "rule", "--extractor", "nwes", str(tmp_path / "0.html")]) == 1
