"""Which language a page is in: what it declares, checked against its text."""

import subprocess
import sys

import pytest

from scrapy_boilerplate import extract

GERMAN = "Die Fähre kehrt am Montag nach langer Reparatur in den Hafen zurück. " * 3


@pytest.mark.parametrize(
    ("lang", "text", "language"),
    [
        ("en", "Паром возвращается в гавань в понедельник после долгого ремонта. " * 3, "ru"),
        ("uk", "Паром повертається в гавань у понеділок після довгого ремонту. " * 3, "uk"),
        ("en", "渡船在长时间维修后于星期一返回港口，公司今天表示。" * 4, "zh"),
        ("zh", "フェリーは長い修理のあと月曜日に港へもどると会社は今日話した。" * 4, "ja"),
        (
            "en",
            "連絡船長期修理完了、月曜日再入港。運航会社発表は本日午前、市長同席の会見。" * 4,
            "ja",
        ),
        ("de", "Short.", "de"),
        # letters of one language of a script
        ("", "Паром повертається в гавань у понеділок після довгого ремонту. " * 3, "uk"),
        ("ru", "Паром повертається в гавань у понеділок після довгого ремонту. " * 3, "uk"),
        ("", "Фериботът се връща в пристанището в понеделник след дълъг ремонт. " * 3, "bg"),
        ("", "Трајект се враћа у луку у понедељак после дуге поправке, људи чекају. " * 3, "sr"),
        ("", "Траектот се враќа во пристаништето во понеделник по поправка, тој рече. " * 3, "mk"),
        ("", "Паром вяртаецца ў гавань у панядзелак пасля доўгага рамонту. " * 3, "be"),
        ("ba", "Паром оҙайлы төҙөкләндереүҙән һуң дүшәмбе гаванға ҡайта, ғаилә көтә. " * 3, "ba"),
        ("", "کشتی پس از تعمیر طولانی روز دوشنبه به بندر بازمی‌گردد، پل گفت. " * 3, "fa"),
        ("ar", "فیری طویل مرمت کے بعد پیر کو بندرگاہ واپس آئے گی، کمپنی نے کہا۔ " * 3, "ur"),
        ("", "फेरी दुरुस्तीनंतर सोमवारी बंदरात परत येत आहे आणि काळजी वाढली, वेळ लागेल. " * 3, "mr"),
        ("", "Этот паром вернулся в гавань, и люди ждали его у причала. " * 3, "ru"),
        ("uk", "Этот паром вернулся в гавань, и люди ждали его у причала. " * 3, "ru"),
        # ј is a letter of Serbian and of Macedonian
        ("sr", "Трајект је стигао у луку, а људи су чекали да се јави капетан. " * 3, "sr"),
        # words, after names in other languages
        *(
            (
                lang,
                "Sinema Sabri, Izmir. The songs that they have were from our island. ",
                "en",
            )
            for lang in ("", "fr")
        ),
        # Latin letters on pages of another script
        *(
            (lang, "The ferry has returned, and they said that it was late. " * 3, "en")
            for lang in ("ar", "ja", "")
        ),
        ("sr", "Trajekt se u ponedeljak vraća u luku posle duge popravke na moru. " * 3, "sr"),
    ],
)
def test_language_by_script(lang: str, text: str, language: str) -> None:
    assert extract(f"<html lang={lang}><p>{text}</p>").language == language


XHOSA = (
    "Umphathiswa uthethe nabantu namhlanje malunga nesibhedlele esitsha eMonti, apho abantu "
    "abaninzi bebelindile ixesha elide, baza bavuya kakhulu ngenxa yoko. "
)
DETECTED = [
    # declared, text, language
    ("", GERMAN, "de"),
    ("en", GERMAN, "de"),
    ("de", "Le bac revient lundi au port après une longue réparation, a dit la compagnie. ", "fr"),
    ("en", "Lautta palaa satamaan pitkän korjauksen jälkeen, kertoi varustamo tänään. ", "fi"),
    ("de", "A komp hétfőn hosszú javítás után visszatér a kikötőbe, közölte a társaság. ", "hu"),
    # names of products, whose first half looks Italian, and the whole Esperanto
    (
        "en",
        "Minto Parto Kuno Sindra Ruvel Quorra Karvex Tarn Sindra Minto Wexa Oskel Ruvel Kuno "
        "Jolto Lumo Zorin Tavi Zorin Kuno Tavi Mirado Ruvel Peroni Yaro Kuno Tarn Tavi Minto Vento "
        "Lumo Quorra Gasha Oskel He",
        "en",
    ),
    # words of two languages confirm neither
    ("en", "De veerboot was in de haven, of is na een lange reparatie weer klaar. ", "nl"),
    ("pt", "El barco que sale por la tarde para la isla vuelve como siempre de noche. ", "es"),
    ("sv", "Det er den nye færge, som ligger på havnen og venter på det gode vejr. ", "da"),
    # languages that the detector confuses
    *((declared, XHOSA, declared) for declared in ("xh", "zu", "nr")),
    ("", "Трајект је стигао у луку, а људи су чекали да се јави капетан. ", "sr"),
    # another language of the script than its first
    ("uk", "Люди з усього міста прийшли до річки подивитися на новий міст. ", "uk"),
    ("ne", "सुबह लोग नदी के किनारे नया पुल देखने आए और शाम तक वहीं रुके रहे। ", "ne"),
]


@pytest.mark.parametrize(("declared", "text", "language"), DETECTED)
def test_language_by_detector(declared: str, text: str, language: str) -> None:
    pytest.importorskip("py3langid", reason="py3langid is not installed")
    document = extract(f"<html lang='{declared}'><p>{text * 3}</p><p>{text * 2}</p>")
    assert document.language == language
    assert document.evidence["language"] == ("declared" if language == declared else "text")


TAGALOG = (
    "Sinabi ng alkalde na babalik ang lantsa sa daungan bukas ng umaga matapos ang mahabang "
    "pagkukumpuni, at hindi pa tapos ang usapan sa mga guro. "
)
QUOTE = "They said that the ferry was late when they have been with our boats after a day. "
LUXEMBOURGISH = (
    "De Buergermeeschter huet zum Enn gesot, dem Duerf géif et zur Zäit gutt goen, bei all deene "
    "Leit, déi zu Lëtzebuerg wunnen. "
)


@pytest.mark.parametrize("declared", ["", "fr"])
def test_a_few_words_of_another_language_name_no_language(declared: str) -> None:
    pytest.importorskip("py3langid", reason="py3langid is not installed")
    quoting = f"<html lang='{declared}'><p>{TAGALOG * 2}<p>{QUOTE}<p>{TAGALOG}"
    assert extract(quoting).language == "tl"
    assert extract(f"<html lang='{declared}'><p>{LUXEMBOURGISH * 3}").language == "lb"


ON_A_FULL_DISK = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
import scrapy_boilerplate
for _ in range(2):
    document = scrapy_boilerplate.extract("<html lang=en><p>%s")
    print(document.language, document.text != "")
"""
WITHOUT_DETECTOR = """
import sys
import scrapy_boilerplate
document = scrapy_boilerplate.extract("<p>%s")
print(document.language, "py3langid" in sys.modules)
"""


def test_common_words_need_no_detector() -> None:
    """The model of py3langid takes half a second and 100 MB, once in each process."""
    text = "They have said that the ferry was late, when this storm came with rain. " * 3
    command = [sys.executable, "-c", WITHOUT_DETECTOR % text]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["en", "False"]


@pytest.mark.linux("a limit of the size of files")
def test_a_detector_whose_model_cannot_be_unpacked() -> None:
    """py3langid needs a temporary file; on a full disk a page keeps its text."""
    pytest.importorskip("py3langid", reason="py3langid is not installed")
    command = [sys.executable, "-c", ON_A_FULL_DISK % GERMAN]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["en", "True"] * 2
    assert done.stderr.count("Languages are only checked by their script") == 1
