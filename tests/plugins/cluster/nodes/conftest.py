"""The cluster of these tests: two nodes of one CPU each on loopback, 127.0.0.2 and 127.0.0.3, with a token.

Each says that it has a GPU, so that there is a place to ask for; what computes there is the CPU.

`make ray-env` brings Ray. Without it these tests are skipped, with that reason, and fail where CI is set; `make test`
leaves them out.
"""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest

from tests.support.tools import missing

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
HEAD, OTHER = "127.0.0.2", "127.0.0.3"
PROXIES = ("http_proxy", "https_proxy", "all_proxy")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.ray)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Skip what cannot run here, with the reason; fail where CI is set."""
    if not find_spec("ray"):
        missing("needs ray: make test-ray")


class Cluster:
    """A cluster whose nodes are processes of this test, and end with it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.create_server((HEAD, 0)) as free:
            self.port = free.getsockname()[1]
        self.on = f"ray://{HEAD}:{self.port}"
        self.nodes: dict[str, subprocess.Popen[str]] = {}

    def start(self, address: str) -> None:
        """Start a node, and wait until it is one; twice, as Ray gives up after 30 s, which a busy machine may take."""
        if self._started(address):
            self.kill(address)
            if told := self._started(address):
                pytest.fail(f"no node at {address}:\n{told}", pytrace=False)

    def _started(self, address: str) -> str:
        """Start a node; return its words where it has ended before it was one."""
        where = [f"--address={HEAD}:{self.port}"]
        if address == HEAD:
            where = ["--head", f"--port={self.port}", "--include-dashboard=false", f"--temp-dir={self.folder}"]
        command = [
            sys.executable, "-m", "ray.scripts.scripts", "start", "--block", *where, f"--node-ip-address={address}",
            "--num-cpus=1", "--num-gpus=1", "--object-store-memory=100000000", "--disable-usage-stats",
            "--min-worker-port=0", "--max-worker-port=0",
        ]  # fmt: skip
        environment = {key: value for key, value in os.environ.items() if key.lower() not in PROXIES}
        environment |= {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
        node = self.nodes[address] = subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        assert node.stdout is not None
        told: list[str] = []
        for line in node.stdout:
            told.append(line)
            if "--block" in line:  # it says that it stays, once all is there
                return ""
        return "".join(told) or "it said nothing"

    def kill(self, address: str) -> None:
        """Kill a node with all of its processes at once, as a loss of power would."""
        node = self.nodes.pop(address)
        with suppress(psutil.NoSuchProcess):
            for process in [*psutil.Process(node.pid).children(recursive=True), psutil.Process(node.pid)]:
                with suppress(psutil.NoSuchProcess):
                    process.send_signal(signal.SIGKILL)
        node.communicate()

    def workers(self, address: str) -> list[psutil.Process]:
        """Return the processes of Vouch on a node: its actor, and the processes that parse."""
        found = []
        for process in psutil.Process(self.nodes[address].pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                if "NodeWork" in process.name() or "spawn_main" in " ".join(process.cmdline()):
                    found.append(process)
        return found


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """The cluster, started once."""
    folder = Path(tempfile.mkdtemp(prefix="ray-"))  # short: it holds sockets
    before = {name: os.environ.get(name) for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN")}
    os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    made = Cluster(folder)
    try:
        made.start(HEAD)
        made.start(OTHER)
        yield made
    finally:
        for address in list(made.nodes):
            made.kill(address)
        shutil.rmtree(folder, ignore_errors=True)
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


@pytest.fixture
def nodes(cluster: Cluster) -> Cluster:
    """The cluster with both of its nodes, whoever died before."""
    for address in (HEAD, OTHER):
        if address not in cluster.nodes:
            cluster.start(address)
    return cluster
