"""A short run of the fuzzing targets, the same inputs each time; and what long runs have found."""

from random import Random

import pytest

from scrapy_boilerplate.extractors import MODULES, has_maker
from tests.fuzz.mutations import mutate
from tests.fuzz.seeds import read_seeds
from tests.fuzz.targets import CUT, SPECIAL, check_page, run

# Mutations of every seed.
ROUNDS = 3
# Of so many pages one is mutated for an extractor.
EACH = 2
# Name of what went wrong once, to the input.
FOUND: dict[str, bytes] = {
    "control characters in and behind a title that swallowed the page": b"\0<title>Fer\x01ry<p>"
    + b"one two " * 200
    + b"</title>\x02 three<p>four",
    "a body behind the end of the page, a root of its own": b"\0<meta ></html>n",
    "a tag's name that makeelement refuses, in a page that is cut": bytes([CUT, 200, 3])
    + b"<p>one</p><fi&#0;gure>two<b>three</b></fi&#0;gure><p>four",
}


# an extractor of each module, and each that has a model of its own
BY_MODULE = {module: name for name, module in MODULES.items()}
REPRESENTATIVES = sorted({*BY_MODULE.values(), *filter(has_maker, MODULES)})


@pytest.mark.parametrize("name", REPRESENTATIVES)
def test_pages_break_no_extractor(name: str) -> None:
    pages = [seed[1:] for seed in read_seeds(None, 0) if seed[0] not in SPECIAL]
    random = Random(name)  # noqa: S311 - no secret
    for page in pages[::EACH]:
        data = mutate(b"\x00" + page, random.choice(pages), random)
        check_page(data[1:], name)
    for found in FOUND.values():
        if found[0] not in SPECIAL:
            check_page(found[1:], name)


@pytest.mark.parametrize("kind", SPECIAL)
def test_mutated_inputs_of_other_kinds_break_nothing(kind: int) -> None:
    seeds = [seed for seed in read_seeds(None, 0) if seed[0] == kind]
    random = Random(10)  # noqa: S311 - no secret
    for seed in seeds:
        run(seed)
        for _ in range(ROUNDS):
            data = mutate(seed, random.choice(seeds), random)
            run(seed[:1] + data[1:])


@pytest.mark.parametrize("content", FOUND.values(), ids=FOUND)
def test_what_was_found_once_breaks_nothing(content: bytes) -> None:
    run(content)
