"""Names of people and agencies in bylines of many languages."""

import pytest

from tests.metadata.pages import read_document, write_article


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Von Anna Blum und Jörg Klee, dpa", ("Anna Blum", "Jörg Klee")),
        ("Por José Paz y Ana Ruiz", ("José Paz", "Ana Ruiz")),
        ("By Jane Doe | May 1, 2024", ("Jane Doe",)),
        ("Jane Doe (London)", ("Jane Doe",)),
        ("Jane Doe, MD, PhD", ("Jane Doe",)),
        ("Jane Doe -- Harbour Media", ("Jane Doe",)),
        ("Jane Doe | WXYZ", ("Jane Doe",)),
        ("~ Jane D.", ("Jane D.",)),
        ("Jane Doe:", ("Jane Doe",)),
        ("jane@harbour.example", ("jane",)),
        # before the name
        ("Written byJane Doe", ("Jane Doe",)),
        ("Redaktion: Anna Blum (Sprecherin)", ("Anna Blum",)),
        ("Text und Interview: Anna Blum", ("Anna Blum",)),
        ("Autor Jane Doe:", ("Jane Doe",)),
        ("作者：王小明 出处：海港日报", ("王小明",)),
        # roles
        ("By Jane Doe, TV/Radio Writer", ("Jane Doe",)),
        ("By Jane Doe, head of ferries, and Al Poe", ("Jane Doe", "Al Poe")),
        ("By Jane Doe, head of ferries and Al Poe", ("Jane Doe", "Al Poe")),
        ("Jane Doe, senior editor and friend of 5 ports", ("Jane Doe",)),
        ("Ann Lee, Political editor, and Bo Diaz, Chief reporter", ("Ann Lee", "Bo Diaz")),
        ("Par Jean Dupont, envoyé spécial à Lyon", ("Jean Dupont",)),
        ("Par Jean Dupont à Lyon", ("Jean Dupont",)),
        ("Von Anna Blum, Korrespondentin in Kiel", ("Anna Blum",)),
        # places, employers and photographers
        ("Von Anna Kern und Ben Olt, Kiel", ("Anna Kern", "Ben Olt")),
        ("By Ruth Kemp, London and Tom Hale, Paris", ("Ruth Kemp", "Tom Hale")),
        ("Por Ana Ruiz, de São Paulo", ("Ana Ruiz",)),
        ("AP, Washington", ("AP",)),
        ("Von der Redaktion", ("Redaktion",)),
        ("Par Le service Politique et Société", ()),
        ("By Ruth Kemp of the Harbour News", ("Ruth Kemp",)),
        ("Words: Ada Berg. Photos: Ola Nord", ("Ada Berg",)),
        ("Text Ada Berg Foto Ola Nord", ("Ada Berg",)),
        ("Story by Ada Berg and photographs by Ola Nord", ("Ada Berg",)),
        ("Teksti: Matti Koski Kuvat: Liisa Virta", ("Matti Koski",)),
        ("김민수 기자", ("김민수",)),
        ("[서울=뉴시스] 홍길동·김철수 기자 =", ("홍길동", "김철수")),
        ("글 홍길동 사진 김철수", ("홍길동",)),
        ("文＝田中太郎、写真＝鈴木一郎", ("田中太郎",)),
        ("取材・文：佐藤花子", ("佐藤花子",)),
        ("（政治部 田中太郎）", ("田中太郎",)),
        ("本报记者王小明 李强", ("王小明", "李强")),
        ("記者王小明／台北報導", ("王小明",)),
        ("2026-11-20 来源：新华社 作者：王小明", ("王小明",)),
        # words of roles, days and separators in names
        ("Harbour Mail Reporter", ("Harbour Mail Reporter",)),
        ("By Juan de Domingo", ("Juan de Domingo",)),
        ("By Jane Goodfellow, Mary Longfellow", ("Jane Goodfellow", "Mary Longfellow")),
        ("山田・フェルナンデス・太郎", ("山田・フェルナンデス・太郎",)),
        # dates behind a name
        ("Jane Doe December 5, 2024", ("Jane Doe",)),
        ("Jane Doe5 May 2024", ("Jane Doe",)),
        ("Автор: Вера Лугова | Обновлено 17 июля 2013", ("Вера Лугова",)),
        ("王小明 | 更新时间", ("王小明",)),
        # no names
        ("Posted by admin", ()),
        ("wordpressadmin", ()),
        ("jane-doe.html", ()),
        ("Author of the article:", ()),
        ("Dienstag", ()),
        ("5 minutes", ()),
        ("Creative Commons Attribution", ()),
        ("责任编辑：王小明", ()),
        ("Kategorie: News", ()),
        ("Ilustrator: Adam Kos", ()),
        ("时间：2024-05-03", ()),
        ("&lt;script>alert(1)&lt;/script>" * 50, ()),
    ],
)
def test_names_in_bylines(text: str, names: tuple[str, ...]) -> None:
    document = read_document(body=f"<h1>Ferry</h1><p class=byline>{text}</p>")
    assert document.authors == names


@pytest.mark.parametrize(
    "name",
    ["20 Minutes", "Photo Agency", "Jose Placido Domingo", "國立臺灣大學新聞研究所編輯部"],
)
def test_declared_names_are_no_notes_for_readers(name: str) -> None:
    assert read_document(write_article(author=name)).authors == (name,)


def test_a_name_that_ends_with_another_one_is_left_out() -> None:
    names = ["Jane Doe", "All articles by Jane Doe", "JANE DOE", "Al Poe"]
    assert read_document(write_article(author=names)).authors == ("Jane Doe", "Al Poe")
