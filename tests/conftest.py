"""What every test stands on: no network, a home of its own, repeatable randomness in CI, the benchmark if any."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests import network

ROOT = Path(__file__).resolve().parent.parent
EVAL = (ROOT / os.environ.get("VOUCH_EVAL", "../shared/eval/mmdocir")).resolve()
_HOME = pytest.StashKey[str]()

settings.register_profile("dev", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)


def pytest_configure(config: pytest.Config) -> None:
    """Before anything of ours is imported: cut the network, move the home, silence what would call home."""
    settings.load_profile("ci" if os.environ.get("CI") else "dev")
    config.stash[_HOME] = tempfile.mkdtemp(prefix="vouch-tests-")
    os.environ |= {
        "VOUCH_HOME": config.stash[_HOME],
        "HF_HUB_OFFLINE": "1",
        "GRADIO_ANALYTICS_ENABLED": "False",
        "DO_NOT_TRACK": "1",
    }
    network.cut()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the home of the session."""
    shutil.rmtree(config.stash.get(_HOME, ""), ignore_errors=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip, with the reason, what needs the benchmark's documents where they are not."""
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
