"""Tags that show no text, and tags that do not end a text block."""

from scrapy_boilerplate.page.columns import ENTITY

# elements whose text is left out. `noscript` and `template` are not among them: on pages that load
# lazily they hold the article
INVISIBLE = frozenset(
    (
        # never rendered as text of the page, in any state of it
        "title style script link meta base param "
        # (not `embed`: libxml2 puts the following nodes inside it)
        # images, and fallbacks that show only where media cannot be played (as in boilerpipe)
        "svg canvas audio video object applet iframe "
        # choices, not text (boilerpipe ignores OPTION, jusText calls it bad)
        "select option optgroup datalist "
        # pronunciation of the word beside it
        f"rt rp {ENTITY}"
    ).split()
)

# elements that do not end a text block. Every other element does, unknown ones too (as in
# boilerpipe)
INLINE = frozenset(
    (
        # boilerpipe 1.2, inline with and without white space, and A
        "a abbr acronym b code em font i span strike strong sub sup tt u var "
        # the other phrasing elements of HTML (HTML Standard, "Text-level semantics") and HTML 4
        "basefont bdi bdo big blink cite data del dfn ins kbd label mark nobr output q rb ruby rtc "
        "s samp small time wbr "
        # images and marks within a line
        "br img input math meter picture progress source svg "
        # invisible elements do not end a line
        f"link meta rp rt script style title {ENTITY}"
    ).split()
)
# tags of a regular head
METADATA = frozenset("base link meta script style title".split())
# elements whose white space is shown
PREFORMATTED = frozenset(("pre", "listing", "xmp"))
