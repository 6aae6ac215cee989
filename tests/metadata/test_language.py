"""Which language a page is in: what it declares, checked against its text."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.metadata import language as language_module

DECLARED = [
    (code, sample)
    for sample, codes in {
        "Люди з усього міста прийшли до річки подивитися на новий міст. ": "uk bg sr mk kk",
        "صبح زود مردم شهر برای دیدن پل تازه کنار رودخانه آمدند و تا شب ماندند. ": "fa ur",
        "सुबह लोग नदी के किनारे नया पुल देखने आए और शाम तक वहीं रुके रहे। ": "mr ne",
        "אין דער פרי זענען די מענטשן געקומען צום טייך צו זען די נייע בריק. ": "yi",
    }.items()
    for code in codes.split()
]


@pytest.mark.parametrize(("code", "sample"), DECLARED)
def test_declared_languages_of_a_script_are_read(code: str, sample: str) -> None:
    """Another language of the script than its first is no mistake of the page's."""
    document = extract(
        f"<html lang={code}><body><article><p>{sample * 6}</p></article></body></html>"
    )
    assert document.error is None
    assert document.language is not None


@pytest.mark.parametrize(
    ("lang", "text", "language"),
    [
        ("en", "Паром возвращается в гавань в понедельник после долгого ремонта. " * 3, "ru"),
        ("uk", "Паром повертається в гавань у понеділок після довгого ремонту. " * 3, "uk"),
        ("en", "渡船在长时间维修后于星期一返回港口，公司今天表示。" * 4, "zh"),
        ("zh", "フェリーは長い修理のあと月曜日に港へもどると会社は今日話した。" * 4, "ja"),
        ("de", "Short.", "de"),
    ],
)
def test_language_by_script(
    lang: str, text: str, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(language_module, "load_detector", lambda: None)
    assert extract(f"<html lang={lang}><p>{text}</p>").language == language


@pytest.mark.parametrize(
    ("declared", "text", "language"),
    [
        ("en", "De veerboot was in de haven, of is na een lange reparatie weer klaar. ", "nl"),
        ("en", "Die Fähre war in der Stadt, was in diesem Jahr selten genug gewesen ist. ", "de"),
        ("pt", "El barco que sale por la tarde para la isla vuelve como siempre de noche. ", "es"),
        ("it", "El puerto con una de las grúas del norte abre con un barco del mundo. ", "es"),
        ("sv", "Det er den nye færge, som ligger på havnen og venter på det gode vejr. ", "da"),
        ("pl", "Trajekt se vrátil do přístavu na řece, jak se čekalo od rána do noci. ", "cs"),
    ],
)
def test_words_of_two_languages_confirm_neither(declared: str, text: str, language: str) -> None:
    pytest.importorskip("py3langid")
    assert extract(f"<html lang={declared}><p>{text * 3}</p>").language == language


GERMAN = "Die Fähre kehrt am Montag nach langer Reparatur in den Hafen zurück. "


TEXTS = {
    "fr": "Le bac revient lundi au port après une longue réparation, a dit la compagnie ce matin. ",
    "es": "El transbordador vuelve el lunes al puerto después de una larga reparación, dijo. ",
    "it": "Il traghetto torna lunedì nel porto dopo una lunga riparazione, ha detto la compagnia. ",
    "pt": "A balsa volta na segunda-feira ao porto depois de uma longa reparação, disse hoje. ",
    "nl": "De veerboot keert maandag na een lange reparatie terug in de haven, zei de rederij. ",
    "sv": "Färjan kommer tillbaka till hamnen på måndag efter en lång reparation, säger rederiet. ",
    "pl": "Prom wraca w poniedziałek do portu po długim remoncie, poinformował dziś armator. ",
    "tr": "Feribot uzun bir onarımdan sonra pazartesi günü limana dönüyor, dedi şirket sözcüsü. ",
    "fi": "Lautta palaa maanantaina satamaan pitkän korjauksen jälkeen, kertoi varustamo tänään. ",
    "cs": "Trajekt se v pondělí po dlouhé opravě vrací do přístavu, oznámila lodní společnost. ",
    "hu": "A komp hétfőn hosszú javítás után visszatér a kikötőbe, közölte ma a társaság. ",
}


@pytest.mark.parametrize("declared", ["en", "de"])
@pytest.mark.parametrize("language", TEXTS)
def test_languages_that_declare_another_one(language: str, declared: str) -> None:
    pytest.importorskip("py3langid", reason="py3langid is not installed")
    paragraphs = f"<p>{TEXTS[language] * 3}</p><p>{TEXTS[language] * 2}</p>"
    assert extract(f"<html lang={declared}>{paragraphs}").language == language


def test_language_by_detector() -> None:
    pytest.importorskip("py3langid", reason="py3langid is not installed")
    text = GERMAN * 3
    document = extract(f"<html lang=en><p>{text}</p>")
    assert (document.language, document.evidence["language"]) == ("de", "text")
    assert extract(f"<p>{text}</p>").language == "de"


XHOSA = (
    "Umphathiswa uthethe nabantu namhlanje malunga nesibhedlele esitsha eMonti, apho abantu "
    "abaninzi bebelindile ixesha elide, baza bavuya kakhulu ngenxa yoko. "
)


@pytest.mark.parametrize("declared", ["xh", "zu", "nr"])
def test_the_detector_confuses_languages_that_are_alike(declared: str) -> None:
    assert extract(f"<html lang={declared}><p>{XHOSA}</p><p>{XHOSA}</p>").language == declared


def test_a_detector_whose_model_cannot_be_unpacked(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """py3langid needs a temporary file; on a full disk a page keeps its text."""

    def fail(_text: str) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(language_module, "import_module", lambda _: SimpleNamespace(classify=fail))
    language_module.load_detector.cache_clear()
    for _ in range(2):
        document = extract(f"<html lang=en><p>{GERMAN * 3}")
        assert (document.language, document.text != "") == ("en", True)
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    language_module.load_detector.cache_clear()


@pytest.mark.parametrize(("whole", "language"), [("qu", "qu"), ("id", "en")])
def test_a_detector_overrules_a_declaration_with_the_whole_sample(
    whole: str, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = "Lumo Karvex Tarn Belo Sindra Pako Ruvel Minto Gasha Dorik Velum Parto " * 3
    detect = {120: "qu", 200: whole}
    monkeypatch.setattr(language_module, "load_detector", lambda: lambda text: detect[len(text)])
    page = f"<html lang=en><body><article><p>{sample}</p></article>"
    assert extract(page, extractor="keep-everything").language == language
