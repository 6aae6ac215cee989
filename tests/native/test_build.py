"""Building: with a C compiler, without one, and the wheel for every platform."""

import os
import re
import shutil
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path
from sysconfig import get_config_var
from zipfile import ZipFile

import pytest

from scrapy_boilerplate import __version__
from tests.conftest import REPO

FILES = ("setup.py", "setup.cfg", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE")
HEADERS = ("near", "net_layers")
VARIABLE = "SCRAPY_BOILERPLATE_NATIVE"
NOT_COMPILED = "not compiled"
# An option of compilers: the modules work, and are made in a third of the time.
QUICK = "-O0"


@pytest.fixture(scope="module")
def cythonized(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with an sdist beside it, and so with the C of all modules."""
    pytest.importorskip("Cython")
    folder = tmp_path_factory.mktemp("build") / "checkout"
    ignore = shutil.ignore_patterns("*.so", "*.pyd", "*.c", "__pycache__")
    shutil.copytree(REPO / "scrapy_boilerplate", folder / "scrapy_boilerplate", ignore=ignore)
    for name in FILES:
        shutil.copy(REPO / name, folder)
    run(["setup.py", "-q", "sdist", "--formats", "zip", "--dist-dir", ".."], folder)
    return folder


@pytest.fixture
def checkout(cythonized: Path, tmp_path: Path) -> Path:
    """A copy of it: Cython does not run again."""
    return shutil.copytree(cythonized, tmp_path / "checkout")


def run(arguments: list[str], folder: Path, **variables: str) -> str:
    environment = {key: os.environ[key] for key in os.environ if key != VARIABLE} | variables
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**environment, "PYTHONPATH": "", "PYTHONUTF8": "1"},
        check=True,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ).stdout


def build_wheel(checkout: Path, **variables: str) -> Path:
    options = ["-q", "--no-deps", "--no-build-isolation", "--wheel-dir", ".."]
    run(["-m", "pip", "wheel", ".", *options], checkout, **variables)
    (wheel,) = checkout.parent.glob("*.whl")
    with ZipFile(wheel) as archive:
        archive.extractall(checkout.parent / "installed")
    return wheel


def compiled(wheel: Path) -> set[str]:
    folder = wheel.parent / "installed" / "scrapy_boilerplate" / "native"
    return {path.name.partition(".")[0] for path in (*folder.glob("*.so"), *folder.glob("*.pyd"))}


def use(wheel: Path, arguments: list[str]) -> str:
    return run(["-m", "scrapy_boilerplate.cli", *arguments], wheel.parent / "installed")


@pytest.mark.parametrize("sources", ["", "https://code.example/boilerplate"])
def test_the_description_for_a_package_index(checkout: Path, sources: str) -> None:
    """Names of files, or links to the sources if their URL is known."""
    config = ConfigParser()
    config.read(checkout / "setup.cfg", encoding="utf-8")
    urls = f"\nTracker = {sources}/issues\nSource = {sources}" if sources else ""
    config["metadata"]["project_urls"] = urls
    with (checkout / "setup.cfg").open("w", encoding="utf-8") as file:
        config.write(file)
    description = run(["setup.py", "-q", "--long-description"], checkout)
    links = re.findall(r"\]\(([^)]+)\)", description)
    assert bool(links) == bool(sources)
    assert [link for link in links if not link.startswith("https://")] == []
    usage = f"{sources}/blob/v{__version__}/docs/usage/callbacks.md#without-scrapy"
    assert (f"({usage})" in description) == bool(sources)
    assert (f"]({sources}/raw/v{__version__}/docs/inspect.png)" in description) == bool(sources)
    assert ("First steps (docs/first-steps.md)" in description) == (not sources)
    assert ("![" in description) == bool(sources)


def test_without_a_compiler(checkout: Path) -> None:
    wheel = build_wheel(checkout, CC="/nonexistent", CXX="/nonexistent")
    assert compiled(wheel) == set()
    assert NOT_COMPILED in use(wheel, ["--version"])
    (wheel.parent / "page.html").write_text("<title>Ferry</title><p>" + "One two three. " * 30)
    assert "One two three" in use(wheel, ["extract", "../page.html"])


@pytest.mark.skipif(
    os.name == "posix" and shutil.which((get_config_var("CC") or "cc").split()[0]) is None,
    reason="no C compiler",
)
def test_with_a_compiler(checkout: Path) -> None:
    native = checkout / "scrapy_boilerplate" / "native"
    sources = {path.stem for kind in ("pyx", "pxd") for path in native.glob(f"*.{kind}")}
    wheel = build_wheel(checkout, CFLAGS=QUICK)
    assert compiled(wheel) == sources != set()
    assert NOT_COMPILED not in use(wheel, ["--version"])


def test_the_wheel_for_every_platform(checkout: Path) -> None:
    wheel = build_wheel(checkout, **{VARIABLE: "0"})
    assert wheel.name.endswith("-py3-none-any.whl")
    assert NOT_COMPILED in use(wheel, ["--version"])


def test_an_sdist_holds_the_sources_and_their_c(cythonized: Path) -> None:
    (sdist,) = cythonized.parent.glob("*.zip")
    names = {Path(name).name for name in ZipFile(sdist).namelist()}
    native = cythonized / "scrapy_boilerplate" / "native"
    assert {path.name for path in native.iterdir() if path.is_file()} <= names
    sources = [*native.glob("*.pyx"), *native.glob("*.pxd")]
    assert {f"{path.stem}.c" for path in sources} <= names


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
def test_headers_for_a_compiler_without_vectors_and_restrict(tmp_path: Path) -> None:
    """Like Microsoft's compiler, as far as gcc can imitate it."""
    headers = [REPO / "scrapy_boilerplate" / "native" / f"{name}.h" for name in HEADERS]
    source = tmp_path / "headers.c"
    lines = [
        *(f"#include <{name}.h>" for name in ("math", "stdint", "stdlib", "string")),
        *("#undef __GNUC__", "#define _MSC_VER 1900", "#define restrict unknown"),
        *(f'#include "{path.as_posix()}"' for path in headers),
        "int main(void) { return !run_net || !find_near_rows; }",
    ]
    source.write_text("\n".join(lines))
    subprocess.run(["gcc", "-w", "-o", tmp_path / "headers", source, "-lm"], check=True)
