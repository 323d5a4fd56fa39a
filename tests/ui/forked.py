"""Servers for the time of a test, each a process of its own with the network cut.

Gradio leaves event loops open when it is stopped inside another program. A server is a fork of a process in which the
libraries are already imported, which is most of the time of a start.
"""

import atexit
import multiprocessing
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.support import network

_OF_TESTS = ("HF_HUB_OFFLINE", "GRADIO_ANALYTICS_ENABLED", "DO_NOT_TRACK")
"""What `tests/conftest.py` silences: a server has to be silent without it, as it comes out of the box."""
_IMPORTED = ["gradio", "mcp", "lance_namespace", "sqlalchemy"]
"""Libraries that start no thread when they are imported: a fork would not have it."""

Serve = Callable[..., None]
"""A server's function: it gives its address to its first argument, which returns when the server is to end."""


@dataclass(frozen=True)
class Served:
    """A running page: `log` is where its terminal output goes, `uploads` where uploads do, `pid` is its process."""

    address: str
    log: Path
    uploads: Path
    pid: int


@contextmanager
def forked(serve: Serve, log: Path, uploads: Path, options: dict[str, Any], **environment: str) -> Iterator[Served]:
    """Run `serve` with the options, in the folder of its log; it is a function of a module."""
    log.touch()
    ours, theirs = multiprocessing.Pipe()
    kept = {name: value for name, value in os.environ.items() if name not in _OF_TESTS}
    kept |= {"HF_HOME": str(log.parent / "hub")}  # where libraries would keep what they fetch
    run = _forks().Process(target=_run, args=(serve, theirs, log, options, kept | environment))
    with patch.dict(os.environ, kept, clear=True):  # the first start makes the process that is forked
        run.start()
    theirs.close()
    with ours:
        try:
            address = ours.recv()
        except EOFError:
            run.join()
            raise AssertionError(log.read_text()) from None
        try:
            yield Served(address.rstrip("/"), log, uploads, run.pid or 0)
        finally:
            ours.send("end")
            left = ours.recv() if ours.poll(60) else ["it did not end"]
            run.join(60)
        assert left == [], "the page tried to reach another machine"


def free_port() -> int:
    """A port of loopback that nobody listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _run(serve: Serve, told: Connection, log: Path, options: dict[str, Any], environment: dict[str, str]) -> None:
    """Be the process of a server."""
    os.chdir(log.parent)
    with log.open("w") as errors, Path(os.devnull).open("w") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(errors.fileno(), 2)
    os.environ.clear()
    os.environ |= environment

    def listening(address: str) -> None:
        told.send(address)
        told.recv()

    from tests.support.warm_workers import sharing  # it needs what reads documents, which starts threads

    with sharing():
        serve(listening, **options)
    told.send(network.attempts)
    atexit._run_exitfuncs()  # as a program does that ends, where a fork would wait for its workers first
    os._exit(0)


@cache
def _forks() -> ForkServerContext:
    """Processes that have the libraries already."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_IMPORTED)
    return context
