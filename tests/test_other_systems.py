"""Every module can be imported on Windows."""

import os
import subprocess
import sys

import pytest

from tests.conftest import REPO

IMPORT = """
import importlib, os, pkgutil, select, signal, socket, sys, types
import scrapy_boilerplate

def import_all():
    for module in pkgutil.walk_packages(scrapy_boilerplate.__path__, "scrapy_boilerplate."):
        if not module.name.rpartition(".")[2].startswith("_"):
            importlib.import_module(module.name)

import_all()  # other packages have found out which system they are on
for name in list(sys.modules):
    if name.partition(".")[0] == "scrapy_boilerplate":
        del sys.modules[name]
for name in ("fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios"):
    sys.modules[name] = None
sys.modules["msvcrt"] = types.ModuleType("msvcrt")
for module, names in {
    signal: "SIGALRM SIGHUP SIGKILL SIGSTOP SIGUSR1 alarm setitimer",
    os: "fork geteuid getuid killpg mkfifo nice sched_getaffinity setsid statvfs sysconf wait4",
    select: "epoll kqueue poll",
    socket: "AF_UNIX",
}.items():
    for name in names.split():
        module.__dict__.pop(name, None)
sys.platform = "win32"
import_all()
"""


@pytest.mark.posix("Windows is made of a system that has more")
def test_every_module_can_be_imported_on_windows() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORT],
        cwd=REPO,
        env={**os.environ, "SCRAPY_BOILERPLATE_NATIVE": "0", "PYTHONPATH": str(REPO)},
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
