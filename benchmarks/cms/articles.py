"""The articles that `benchmarks.cms` publishes, written for it: six languages in three scripts."""

import datetime
from dataclasses import dataclass
from typing import NamedTuple


class Table(NamedTuple):
    rows: tuple[tuple[str, ...], ...]


class Listing(NamedTuple):
    """A listing of code and its language."""

    language: str
    text: str


class Subheading(NamedTuple):
    text: str


class Entries(NamedTuple):
    texts: tuple[str, ...]


class Gallery(NamedTuple):
    """The alternative texts of images, in a paragraph each."""

    texts: tuple[str, ...]


class Quote(NamedTuple):
    text: str


Part = str | Table | Listing | Subheading | Entries | Gallery | Quote


@dataclass(frozen=True)
class Article:
    """An article to publish; a part that is a str is a paragraph."""

    slug: str
    title: str
    language: str
    authors: tuple[str, ...]
    date: datetime.date
    section: str
    tags: tuple[str, ...]
    parts: tuple[Part, ...]

    def list_lines(self) -> list[str]:
        """List the visible lines: paragraphs, entries, rows and lines of code."""
        lines: list[str] = []
        for part in self.parts:
            if isinstance(part, str):
                lines.append(part)
            elif isinstance(part, Table):
                lines += [" ".join(row) for row in part.rows]
            elif isinstance(part, Entries):
                lines += part.texts
            elif not isinstance(part, Gallery):
                lines += part.text.splitlines()
        return lines


def write_markdown(article: Article) -> str:
    return "\n\n".join(map(_write_part, article.parts)) + "\n"


def _write_part(part: Part) -> str:
    if isinstance(part, Table):
        head, *rows = (f"| {' | '.join(row)} |" for row in part.rows)
        return "\n".join([head, "|---" * len(part.rows[0]) + "|", *rows])
    if isinstance(part, Listing):
        return f"```{part.language}\n{part.text}\n```"
    if isinstance(part, Entries):
        return "\n".join(f"- {text}" for text in part.texts)
    if isinstance(part, Gallery):
        images = (f"![{text}](/images/{number}.jpg)" for number, text in enumerate(part.texts))
        return "\n\n".join(images)
    if isinstance(part, Subheading):
        return f"## {part.text}"
    return f"> {part.text}" if isinstance(part, Quote) else part


_DRY = (
    "The council measured the water at {} on Monday, and wrote down a level {} centimetres below "
    "that of the same week last year."
)
_PLACES = ("the mill", "the weir", "the old bridge", "the lock", "the timber yard", "the ferry")

ARTICLES = (
    Article(
        "harbour-budget",
        "Harbour board passes a smaller budget",
        "en",
        ("Ada Brown", "Carl Dunn"),
        datetime.date(2026, 3, 17),
        "Politics",
        ("Harbour", "Budget"),
        (
            "The harbour board passed a budget on Tuesday that is a tenth smaller than the last.",
            "Most of the cut falls on dredging, which the board puts off until the autumn.",
            Table(
                (
                    ("Department", "2025", "2026"),
                    ("Dredging", "410", "300"),
                    ("Pilots", "220", "225"),
                    ("Lights", "90", "88"),
                )
            ),
            "Pilots keep their share, because two of them retire and are replaced.",
            "Correction: an earlier version of this article named the wrong year for the budget.",
        ),
    ),
    Article(
        "gespraech-orgel",
        "„Die Orgel braucht Ruhe“",
        "de",
        ("Jörg Hallweger",),
        datetime.date(2026, 4, 2),
        "Kultur",
        ("Musik", "Orgel"),
        (
            "Die Orgelbauerin Lene Ostkamp stimmt seit Februar die Orgel der Marienkirche.",
            Subheading("Frau Ostkamp, warum dauert das so lange?"),
            "Weil jede Pfeife einzeln gehört werden will, und weil es dafür still sein muss.",
            Subheading("Wann spielt sie wieder?"),
            "Zu Pfingsten, wenn das Gebläse hält. Versprechen kann ich das nicht.",
            Quote("Wer eine Orgel hetzt, hört es noch nach zwanzig Jahren."),
        ),
    ),
    Article(
        "marche-soupe",
        "Une soupe pour le marché d'hiver",
        "fr",
        ("Maëlle Querrien",),
        datetime.date(2026, 1, 24),
        "Cuisine",
        ("Recette", "Marché"),
        (
            "Sur la place du marché, la soupe du samedi se prépare dès cinq heures du matin.",
            "Il faut pour huit personnes :",
            Entries(("1 kg de poireaux", "500 g de pommes de terre", "2 litres de bouillon")),
            "On coupe les poireaux finement et on les laisse fondre avant d'ajouter le bouillon.",
            "La soupe se garde trois jours, mais elle n'en dure jamais deux.",
        ),
    ),
    Article(
        "pereprava",
        "Паром вернулся на старую переправу",
        "ru",
        ("Вера Лозовая",),
        datetime.date(2026, 5, 11),
        "Город",
        ("Паром", "Река"),
        (
            "Паром снова ходит через реку у старого склада, где его не было девять лет.",
            "Первый рейс вышел в семь утра, и на борту было сорок два пассажира.",
            "Билет стоит столько же, сколько стоил до закрытия, говорят в управлении.",
            "Осенью решат, останется ли переправа на зиму.",
        ),
    ),
    Article(
        "minato-asaichi",
        "港の朝市が三年ぶりに再開",
        "ja",
        ("浜口 まどか",),
        datetime.date(2026, 6, 7),
        "地域",
        ("朝市", "港"),
        (
            "港の朝市が七日、三年ぶりに再開した。夜明け前から百人を超える客が並んだ。",
            "出店したのは地元の漁師や農家など二十四の店で、前回より六つ多い。",
            "実行委員会は、月に一度の開催を秋まで続けるとしている。",
            "次回は七月五日で、雨の日は体育館で開くという。",
        ),
    ),
    Article(
        "cobertura-crecida",
        "La crecida del río, minuto a minuto",
        "es",
        ("Irene Quesada", "Tomás Rubial"),
        datetime.date(2026, 2, 9),
        "Sucesos",
        ("Río", "Lluvia"),
        (
            "Seguimos la crecida del río a su paso por la ciudad durante toda la tarde.",
            Subheading("18:40 Baja el nivel"),
            "El nivel del agua baja dos centímetros en una hora, según la estación del puente.",
            Subheading("17:15 Cortada la carretera del molino"),
            "La policía corta la carretera del molino y desvía el tráfico por el polígono.",
            Subheading("16:05 Primer aviso"),
            "El ayuntamiento pide a los vecinos de la ribera que retiren los coches.",
        ),
    ),
    Article(
        "water-levels",
        "How we read the water levels",
        "en",
        ("Noor Fielding",),
        datetime.date(2026, 7, 1),
        "Data",
        ("Water", "Open data"),
        (
            "Every figure in our story on the dry river comes from a file that the council keeps.",
            "The script that we use is eight lines long, and this is the part that matters:",
            Listing("python", 'levels = read("levels.csv")\nprint(min(levels), max(levels))'),
            *(_DRY.format(place, number + 4) for number, place in enumerate(_PLACES * 4)),
            Gallery(("The gauge at the mill", "The dry bed below the weir", "Boats on the mud")),
            "None of the gauges stood below the mark of the driest year.",
        ),
    ),
    Article(
        "short-strike",
        "Tram drivers call off strike",
        "en",
        ("Newsroom",),
        datetime.date(2026, 8, 21),
        "Local",
        ("Trams",),
        (
            "Tram drivers have called off the strike that was to begin on Saturday.",
            "This is how they voted on the offer of the company:",
            Entries(("For the offer: 61 per cent", "Against: 37 per cent", "Spoilt: 2 per cent")),
            "The trams run by the usual timetable.",
        ),
    ),
)
