"""What every test stands on: no network, a home of its own, repeatable randomness in CI, the benchmark if any."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings as hypotheses

from tests.support import network
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Asked, Script

if TYPE_CHECKING:
    from indexing import Collection
    from tests.support.asking import Client
    from tests.support.warm_workers import WarmPools

ROOT = Path(__file__).resolve().parent.parent
EVAL = (ROOT / os.environ.get("VOUCH_EVAL", "../shared/eval/mmdocir")).resolve()
_HOME = pytest.StashKey[str]()

hypotheses.register_profile("dev", deadline=None)
hypotheses.register_profile("ci", deadline=None, derandomize=True, print_blob=True)


def pytest_configure(config: pytest.Config) -> None:
    """Before anything of ours is imported: cut the network, move the home, silence what would call home."""
    hypotheses.load_profile("ci" if os.environ.get("CI") else "dev")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as by `make test &`: no child would hear Ctrl-C
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.stash[_HOME] = tempfile.mkdtemp(prefix="vouch-tests-")
    os.environ |= {
        "VOUCH_HOME": config.stash[_HOME],
        "HF_HUB_OFFLINE": "1",
        "GRADIO_ANALYTICS_ENABLED": "False",
        "DO_NOT_TRACK": "1",
        "ORT_DISABLE_TELEMETRY": "1",  # a test may import pymupdf first, which loads ONNX Runtime; see test_network
    }
    network.cut()
    from indexing.workers.tasks import one_thread_a_model

    one_thread_a_model()  # where tests run two at a time, models they load themselves would wait for each other


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the home of the session."""
    shutil.rmtree(config.stash.get(_HOME, ""), ignore_errors=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip, with the reason, what needs the benchmark's documents where they are not.

    Where several processes share the files, those with slow tests go first: at the end there are small ones to share.
    """
    if config.getoption("numprocesses", None):
        slow = {item.path for item in items if item.get_closest_marker("slow")}
        items.sort(key=lambda item: item.path not in slow)
    if (EVAL / "pdfs").is_dir():
        return
    skip = pytest.mark.skip(reason=f"needs the benchmark: no folder {EVAL / 'pdfs'} (VOUCH_EVAL names another)")
    for item in items:
        if item.get_closest_marker("eval"):
            item.add_marker(skip)


@pytest.fixture(autouse=True)
def stay_at_home() -> Iterator[None]:
    """Fail a test during which anything tried to leave the machine, even if the attempt was swallowed."""
    network.attempts.clear()
    yield
    assert not network.attempts, f"tried to reach the network: {network.attempts}"


@pytest.fixture(scope="session")
def eval_dir() -> Path:
    """The benchmark: `pdfs/` and `dev.jsonl`. Mark the test with `eval`."""
    return EVAL


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """The samples, indexed as `make demo` does: a copy for this process, to be read only.

    Tests that use it are slow: where the code is new to it, it takes half a minute.
    """
    from indexing import Collection
    from tests.support.library import indexed_samples

    return Collection.open("samples", shutil.copytree(indexed_samples(), tmp_path_factory.mktemp("samples") / "home"))


@pytest.fixture(scope="session")
def warm_pools() -> Iterator[WarmPools]:
    """The idle worker processes of the session."""
    from tests.support.warm_workers import WarmPools

    pools = WarmPools()
    yield pools
    pools.close()


@pytest.fixture(scope="module")
def warm_workers(request: pytest.FixtureRequest, warm_pools: WarmPools) -> Iterator[None]:
    """Runs share their worker processes with those of other modules, unless the module is marked `cold_workers`."""
    if request.node.get_closest_marker("cold_workers"):
        warm_pools.close()
        yield
        return
    with warm_pools.shared():
        yield


@pytest.fixture
def serve() -> Iterator[Callable[..., ScriptedServer]]:
    """`serve(script, ...)` or `serve(function of the request)`: a scripted model server, closed after the test."""
    with ExitStack() as stack:
        servers: list[ScriptedServer] = []

        def start(*answer: Script | Callable[[Asked], Script]) -> ScriptedServer:
            servers.append(stack.enter_context(ScriptedServer(*answer)))
            return servers[-1]

        yield start
    assert [text for server in servers for text in server.unexpected] == [], "more requests than scripts"


@pytest.fixture
def client() -> Iterator[Callable[..., Client]]:
    """`client(server, key=value, ...)`: the real client of a scripted server, closed after the test."""
    from tests.support.asking import Client  # brings in what must not be imported before the network is cut

    with ExitStack() as stack:

        def make(server: ScriptedServer | str, **keys: object) -> Client:
            made = Client(server, **keys)
            stack.callback(made.close)
            return made

        yield make
