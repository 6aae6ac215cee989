"""Regular expressions that many pages do without."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from scrapy_boilerplate.steps.pickling import PickledFields


@dataclass(frozen=True)
class LatePattern(PickledFields):
    """A regular expression that is compiled for its first text: at import it would take longer."""

    pattern: str
    flags: int = 0

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self.flags)

    def search(self, text: str) -> re.Match[str] | None:
        return self.compiled.search(text)

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        return self.compiled.match(text, start)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return self.compiled.finditer(text)

    def sub(self, replacement: str, text: str) -> str:
        return self.compiled.sub(replacement, text)
