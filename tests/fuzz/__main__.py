"""``python -m tests.fuzz``: coverage-guided fuzzing with atheris, of `RUNS` inputs at most.

Options of libFuzzer follow ``--``: ``python -m tests.fuzz --folder F -- -max_total_time=3600``.
What it finds is written as ``crash-...`` or ``timeout-...`` into the current directory; run it
again with that file's name behind ``--``. Without atheris it says what to install.
"""

import argparse
import hashlib
import logging
import sys
from pathlib import Path
from random import Random

try:
    import atheris
except ImportError:
    sys.exit("fuzzing needs atheris: pip install -e '.[fuzz]'")

with atheris.instrument_imports(include=["scrapy_boilerplate"]):
    from tests.fuzz import targets

from tests.fuzz.mutations import mutate
from tests.fuzz.seeds import read_seeds

CORPORA = Path(__file__).parents[3] / "shared" / "corpora"
# Share of inputs that our mutations make; libFuzzer's make the others.
OWN_SHARE = 0.7
# Inputs until it ends, before the 10 KB an input that atheris itself keeps (measured 2026-11-22)
# come to the limit of memory. Start it again: the folder keeps the inputs.
RUNS = 300_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path(".fuzz"), help="of inputs; grows")
    parser.add_argument("--pages", type=int, default=20, help="of each corpus (%(default)s)")
    parser.add_argument("libfuzzer", nargs="*", help="options of libFuzzer, or an input")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    inputs = list(read_seeds(CORPORA, options.pages))
    for data in inputs:
        (options.folder / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
    random = Random(1)  # noqa: S311 - no secret

    def mutate_input(data: bytes, max_size: int, seed: int) -> bytes:
        random.seed(seed)
        if random.random() < OWN_SHARE and data:
            return mutate(data, random.choice(inputs), random)[:max_size]
        by_libfuzzer: bytes = atheris.Mutate(data, max_size)
        return by_libfuzzer

    logging.disable(logging.CRITICAL)  # warnings about bad pages
    arguments = [sys.argv[0], f"-max_len={targets.LONGEST}", "-timeout=60", "-rss_limit_mb=4000"]
    if not any(Path(argument).is_file() for argument in options.libfuzzer):  # which are run once
        arguments += [f"-runs={RUNS}", str(options.folder)]
    atheris.Setup([*arguments, *options.libfuzzer], targets.run, custom_mutator=mutate_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
