"""Fixtures and marks of all tests: the corpora, if available, and reproducible property tests.

With `SCRAPY_BOILERPLATE_NO_SKIPS` set (CI does), a test that would be skipped fails.

A mark skips a test where a requirement is missing, and gives the reason:
`@pytest.mark.posix("Ctrl-C is a signal")`, `@pytest.mark.linux("/proc")`, and
`@pytest.mark.torch("trains a net")`, because the extra [test] does not install torch.
"""

import os
import sys
from collections.abc import Generator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "stable",
    derandomize=True,
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("stable")

REPO = Path(__file__).resolve().parent.parent
NO_SKIPS_VARIABLE = "SCRAPY_BOILERPLATE_NO_SKIPS"
CORPORA_VARIABLE = "SCRAPY_BOILERPLATE_CORPORA"
# Marks of tests, and whether their requirement is met.
NEEDS = {
    "posix": os.name == "posix",
    "linux": sys.platform == "linux",
    "torch": find_spec("torch") is not None,
}


def pytest_configure(config: pytest.Config) -> None:
    """Register the marks of `NEEDS`."""
    for name in NEEDS:
        config.addinivalue_line("markers", f"{name}(reason): skipped elsewhere, for this reason")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests whose requirement is missing."""
    for item in items:
        for name, is_here in NEEDS.items():
            mark = item.get_closest_marker(name)
            if mark is not None and not is_here:
                item.add_marker(pytest.mark.skip(reason=f"needs {name}: {mark.args[0]}"))


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of the corpora (`<name>.jsonl.xz`); the test is skipped without them.

    `SCRAPY_BOILERPLATE_CORPORA` names it; without that, `../shared/corpora` beside the repository.
    """
    folder = Path(os.environ.get(CORPORA_VARIABLE) or REPO.parent / "shared" / "corpora")
    if not folder.is_dir():
        pytest.skip(f"no corpora at {folder}; {CORPORA_VARIABLE} can name another folder")
    return folder


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With NO_SKIPS, turn a skip into a failure with the same reason."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get(NO_SKIPS_VARIABLE):
        report.outcome = "failed"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for a whole module that is skipped while it is read."""
    report = yield
    if report.skipped and os.environ.get(NO_SKIPS_VARIABLE):
        report.outcome = "failed"
    return report
