"""The environment of a measured process."""

from __future__ import annotations

import os

from scrapy_boilerplate.native import VARIABLE


def build_environment(is_native: bool) -> dict[str, str]:
    """Return the environment of this process, with native code enabled or disabled."""
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    return environment if is_native else {**environment, VARIABLE: "0"}
