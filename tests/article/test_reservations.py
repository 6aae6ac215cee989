"""What pages, headers and files declare about the use of texts, by scheme."""

import json
from collections.abc import Sequence

import pytest

from scrapy_boilerplate import extract
from scrapy_boilerplate.article.reservations import (
    OriginReservations,
    ReservationError,
    matches_path,
    merge_reservations,
    read_headers,
    read_robots,
    read_tdmrep,
)
from scrapy_boilerplate.items import Reservation

URL = "https://news.example/sport/cup.html?page=2"
AGENT = "Scrapy/2.14 (+https://scrapy.org)"


def brief(reservations: Sequence[Reservation]) -> list[str]:
    """Each as `scheme value (policy) source`."""
    return [
        " ".join(filter(None, (each["scheme"], each["value"], each["policy"], each["source"])))
        for each in reservations
    ]


JSON_LD = """<script type="application/ld+json">{"@type": "NewsArticle", "license": "/cc",
"usageInfo": {"@type": "CreativeWork", "url": "https://a.example/use"},
"image": {"@type": "ImageObject", "license": "/picture"}}</script>"""


@pytest.mark.parametrize(
    ("head", "found"),
    [
        ('<meta name="tdm-reservation" content="1">', ["tdmrep 1 meta"]),
        (
            '<meta name=TDM-Reservation content=" 1 "><meta name="tdm-policy" content="/p.json">',
            ["tdmrep 1 https://news.example/p.json meta"],
        ),
        ('<meta name="tdm-reservation" content="0">', ["tdmrep 0 meta"]),
        ('<meta name="tdm-reservation" content="yes">', []),
        ('<meta name="robots" content="index, NoAI,noimageai">', ["robots noai meta",
                                                                 "robots noimageai meta"]),
        ('<meta name="googlebot" content="noai"><meta name="robots" content="noindex">', []),
        ('<link rel="license next" href="/cc">', ["license https://news.example/cc link"]),
        (
            '<link rel="nofollow license" type="application/rsl+xml" href="/l.xml">',
            ["rsl https://news.example/l.xml link"],
        ),
        ('<link rel="stylesheet" href="/license">', []),
        (f'<link rel="license" href="/{"c" * 2_000}">', []),  # it is cut
        (JSON_LD, ["license https://news.example/cc json-ld",
                   "license https://a.example/use json-ld usageInfo"]),
        ('<script type="application/ld+json">{"@type":"Article","license":"CC BY"}</script>', []),
    ],
)  # fmt: skip
def test_pages(head: str, found: list[str]) -> None:
    document = extract(f"<html><head>{head}</head><body><p>Text.</p></body></html>", URL)
    assert brief(document.reservations) == found


@pytest.mark.parametrize(
    ("headers", "found"),
    [
        ({"tdm-reservation": "1"}, ["tdmrep 1 header"]),
        (
            {"TDM-Reservation": "1", "TDM-Policy": "https://a.example/p"},
            ["tdmrep 1 https://a.example/p header"],
        ),
        ({"tdm-reservation": "0, 1"}, []),
        ({"Content-Usage": "train-ai=n"}, ["aipref train-ai=n header"]),
        (
            {"Content-Usage": 'search=y;a="1,2", train-ai=n, other=(y n);b, flag, x="\\""'},
            ["aipref search=y header", "aipref train-ai=n header"],
        ),
        ({"Content-Usage": "train-ai=y, train-ai=n"}, ["aipref train-ai=n header"]),
        ({"Content-Usage": "train-ai=n, Search"}, []),
        ({"Content-Usage": "train-ai=n,"}, []),
        (
            {"Link": '<a.css>; rel=preload, </l.xml>; rel="license"; type="application/rsl+xml"'},
            ["rsl https://news.example/l.xml header"],
        ),
        ({"Link": "<https://a.example/cc>; rel=license"}, ["license https://a.example/cc header"]),
        ({"X-Robots-Tag": "noindex, noai"}, ["robots noai header"]),
        ({"X-Robots-Tag": "scrapy: noai, noimageai"}, ["robots noai header",
                                                       "robots noimageai header"]),
        ({"X-Robots-Tag": "otherbot: noai, noimageai"}, []),
        (
            {"X-Robots-Tag": "unavailable_after: Fri, 25-Jun-10 15:00:00 PST, noai"},
            ["robots noai header"],
        ),
    ],
)  # fmt: skip
def test_headers(headers: dict[str, str], found: list[str]) -> None:
    assert brief(read_headers(headers.items(), URL, AGENT)) == found


ROBOTS = """User-agent: GPTBot
Content-Signal: ai-train=no

License: https://news.example/l.xml

user-agent: *
Content-Signal: search=yes, ai-input=maybe,AI-Train = no # comment
Allow: /
Content-Usage: train-ai=n
Content-usage: /sport/ train-ai=y, search=y
Content-Usage: /sport/*.html$ search=n
"""


@pytest.mark.parametrize(
    ("agent", "path", "found"),
    [
        (AGENT, "/", "signals search=yes, signals ai-train=no, aipref train-ai=n"),
        (AGENT, "/sport/", "signals search=yes, signals ai-train=no, aipref train-ai=y, "
                           "aipref search=y"),
        (AGENT, "/sport/cup.html", "signals search=yes, signals ai-train=no, aipref search=n"),
        ("GPTBot/1.0", "/", "signals ai-train=no"),
    ],
)  # fmt: skip
def test_robots_txt(agent: str, path: str, found: str) -> None:
    """The group of the user agent, the longest pattern; licences are for all."""
    origin = read_robots(ROBOTS, "https://news.example/robots.txt", agent)
    expected = ["rsl https://news.example/l.xml robots.txt"]
    expected += [f"{'content-' if each[0] == 's' else ''}{each} robots.txt"
                 for each in found.split(", ")]  # fmt: skip
    assert brief(origin.find(f"https://news.example{path}")) == expected


RULES = [
    {"location": "/free/", "tdm-reservation": 0, "tdm-policy": "/p"},
    {"location": "/sport/*.html$", "tdm-reservation": 1, "tdm-policy": "/policy.json"},
    {"location": "/b%c3%bccher/", "tdm-reservation": 1},
    {"location": "/sport", "tdm-reservation": 0},
]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/free/a", "tdmrep 0 https://news.example/p tdmrep.json"),
        ("/sport/a.html", "tdmrep 1 https://news.example/policy.json tdmrep.json"),
        ("/sport/a.html?page=2", "tdmrep 0 tdmrep.json"),
        ("/bücher/x", "tdmrep 1 tdmrep.json"),
        ("/other", None),
    ],
)
def test_tdmrep_json(path: str, found: str | None) -> None:
    """The first rule that matches counts."""
    rules = read_tdmrep(json.dumps(RULES).encode("utf-8-sig"), "https://news.example/x")
    found_rules = OriginReservations(rules=rules).find(f"https://news.example{path}")
    assert brief(found_rules) == ([found] if found else [])


@pytest.mark.parametrize(
    "body",
    [
        *("<html>", "{}", "[1]", "[" * 10_000, '[{"tdm-reservation": 1}]'),
        '[{"location": "/", "tdm-reservation": 2}]',
        '[{"location": "/a", "tdm-reservation": 1}, {"location": 3}]',
    ],
)
def test_a_tdmrep_json_that_cannot_be_read(body: str) -> None:
    with pytest.raises(ReservationError):
        read_tdmrep(body.encode(), URL)


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        *(("/a", "/ab", True), ("/a$", "/ab", False), ("/a$", "/a", True), ("/", "/x", True)),
        *(("/a*b", "/aXbY", True), ("/a*b$", "/aXbY", False), ("/a*b$", "/abXb", True)),
        *(("/*.pdf$", "/x.pdf", True), ("/ab*b$", "/ab", False), ("*", "/x", True)),
        ("/" + "*a" * 5_000 + "b$", "/" + "a" * 20_000, False),
    ],
)
def test_patterns(pattern: str, path: str, matches: bool) -> None:
    assert matches_path(pattern, path) is matches


def tdm(value: str | None, policy: str | None = None) -> list[Reservation]:
    """A reservation by TDMRep."""
    return [{"scheme": "tdmrep", "value": value, "policy": policy, "source": "x"}]


@pytest.mark.parametrize(
    ("layers", "value", "policy"),
    [
        ([tdm("1", "p"), tdm("0")], "0", None),
        ([tdm("1", "p"), [], tdm(None, "q")], "1", "q"),
        ([tdm("0"), tdm("1", "q"), []], "1", "q"),
        ([tdm("1", "p"), tdm("1")], "1", "p"),
        ([tdm("0", "p"), tdm(None, "q")], "0", None),
    ],
)
def test_the_precedence_of_tdmrep(
    layers: list[list[Reservation]], value: str, policy: str | None
) -> None:
    """Of the file, the headers and the page; what is absent resets nothing."""
    [found] = merge_reservations(*layers)
    assert (found["value"], found["policy"]) == (value, policy)
