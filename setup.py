"""The native twins, which setup.cfg cannot declare.

Without a C compiler they are left out, and with SCRAPY_BOILERPLATE_NATIVE=0, which makes the wheel
for every platform. An sdist holds their C, too: it builds without Cython.
"""

import os
import re
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.sdist import sdist

NATIVE = Path("scrapy_boilerplate", "native")
SOURCES = [path.as_posix() for path in sorted(NATIVE.glob("*.pyx"))]
HEADERS = [path.as_posix() for path in sorted(NATIVE.glob("*.h"))]

RELATIVE_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:)([^)#]+)[^)]*\)")

# without what a debugger needs, which is most of a module
FLAGS = ["-g0"] if os.name == "posix" else []


class SourceDistribution(sdist):
    """An sdist with the C that Cython makes."""

    def run(self) -> None:
        from Cython.Build import cythonize  # noqa: PLC0415 - an sdist builds without it

        cythonize(SOURCES)
        super().run()


def build_extension(source: str) -> Extension:
    """Return a module that is left out if it cannot be compiled."""
    name = source.removesuffix(".pyx").replace("/", ".")
    return Extension(
        name,
        [source],
        depends=HEADERS,
        extra_compile_args=FLAGS,
        extra_link_args=FLAGS,
        optional=True,
    )


def read_description() -> str:
    """Return README.md with the names of files in place of links to them, without pictures.

    A package index has no files beside it. The sdist has them under these names.
    """

    def name_file(link: re.Match[str]) -> str:
        is_picture, text, file = link.groups()
        if is_picture:
            return ""
        return text if text == file else f"{text} ({file})"

    return RELATIVE_LINK.sub(name_file, Path("README.md").read_text(encoding="utf-8"))


switched_off = os.environ.get("SCRAPY_BOILERPLATE_NATIVE") == "0"
setup(
    long_description=read_description(),
    ext_modules=[] if switched_off else [build_extension(source) for source in SOURCES],
    cmdclass={"sdist": SourceDistribution},
)
