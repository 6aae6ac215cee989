"""The native twins, which setup.cfg cannot declare. Without a C compiler they are left out."""

from pathlib import Path

from setuptools import Extension, setup

NATIVE = Path("scrapy_boilerplate", "native")
HEADERS = [path.as_posix() for path in sorted(NATIVE.glob("*.h"))]

setup(
    ext_modules=[
        Extension(
            f"scrapy_boilerplate.native.{path.stem}",
            [path.as_posix()],
            depends=HEADERS,
            optional=True,
        )
        for path in sorted(NATIVE.glob("*.pyx"))
    ]
)
