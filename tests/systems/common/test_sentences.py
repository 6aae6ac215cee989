"""What counts as a clause, in several scripts."""

from __future__ import annotations

from scrapy_boilerplate.systems.common.sentences import has_clause


def test_clause() -> None:
    for text, expected in [
        ("one two three four five.", True),
        ("one two three four.", False),
        ("one two three four five", False),
        ("one, two three four five six! Seven", True),
        ("one two, three four, five six.", False),
        ("one two three four five.) six", False),  # a bracket after the mark
        ('"one two three four five."', False),
        ("one two three four five ...", False),  # no letter before the mark
        ("version 1.2 of four five six", False),
        ("एक दो तीन चार पाँच।", True),
        ("واحد اثنان ثلاثة أربعة خمسة؟", True),
        ("这是一个关于城市的故事。", True),
        ("这是。一个。关于。", False),
        ("คนในเมืองนี้บอกว่าเขาทำงานที่นี่ทุกวัน แล้ว", True),
        ("ข่าว กีฬา บันเทิง ธุรกิจ เทคโนโลยี", False),
        ("", False),
        ("." * 50_000, False),
    ]:
        assert has_clause(text) is expected
