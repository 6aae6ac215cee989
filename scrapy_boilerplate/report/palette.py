"""Colours and text marks of labels and curves, for every picture.

The colours of Okabe and Ito 2008 ("Color Universal Design") can be distinguished with a colour
vision deficiency. No picture relies only on colour.
"""

from collections.abc import Mapping

from scrapy_boilerplate.page.labels import Label

GREY, BLUE, GREEN, ORANGE = "#767676", "#0072B2", "#009E73", "#E69F00"
SKY, PURPLE, VERMILLION, BLACK = "#56B4E9", "#CC79A7", "#D55E00", "#000000"

# Label to its colour. (Of the eight, yellow is left out: it is lost on white.)
COLOURS: Mapping[Label, str] = dict(
    zip(Label, (GREY, BLUE, GREEN, ORANGE, SKY, PURPLE), strict=True)
)

# Label to the letter beside its colour.
MARKS: Mapping[Label, str] = dict(zip(Label, "BHTSRC", strict=True))
# Label to the hatch of its bars, beside their colour.
HATCHES: Mapping[Label, str] = dict(zip(Label, ("", "//", "..", "xx", "--", "oo"), strict=True))
# Label to the name that readers see.
NAMES: Mapping[Label, str] = {label: label.text.replace("_", " ") for label in Label}
# Colours of curves, in order.
CURVES = (BLUE, ORANGE, GREEN, VERMILLION, PURPLE, SKY, BLACK)


def mix_colours(colour: str, ground: str, opacity: float) -> str:
    """Return `colour` over `ground` (``#RRGGBB`` both) at an opacity of 0 to 1."""
    channels = zip(bytes.fromhex(colour[1:]), bytes.fromhex(ground[1:]), strict=True)
    mixed = (round(above * opacity + below * (1 - opacity)) for above, below in channels)
    return "#" + "".join(f"{channel:02x}" for channel in mixed)
