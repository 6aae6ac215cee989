"""Regular expressions that many pages do without."""

import re
from functools import cached_property


class LatePattern:
    """A regular expression that is compiled for its first text: at import it would take longer."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern, self._flags = pattern, flags

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self._flags)

    def search(self, text: str) -> re.Match[str] | None:
        return self.compiled.search(text)

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        return self.compiled.match(text, start)

    def sub(self, replacement: str, text: str) -> str:
        return self.compiled.sub(replacement, text)
