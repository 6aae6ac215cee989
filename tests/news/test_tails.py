"""What a site adds to a text is left out: links to read also, invitations, offers, requests."""

from __future__ import annotations

import json
import re

import pytest

from scrapy_boilerplate.news.tails import PHRASES, Tails
from scrapy_boilerplate.page.labels import Label
from tests.builders import all_content, document, labelled, page_of, run, sentences
from tests.news_models import after, kept

P = f"<p>{sentences(30, 'rain')}</p>"
LINK = "<a href=/x>Bridge to the island delayed again</a>"
NEWS = '<script type="application/ld+json">{"@type": "NewsArticle"}</script>'
BLOG = '<meta property="og:type" content="article">'

# text of a block; each line is a language
ALSO = """RELATED: Read also: More on this: ALSO READ –
Lesen Sie auch: Mehr zum Thema: Auch interessant:
Lire aussi : À voir également : LIRE AUSSI >>
Lea también: Te puede interesar: Lee también |
Leggi anche: Per approfondire:
Leia também: Saiba mais:
Lees ook: Lees meer:
Czytaj też: Przeczytaj również:
Читайте также: По теме:
Läs också: Läs mer:
関連記事： あわせて読みたい："""
INVITATIONS = """Follow us on Telegram and never miss a story.
Folgen Sie uns auf WhatsApp.
Inscrivez-vous à notre newsletter et recevez nos articles.
Suscríbete a nuestro boletín.
Seguici su Telegram.
Entre no nosso canal do WhatsApp.
Schrijf je in voor onze nieuwsbrief.
Dołącz do naszego kanału na WhatsAppie.
Подписывайтесь на наш канал в Telegram.
Prenumerera på vårt nyhetsbrev.
Telegramチャンネルをフォローしてください。
Advertisement
Artikel teilen"""
LAST = """You have reached the end of the free part of this article.
To continue reading, subscribe.
Do you have a tip? Write to us.
Jetzt weiterlesen mit Post Plus.
Haben Sie einen Hinweis? Schreiben Sie uns.
Pour lire la suite, abonnez-vous.
Para seguir leyendo, suscríbete.
Questo articolo è riservato agli abbonati.
Tem uma dica? Escreva para nós.
Dit artikel is alleen voor abonnees.
Ten artykuł jest dostępny dla subskrybentów.
Чтобы продолжить чтение, оформите подписку.
Har du tips? Mejla oss.
この記事は会員限定です。
Alle Rechte vorbehalten.
Все права защищены."""
LEADS = [lead for line in ALSO.splitlines() for lead in re.split("(?<=[:：]) ", line)]
KEPT = (
    "“Follow us on Telegram” is what the banner on the ferry says.",
    "The party told its supporters to join its Telegram channel.",
    "Read more: children who read every day do better at school.",
    "Подписчики канала в Telegram узнали об этом первыми.",
    "Follow the instructions that Facebook sent.",
    "Do you have a ticket? Then the fare stays the same.",
    "Har du tips? Tipsa polisen.",
    "For more than a decade Facebook has grown.",
    f"See the {LINK}, page nine.",
)


def _find_left_out(block: str, *, head: str = "", below: str = "") -> tuple[list[int], list[int]]:
    page = page_of(f"<head>{head}</head>" + document(f"{P}{P}<p>{block}</p>{below}"))
    labeling = run(page, all_content(page), Tails())
    return labelled(labeling, Label.RELATED), labelled(labeling, Label.BOILERPLATE)


@pytest.mark.parametrize("lead", LEADS)
def test_links_to_other_articles_become_related(lead: str) -> None:
    assert _find_left_out(f"{lead} {LINK}", below=P) == ([2], [])
    assert _find_left_out(f"<a href=/x>{lead} Bridge delayed again</a>", head=NEWS) == ([2], [])
    assert _find_left_out(lead, below=f"<ul><li>{LINK}<li>{LINK}</ul>{P}") == ([2, 3, 4], [])


@pytest.mark.parametrize("text", INVITATIONS.splitlines())
def test_invitations_are_left_out_anywhere(text: str) -> None:
    assert _find_left_out(text, below=P * 5) == ([], [2])


@pytest.mark.parametrize("text", LAST.splitlines())
def test_offers_and_requests_are_left_out_at_the_end(text: str) -> None:
    assert _find_left_out(text) == ([], [2])
    assert _find_left_out(text, below=P * 5) == ([], [])


@pytest.mark.parametrize("text", KEPT)
def test_what_only_begins_alike_is_kept(text: str) -> None:
    assert _find_left_out(text) == ([], [])


def test_nothing_is_left_out_of_another_kind_of_page_or_of_a_short_text() -> None:
    assert _find_left_out("Follow us on Telegram.", head=BLOG) == ([], [])
    page = page_of("<p>Follow us on Telegram and never miss a story.")
    assert run(page, all_content(page), Tails()).content.all()


TEXT, CLOSING = f"<div class=a>{P}</div>", f"<div class=a>{P.replace('rain', 'wind')}</div>"
BOXES = {
    "links": (f"<div><h3>Lees ook</h3><ul><li>{LINK}</ul></div>", 3),
    "form": ("<div><p>News at six<form><button>Go</button></form></div>", 3),
    "invitation": ("<div><p>Volg ons op Telegram.</div>", 2),
}


@pytest.mark.parametrize(("box", "closing"), BOXES.values(), ids=BOXES)
def test_a_paragraph_below_a_box_in_the_text_is_content(box: str, closing: int) -> None:
    page = page_of(document(TEXT + box + CLOSING))
    scores = (1, *[0.1] * (closing - 1), 0.4)
    assert after(Tails(), page, kept(page, scores, 0)) == [0, closing]
    assert after(Tails(), page, kept(page, (*scores[:-1], 0.1), 0)) == [0]
    other = page_of(document(TEXT + box + CLOSING.replace("=a", "=b")))
    assert after(Tails(), other, kept(other, scores, 0)) == [0]
    beside = page_of(document(TEXT + "<p>one" * (closing - 1) + CLOSING))
    assert after(Tails(), beside, kept(beside, scores, 0)) == [0]


def test_phrases_are_in_lower_case_and_begin_with_a_letter() -> None:
    kinds = json.loads(PHRASES.read_text(encoding="utf-8")).values()
    phrases = [phrase for kind in kinds for of_language in kind.values() for phrase in of_language]
    assert all(phrase[0].isalnum() and phrase[0] == phrase[0].lower() for phrase in phrases)
