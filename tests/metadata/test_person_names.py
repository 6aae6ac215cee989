"""Names of people and agencies in bylines of many languages."""

from __future__ import annotations

import pytest

from scrapy_boilerplate.metadata.person_names import drop_duplicates, find_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("By Jane Doe", ("Jane Doe",)),
        ("Von Anna Blum und Jörg Klee, dpa", ("Anna Blum", "Jörg Klee", "dpa")),
        ("Por José Paz y Ana Ruiz", ("José Paz", "Ana Ruiz")),
        ("Jane Doe, Senior Reporter", ("Jane Doe",)),
        ("By Jane Doe | May 1, 2024", ("Jane Doe",)),
        ("Jane Doe (London)", ("Jane Doe",)),
        ("Jane Doe, MD, PhD", ("Jane Doe",)),
        ("Posted by admin", ()),
        ("Jane Doe December 5, 2024", ("Jane Doe",)),
        ("Written byJane Doe", ("Jane Doe",)),
        ("Redaktion: Anna Blum (Sprecherin)", ("Anna Blum",)),
        ("Text und Interview: Anna Blum", ("Anna Blum",)),
        ("Text Size", ("Text Size",)),
        ("Harbour Mail Reporter", ("Harbour Mail Reporter",)),
        ("Our Special Correspondent", ("Our Special Correspondent",)),
        ("By Jane Doe, TV/Radio Writer", ("Jane Doe",)),
        ("By Billy Sunday", ("Billy Sunday",)),
        ("Dienstag", ()),
        ("Autorin: Anna Blum, Oktober 2008", ("Anna Blum",)),
        ("Less than a minute", ()),
        ("Creative Commons Attribution", ()),
        ("~ Jane D.", ("Jane D.",)),
        ("Jane Doe -- Harbour Media", ("Jane Doe",)),
        ("作者：王小明 出处：海港日报", ("王小明",)),
        ("责任编辑：王小明", ()),
        ("山田・フェルナンデス・太郎", ("山田・フェルナンデス・太郎",)),
        ("Larry J. Sabato", ("Larry J. Sabato",)),
        ("By Juan de Domingo", ("Juan de Domingo",)),
        ("By Jane Doe, May 3, 2020", ("Jane Doe",)),
        ("5 minutes", ()),
        ("Jane Doe:", ("Jane Doe",)),
        ("Kategorie: News", ()),
        ("Ilustrator: Adam Kos", ()),
        ("By Jane Doe, CEO of Harbour Works", ("Jane Doe",)),
        ("By Jane Doe, head of ferries, and Al Poe", ("Jane Doe", "Al Poe")),
        ("By Jane Doe, head of ferries and Al Poe", ("Jane Doe", "Al Poe")),
        ("Datum: 3. Mai 2024", ()),
        ("时间：2024-05-03", ()),
        ("Autor Jane Doe:", ("Jane Doe",)),
        ("The Harbour Works ©", ()),
        ("Privacy Policy.", ()),
        ("page.head.extra.author", ()),
        ("wordpressadmin", ()),
        ("jane-doe.html", ()),
        ("김민수 기자", ("김민수",)),
        ("Reuters/AFP", ("Reuters", "AFP")),
        ("Originally Posted by seagull", ("seagull",)),
        ("Jane Doe, senior editor and friend of 5 ports", ("Jane Doe",)),
        ("Jane Doe5 May 2024", ("Jane Doe",)),
        ("Author of the article:", ()),
        ("Author(s): Jane Doe", ("Jane Doe",)),
        ("Written by", ()),
        ("jane@harbour.example", ("jane",)),
        ("By Sam Whitfield, Sports Editor", ("Sam Whitfield",)),
        ("By Ann Lee and Bo Diaz, staff writers", ("Ann Lee", "Bo Diaz")),
        ("Ann Lee, Political editor, and Bo Diaz, Chief reporter", ("Ann Lee", "Bo Diaz")),
        ("Par Jean Dupont, envoyé spécial à Lyon", ("Jean Dupont",)),
        ("Par Jean Dupont à Lyon", ("Jean Dupont",)),
        ("Por Ana Ruiz, corresponsal en Lima", ("Ana Ruiz",)),
        ("Di Mario Rossi, inviato a Roma", ("Mario Rossi",)),
        ("Von Anna Blum, Korrespondentin in Kiel", ("Anna Blum",)),
        ("Anna Blum, Redakteurin Politik", ("Anna Blum",)),
        ("By Jane Goodfellow, Mary Longfellow", ("Jane Goodfellow", "Mary Longfellow")),
        ("Jane Doe | WXYZ", ("Jane Doe",)),
        ("Автор: Вера Лугова | Обновлено 17 июля 2013", ("Вера Лугова",)),
        ("Autor: Jan Kos | Aktualizacja: 17 lipca 2013", ("Jan Kos",)),
        ("Anna Berg | Uppdaterad 17 juli 2013", ("Anna Berg",)),
        ("Νίκος Δήμου | Ενημερώθηκε στις 17 Ιουλίου", ("Νίκος Δήμου",)),
        ("Ayşe Kaya | Güncelleme: 17 Temmuz 2013", ("Ayşe Kaya",)),
        ("王小明 | 更新时间", ("王小明",)),
        ("<script>alert(1)</script>" * 50, ()),
    ],
)
def test_names_in_bylines(text: str, names: tuple[str, ...]) -> None:
    found_names = find_names(text)
    assert found_names == names if "script" not in text else len(found_names) <= 200


@pytest.mark.parametrize(
    "name", ["20 Minutes", "Photo Agency", "Jose Placido Domingo", "國立臺灣大學新聞研究所編輯部"]
)
def test_declared_names_are_no_notes_for_readers(name: str) -> None:
    assert find_names(name, prose=False) == (name,)


@pytest.mark.parametrize("text", ["Will Critic", "Jane Doe, Will Critic", "Jane Doe; Will Critic"])
def test_a_declared_surname_can_be_the_word_of_a_role(text: str) -> None:
    assert find_names(text, prose=False)[-1] == "Will Critic"


def test_a_name_that_ends_with_another_one_is_left_out() -> None:
    names = ("Jane Doe", "All articles by Jane Doe", "JANE DOE", "Al Poe")
    assert drop_duplicates(names) == ("Jane Doe", "Al Poe")
