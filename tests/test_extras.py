"""Messages about missing extras, and about the other project with the same module name."""

import subprocess
import sys
from pathlib import Path

import pytest

from scrapy_boilerplate.workers.pool import WorkerOptions, WorkerPool, WorkerRequest
from tests.conftest import REPO

OTHER = "scrapy_boilerplate-0.2.1.dist-info"


def import_beside(folder: Path, *names: str) -> str:
    """The warnings of the first import with these entries of `folder` on the path."""
    for name in names:
        (folder / name).mkdir()
    places = [str(REPO), "/nonexistent", str(folder), str(Path(__file__))]
    code = (
        f"import sys; sys.path[:0] = {places}; import scrapy_boilerplate, scrapy_boilerplate.items"
    )
    # isolated: neither the environment nor the folder of the test is on the path
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], stderr=subprocess.PIPE, check=True, encoding="utf-8"
    )
    return done.stderr


@pytest.mark.parametrize("name", [OTHER, "Scrapy.Boilerplate-0.2.1-py3.11.egg-info"])
def test_the_other_project_is_told_once(name: str, tmp_path: Path) -> None:
    said = import_beside(tmp_path, "attrs-26.1.0.dist-info", name)
    assert said.count("UserWarning: The project scrapy-boilerplate is installed, ") == 1
    assert "pip uninstall scrapy-boilerplate\n" in said


def test_nothing_is_told_of_other_names(tmp_path: Path) -> None:
    names = (
        "scrapy_boilerplate_removal-0.1.0.dist-info",
        "scrapy_boilerplate.egg-info",
        "my_scrapy_boilerplate-0.2.1.dist-info",
        "scrapy_boilerplate-0.2.1.tar.gz",
    )
    assert import_beside(tmp_path, *names) == ""


def test_workers_leave_it_to_their_parent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / OTHER).mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    options = WorkerOptions(
        entry_point="tests.workers.obedient_worker:serve_commands", start_timeout=60
    )
    with WorkerPool(1, options) as pool:
        request = WorkerRequest(header={"action": "echo"}, body=b"back", timeout=60)
        assert pool.submit(request).result(60).body == b"back"
    assert capfd.readouterr().err == ""
