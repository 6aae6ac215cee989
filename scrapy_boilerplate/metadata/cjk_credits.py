"""Credits of authors in Chinese, Japanese and Korean: ``文・田中太郎``, ``本报记者 王小明``."""

from __future__ import annotations

import re

AUTHOR_LABEL = r"(?:取材|文字?|執筆者?|撰文|作者|著者|筆者|ライター|[记記]者|글|취재|기자)"
_OTHER_LABEL = (
    r"写真|撮影|[摄攝]影|[图圖]|構成|(?:[责責]任)?[编編][辑輯集]|イラスト|翻[译訳譯]|[来來]源|出[处處]|[制製供][图圖]|"
    r"사진|영상|그림|편집"
)
_HAN, _HANGUL = "一-鿿々ヶ", "가-힣"
_NAMES = rf"[{_HAN}]{{2,4}}(?:[、，,\s][{_HAN}]{{2,4}})*"

# The patterns are compiled for the first text with such a character, since that takes 15 ms.
_FIRST = "々"
# Maximum characters of a credit.
MAX_LENGTH = 200
# A date can be before the labels.
_HAS_LETTER = r"[^\W\d年月日时時分]"
_HAS_CJK = f"[{_HAN}{_HANGUL}]"
_SPLIT_LABELS = (
    rf"(?:^|(?<=[\s\d、，,/／|｜]))((?:(?:{AUTHOR_LABEL}|{_OTHER_LABEL})[・·･/／＆&]?)+)"
    r"(\s*[:：=＝／/・●]\s*|\s+)"
)
# Match a full name: other words follow a label and a space, too.
_IS_FULL_NAME = rf"[{_HAN}]{{3,8}}|[{_HANGUL}]{{3}}|[{_HAN}]+ [{_HAN}]+"
# Chinese: the word is before the names; not a press conference.
_AFTER_REPORTER = (
    rf"[{_HAN}]{{0,12}}([记記])者(?![会會])\s*[:：]?\s*({_NAMES})"
    rf"(?:[\s／/][{_HAN}\d]*(?:[报報][导導道]|[电電]|[摄攝]影?))?$"
)
# Korean and Japanese: the word is behind the names.
_BEFORE_REPORTER = (
    rf"(?:[(\[][^)\]]*[)\]]\s*)?(?:([{_HANGUL}·,、/\s]+?)(?:\s+[{_HANGUL}]{{0,4}}(?:선임|인턴|전문|객원|수습))?"
    rf"\s*(?:기자|특파원)|([{_HAN}、]{{4,40}})記者)(?:\W*$|\s+\S+@\S+$|\W+(?:입력|등록|승인|\d{{4}}\W))"
)
_IS_KOREAN_DESK = rf"[{_HANGUL}]+(?:부|팀|뉴스|일보|신문|국|센터)"
_IS_KOREAN_NAME = rf"[{_HANGUL}]{{2,4}}"
_KOREAN_WORDS = f"[{_HANGUL}]+"
_SPLIT_FULL_NAMES = rf"(?<=[{_HAN}]{{3}})・(?=[{_HAN}]{{3}})"
_DROP_ROLE = (
    rf"^[{_HAN}ァ-ヺー]{{1,8}}[部局班社室課]\s+(?=[{_HAN}])|(?<=[{_HAN}]{{2}})(?:[记記]者|特派員)$"
)


def read_cjk_credit(text: str) -> str | None:
    """Return the names that a line credits as authors, with "、" between them.

    "" if it only credits photographers and the like, None without a credit.
    """
    if len(text) > MAX_LENGTH or not has_cjk(text):
        return None
    if reporter := re.match(_AFTER_REPORTER, text):
        # a Japanese name has a space inside
        spaces = r"[，,\s]" if reporter[1] == "记" else "[，,]"
        return re.sub(spaces, "、", reporter[2])
    if reporter := re.match(_BEFORE_REPORTER, text):
        return _read_korean(reporter[1]) if reporter[1] else reporter[2]
    before, *parts = re.split(_SPLIT_LABELS, text)
    if re.search(_HAS_LETTER, before) or not parts:
        return None
    names = [name.strip(" 、，,/／") for name in parts[2::3]]
    if any(
        gap.isspace() and not re.fullmatch(_IS_FULL_NAME, name)
        for gap, name in zip(parts[1::3], names, strict=True)
    ):
        return None
    of_authors = (
        name
        for label, name in zip(parts[::3], names, strict=True)
        if re.search(AUTHOR_LABEL, label)
    )
    return re.sub(_SPLIT_FULL_NAMES, "、", "、".join(of_authors))


def _read_korean(text: str) -> str | None:
    words = re.findall(_KOREAN_WORDS, text)
    words = [word for word in words if not re.fullmatch(_IS_KOREAN_DESK, word)]
    are_names = all(re.fullmatch(_IS_KOREAN_NAME, word) for word in words)
    return "、".join(words) if words and are_names else None


def drop_cjk_role(name: str) -> str:
    """Return a name without the desk before and the word for a reporter behind it."""
    return re.sub(_DROP_ROLE, "", name) if has_cjk(name) else name


def has_cjk(text: str) -> bool:
    """Return whether a text has a Han character or a Hangul syllable."""
    return not text.isascii() and max(text) >= _FIRST and re.search(_HAS_CJK, text) is not None
