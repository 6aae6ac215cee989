"""The code blocks of README.md, docs/ and the example project."""

import ast
import re
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from tests.conftest import REPO

PAGES = (
    REPO / "README.md",
    *sorted((REPO / "docs").rglob("*.md")),
    REPO / "example_project" / "README.md",
)
_find_fences = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE).finditer
_find_indented = re.compile(r"(?<=\n\n)(?: {4}.+\n)+(?=\n)").finditer


@dataclass(frozen=True)
class CodeBlock:
    """One block: its page, its language ("" if it says none), its code."""

    page: str
    line: int
    language: str
    code: str

    @property
    def first_line(self) -> str:
        """The first line of the code, which names the block together with its page."""
        return self.code.splitlines()[0].strip()

    @property
    def is_settings(self) -> bool:
        if self.language != "python":
            return False
        statements = ast.parse(self.code).body
        return all(
            isinstance(statement, ast.Assign)
            and isinstance(statement.targets[0], ast.Name)
            and statement.targets[0].id.isupper()
            for statement in statements
        )

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def read_blocks(page: Path) -> list[CodeBlock]:
    """Return the blocks of a page, fenced or indented by four spaces, in order.

    Directives (```{toctree}`) are no code: `make docs` runs them.
    """
    text, name = page.read_text(encoding="utf-8"), page.relative_to(REPO).as_posix()
    matches = list(_find_fences(text))
    fenced = [(match.start(), match[1], match[2]) for match in matches if match[1][:1] != "{"]
    fences = [range(match.start(), match.end()) for match in matches]
    indented = [
        (match.start(), "", dedent(match[0]))
        for match in _find_indented(text)
        if not any(match.start() in fence for fence in fences)
    ]
    return [
        CodeBlock(name, text.count("\n", 0, start) + 1, language, code)
        for start, language, code in sorted(fenced + indented)
    ]


BLOCKS = [block for page in PAGES for block in read_blocks(page)]


def find_block(page: str, first_line: str) -> CodeBlock:
    [block] = [block for block in BLOCKS if (block.page, block.first_line) == (page, first_line)]
    return block


def read_commands(block: CodeBlock) -> list[str]:
    """Return the commands of a block of a shell, without comments, each in one line."""
    code = re.sub(r"\\\n\s*|\n +", " ", block.code)
    lines = [re.sub(r"(^|\s+)# .*", "", line).removeprefix("$ ") for line in code.splitlines()]
    return [line for line in lines if line.strip()]
