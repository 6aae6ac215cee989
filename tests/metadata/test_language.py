"""Which language a page is in: what it declares, checked against its text."""

from __future__ import annotations

import pytest

from scrapy_boilerplate.extraction import extract

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
    found = extract(f"<html lang={code}><body><article><p>{sample * 6}</p></article></body></html>")
    assert found.error is None
    assert found.language is not None
