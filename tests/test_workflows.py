"""Workflows run commands that exist, and what names a version names the same one."""

from __future__ import annotations

import ast
import configparser
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from scrapy_boilerplate import __version__
from tests.conftest import REPO

WORKFLOWS = sorted((REPO / ".github" / "workflows").glob("*.yml"))
MAKEFILE = (REPO / "Makefile").read_text(encoding="utf-8")
_find_pins = re.compile(r"\$\{\{ matrix\.(\w+) \}\}")


def load_yaml(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def list_commands(path: Path) -> list[str]:
    """Every command of a workflow, once for each value of its matrix."""
    commands = []
    for job in load_yaml(path)["jobs"].values():
        matrix = job.get("strategy", {}).get("matrix", {})
        for step in job.get("steps", []):
            lines = [line.strip() for line in step.get("run", "").splitlines()]
            for name in _find_pins.findall("\n".join(lines)):
                lines = [
                    line.replace(f"${{{{ matrix.{name} }}}}", value)
                    for line in lines
                    for value in matrix[name]
                ]
            commands += lines
    return commands


COMMANDS = [command for path in WORKFLOWS for command in list_commands(path)]


def list_sessions() -> set[str]:
    """The names of nox's sessions, with the Pythons of those that have several."""
    tree = ast.parse((REPO / "noxfile.py").read_text(encoding="utf-8"))
    values = {
        target.id: ast.unparse(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    names = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
            if any(decorator.startswith("nox.session") for decorator in decorators):
                names.add(node.name)
            if "nox.session(python=PYTHONS)" in decorators:
                pythons = ast.literal_eval(values["PYTHONS"])
                names |= {f"{node.name}-{python}" for python in pythons}
    return names


def test_targets_of_make_exist() -> None:
    targets = {command.split()[1] for command in COMMANDS if command.startswith("make ")}
    assert targets
    assert targets <= set(re.findall(r"^([\w-]+):", MAKEFILE, re.MULTILINE))


def test_sessions_of_nox_exist() -> None:
    asked = [command for command in COMMANDS if " nox --session " in command]
    names = {
        name.strip('"')
        for command in asked
        for name in command.partition(" --session ")[2].partition(" -- ")[0].split()
    }
    assert names
    assert names <= list_sessions()


def list_needs(job: dict[str, Any]) -> list[str]:
    """The jobs that a job waits for: a name, or a list of names."""
    needs = job.get("needs", [])
    return [needs] if isinstance(needs, str) else needs


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_what_jobs_use_and_need_exists(path: Path) -> None:
    jobs = load_yaml(path)["jobs"]
    for job in jobs.values():
        assert ("uses" in job) != ("timeout-minutes" in job)
        if "uses" in job:
            called = load_yaml(REPO / job["uses"])
            assert "workflow_call" in called[True]  # YAML's `on`
        assert set(list_needs(job)) <= set(jobs)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_by_hash(path: Path) -> None:
    """A tag can be moved. Dependabot reads the version from the comment."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if " uses: " in line]
    actions = [line.partition("uses: ")[2] for line in lines if "uses: ./" not in line]
    pin = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
    assert [action for action in actions if not pin.fullmatch(action)] == []


def test_a_release_waits_for_tests_and_wheels() -> None:
    jobs = load_yaml(REPO / ".github" / "workflows" / "release.yml")["jobs"]
    waited_for = list_needs(jobs["publish"])
    called = {Path(jobs[name]["uses"]).name for name in waited_for}
    assert called == {"tests.yml", "wheels.yml"}
    assert [list_needs(jobs[name]) for name in waited_for] == [["version"], ["version"]]


def test_pythons_that_are_tested() -> None:
    setup = configparser.ConfigParser()
    setup.read(REPO / "setup.cfg", encoding="utf-8")
    latest = load_yaml(REPO / ".github" / "workflows" / "tests.yml")["jobs"]["latest"]
    tested = latest["strategy"]["matrix"]["python"]
    assert {f"latest-{python}" for python in tested} == {
        name for name in list_sessions() if name.startswith("latest-")
    }
    classifiers = setup["metadata"]["classifiers"]
    assert set(re.findall(r":: (3\.\d+)$", classifiers, re.MULTILINE)) <= set(tested)
    assert setup["options"]["python_requires"] == f">={tested[0]}"


def test_vulnerabilities_are_looked_for_in_every_extra_of_users() -> None:
    """All but those that train, and those that only the project itself needs."""
    setup = configparser.ConfigParser()
    setup.read(REPO / "setup.cfg", encoding="utf-8")
    noxfile = (REPO / "noxfile.py").read_text(encoding="utf-8")
    [users] = re.findall(r'^USERS = \(\n    "(.+)"$', noxfile, re.MULTILINE)
    ours = {"test", "bench", "docs", "fuzz", "coverage", "matrix", "release", "train"}
    assert set(users.split(",")) == set(setup["options.extras_require"]) - ours


def test_what_names_the_version() -> None:
    assert load_yaml(REPO / "CITATION.cff")["version"] == __version__
    changelog = (REPO / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.findall(r"^## (\d\S*) - (\d{4}-\d\d-\d\d)$", changelog, re.MULTILINE)[0]
    released = load_yaml(REPO / "CITATION.cff")["date-released"]
    assert newest == (__version__, released)


def test_the_address_of_the_sources_is_the_same_everywhere() -> None:
    """Nowhere, before there is one; see CONTRIBUTING.md."""
    setup = configparser.ConfigParser()
    setup.read(REPO / "setup.cfg", encoding="utf-8")
    urls = setup["metadata"].get("project_urls", "")
    addresses = re.findall(r"^Source *= *(.+)$", urls, re.MULTILINE)
    assert [load_yaml(REPO / "CITATION.cff").get("repository-code")] == (addresses or [None])


def test_pre_commit_has_the_ruff_of_the_tests() -> None:
    setup = configparser.ConfigParser()
    setup.read(REPO / "setup.cfg", encoding="utf-8")
    pinned = re.findall(r"^ruff~=(.+)$", setup["options.extras_require"]["test"], re.MULTILINE)
    hooks = {
        hook["repo"]: hook["rev"] for hook in load_yaml(REPO / ".pre-commit-config.yaml")["repos"]
    }
    assert [f"v{version}" for version in pinned] == [
        rev for repo, rev in hooks.items() if "ruff" in repo
    ]


def test_modules_and_tests_of_mutants_exist() -> None:
    setup = configparser.ConfigParser()
    setup.read(REPO / "setup.cfg", encoding="utf-8")
    mutmut = setup["mutmut"]
    assert all((REPO / path).is_file() for path in mutmut["only_mutate"].split())
    for test in mutmut["pytest_add_cli_args_test_selection"].split():
        path, _, name = test.partition("::")
        assert f"def {name}" in (REPO / path).read_text(encoding="utf-8"), test
