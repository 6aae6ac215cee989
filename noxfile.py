"""``make test-all``: run the tests with every Python, and the oldest and newest dependencies.

`python -m nox --list` lists the sessions. A Python that is not installed is skipped (with
``--error-on-missing-interpreters`` it is a failure).
"""

from __future__ import annotations

import configparser
import re
from pathlib import Path

import nox

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
OLDEST = PYTHONS[0]
# Tests that run once: they do not depend on versions of packages, or need the extra [bench].
SLOW = ("tests/quality", "tests/training", "tests/example", "tests/test_extraction_corpora.py")
# Tests of the package without its extras.
OWN = (
    "tests/page",
    "tests/steps",
    "tests/article",
    "tests/news",
    "tests/crawl",
    "tests/test_document.py",
)
# Extras for users, except `train`; the extras bench, test, fuzz and matrix are for development.
USERS = "html,poet,zyte,language,dates,justext,redis,batch,spark,spider,evaluate,example-redis"
# Known vulnerabilities that cannot be reached, and why.
ACCEPTED = {
    "PYSEC-2026-1939": "sqlitedict unpickles its files, and no version fixes it (2.1.0)."
    " scrapy-poet requires it but does not import it (0.27.2, 2026-11-22).",
}

nox.options.default_venv_backend = "venv"


def oldest_requirements() -> list[str]:
    """Every dependency of the package at the lowest version that setup.cfg admits."""
    setup = configparser.ConfigParser()
    setup.read("setup.cfg", encoding="utf-8")
    lines = setup["options"]["install_requires"].split()
    return [re.sub(r">=", "==", line) for line in lines]


def run_tests(session: nox.Session) -> None:
    """The tests that only need the extra [test]."""
    ignored = [f"--ignore={path}" for path in SLOW]
    session.run("python", "-m", "pytest", "-q", *ignored, *session.posargs)


@nox.session(python=PYTHONS)
def latest(session: nox.Session) -> None:
    """The newest versions."""
    session.install("-e", ".[test]")
    run_tests(session)


@nox.session(python=OLDEST)
def minimum(session: nox.Session) -> None:
    """The oldest versions of the required dependencies, with the oldest Python."""
    session.install("-e", ".[html]", *oldest_requirements())
    session.install("pytest", "hypothesis", "attrs", "pydantic", *oldest_requirements())
    session.run("python", "-m", "pytest", "-q", *OWN, *session.posargs)


@nox.session
@nox.parametrize("lxml", ["4.9.4", "5.4.0", "6.*"])
def lxml(session: nox.Session, lxml: str) -> None:
    """Native code, built once, with every supported lxml."""
    session.install(
        "-e", ".[html]", f"lxml=={lxml}", "pytest", "hypothesis", "cython>=3.1", "setuptools>=77"
    )
    session.run("python", "-m", "pytest", "-q", "tests/native", *session.posargs)


@nox.session(python=PYTHONS)
def package(session: nox.Session) -> None:
    """Install wheel and sdist, and read a page from an empty directory."""
    session.install("build")
    out = Path(session.create_tmp()).resolve()
    session.run("python", "-m", "build", "--outdir", str(out), silent=True)
    page = out / "page.html"
    page.write_text("<title>Ferry</title><p>" + "The ferry sailed for the island again. " * 9)
    for built in sorted(out.glob("scrapy_boilerplate_removal-*.*")):
        session.install("--force-reinstall", str(built))
        empty = out / "empty"
        empty.mkdir(exist_ok=True)
        with session.chdir(empty):
            session.run("scrapy-boilerplate", "extract", str(page))
            session.run(
                "python", "-c", "import scrapy_boilerplate as s; s.Addon; s.extract('<p>x')"
            )


@nox.session
def audit(session: nox.Session) -> None:
    """Check the package and its extras for users for known vulnerabilities.

    A package that is not in the index is an error, because pip-audit would skip it and succeed.
    """
    session.install("pip-audit", f".[{USERS}]")
    own = ("--exclude", "scrapy-boilerplate-removal")
    frozen = str(session.run("python", "-m", "pip", "freeze", *own, silent=True))
    requirements = Path(session.create_tmp(), "installed.txt")
    requirements.write_text(frozen)
    accepted = [option for name in ACCEPTED for option in ("--ignore-vuln", name)]
    pinned = ("--strict", "--no-deps", "--disable-pip", "--requirement", str(requirements))
    session.run("pip-audit", *pinned, *accepted, *session.posargs)
