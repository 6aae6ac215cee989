"""A worker that does what its requests say."""

import ctypes
import os
import signal
import time
from contextlib import suppress
from typing import Any

from scrapy_boilerplate.workers import pipe

HELD: list[bytearray] = []


def serve_commands() -> None:
    """Serve the pool; where that is gone, end soon."""
    pipe.LAST_RESORT = 1
    pipe.serve(lambda: obey)


def end_slowly() -> None:
    """Close all pipes, also of the answers, and end later."""
    os.closerange(3, 100)
    time.sleep(1.5)
    os._exit(7)


def write_noise() -> None:
    """Write a message of five bytes that are not JSON into the pipe of the answers."""
    for number in range(3, 100):
        with suppress(OSError):
            os.write(number, bytes(7) + b"\5" + bytes(8) + b"noise")


ACTIONS = {"end slowly": end_slowly, "write noise": write_noise}


def obey(request: dict[str, Any], body: bytes) -> tuple[dict[str, Any], bytes]:
    """Run the action of the request; most often send its body back."""
    action = request["action"]
    HELD.append(bytearray())
    if action in ACTIONS:
        ACTIONS[action]()
    if action == "die":
        os.kill(os.getpid(), signal.SIGSEGV)
    if action == "hang once" and len(HELD) > 1:
        time.sleep(600)
    if action == "hang in C":
        ctypes.PyDLL(None).sleep(600)  # with the lock of the interpreter
    if action == "keep 200 MB":
        HELD.append(bytearray(b"1") * 200_000_000)
    if action == "print":
        os.write(1, b"noise")
        print("noise", flush=True)
    while action == "grow":
        HELD.append(bytearray(b"1" * 5_000_000))
        time.sleep(0.002)
    if action == "count requests":
        body = str(len(HELD)).encode()
    if action == "count threads":
        body = os.environ["OMP_NUM_THREADS"].encode()
    return {}, body
