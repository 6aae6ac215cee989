"""The compiled modules, which setup.cfg cannot declare.

They are left out without a C compiler, and with SCRAPY_BOILERPLATE_NATIVE=0, which builds the wheel
for all platforms. An sdist contains their C code, so it builds without Cython.
"""

import os
import re
from configparser import ConfigParser
from importlib.util import find_spec
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.sdist import sdist

NATIVE = Path("scrapy_boilerplate", "native")
# a Python source is compiled where a file of the same name declares C types for it
PYTHON_SOURCES = [path.with_suffix(".py") for path in NATIVE.glob("*.pxd")]
SOURCES = sorted(path.as_posix() for path in (*NATIVE.glob("*.pyx"), *PYTHON_SOURCES))
HEADERS = [path.as_posix() for path in sorted((*NATIVE.glob("*.h"), *NATIVE.glob("*.pxd")))]

RELATIVE_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:)([^)#]+)([^)]*)\)")
VERSION = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)

# without debug information, which is most of a module, and with each operation on floats rounded as
# numpy does: a product and a sum are not fused
FLAGS = ["-g0", "-ffp-contract=off"] if os.name == "posix" else []


class SourceDistribution(sdist):
    """An sdist with the C code from Cython."""

    def run(self) -> None:
        from Cython.Build import cythonize  # noqa: PLC0415 - an sdist builds without it

        cythonize(SOURCES)
        super().run()


def build_extension(source: str) -> Extension:
    """Return a module that is left out if it cannot be compiled."""
    path = Path(source)
    name = ".".join(path.with_suffix("").parts)
    if not has_cython:
        path = path.with_suffix(".c")
    return Extension(
        name,
        [path.as_posix()],
        depends=HEADERS,
        extra_compile_args=FLAGS,
        extra_link_args=FLAGS,
        optional=True,
    )


def read_source_url() -> str | None:
    """Return the URL `Source` in the `project_urls` of setup.cfg, or None."""
    config = ConfigParser()
    config.read("setup.cfg", encoding="utf-8")
    lines = config["metadata"].get("project_urls", "").splitlines()
    urls = {name.strip(): url.strip() for name, _, url in (x.partition("=") for x in lines)}
    return urls.get("Source")


def read_description() -> str:
    """Return README.md for a package index, which does not have the linked files.

    Links to files and pictures lead to this version in the repository on GitHub. Without its URL,
    the names of the files in the sdist replace links, and pictures are left out.
    """
    source = read_source_url()
    init = Path("scrapy_boilerplate", "__init__.py").read_text(encoding="utf-8")
    tag = f"v{VERSION.search(init)[1]}"

    def resolve(link: re.Match[str]) -> str:
        mark, text, file, anchor = link.groups()
        if source is not None:
            kind = "raw" if mark else "blob"
            return f"{mark}[{text}]({source}/{kind}/{tag}/{file}{anchor})"
        if mark:
            return ""
        return text if text == file else f"{text} ({file})"

    return RELATIVE_LINK.sub(resolve, Path("README.md").read_text(encoding="utf-8"))


has_cython = find_spec("Cython") is not None
switched_off = os.environ.get("SCRAPY_BOILERPLATE_NATIVE") == "0"
setup(
    long_description=read_description(),
    ext_modules=[] if switched_off else [build_extension(source) for source in SOURCES],
    cmdclass={"sdist": SourceDistribution},
)
