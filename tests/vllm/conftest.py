"""Checkpoints made on the spot, and real servers of them: one of each family for the whole session."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from rag.llm.client import ServedModel
from rag.llm.settings import ModelSettings
from tests.support.tools import missing
from tests.vllm.vllm_server import CONTEXT, IMAGES, PYTHON, ROOT, VllmServer

HERE = Path(__file__).resolve().parent
FAMILIES = {
    "qwen3_vl": ("qwen3-vl-8b", {"patch": 32, "boxes": "relative_1000"}),
    "qwen2_5_vl": ("qwen2.5-vl-7b", {"patch": 28, "boxes": "absolute_pixels"}),
}
"""Architecture -> the configuration that ships for it, and what a profile has to say of it."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder; the first start takes longer than tests usually may.

    Where somebody names a vLLM that is not there, nothing is skipped: all would pass unseen.
    """
    if not PYTHON.exists() and "VOUCH_VLLM_PYTHON" in os.environ:
        raise pytest.UsageError(f"VOUCH_VLLM_PYTHON: no {PYTHON}: name a vLLM's Python, or unset it and make vllm-env")
    for item in items:
        if HERE not in item.path.parents:
            continue
        item.add_marker(pytest.mark.vllm)
        item.add_marker(pytest.mark.timeout(600))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Skip what cannot run here, with the reason; fail where CI is set."""
    if not PYTHON.exists():
        missing(f"needs vLLM in {PYTHON.parents[1]}: make vllm-env")


@pytest.fixture(scope="session")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a checkpoint of each family."""
    folder = tmp_path_factory.mktemp("checkpoints")
    command = [str(PYTHON), "-m", "tests.vllm.tiny", str(folder), *FAMILIES]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr[-4000:]
    return folder


@pytest.fixture(scope="session")
def loading(checkpoints: Path) -> Iterator[dict[str, VllmServer]]:
    """A server of each family, started together and not waited for: `family` does that."""
    with ExitStack() as stack:
        servers = {}
        for family, (config, _) in FAMILIES.items():
            servers[family] = VllmServer(checkpoints / family, config, checkpoints / f"{config}.log")
            servers[family].start()
            stack.callback(servers[family].kill)
        yield servers


@pytest.fixture(scope="session", params=FAMILIES)
def family(request: pytest.FixtureRequest, loading: dict[str, VllmServer]) -> tuple[VllmServer, ModelSettings]:
    """A server of each family in turn, and the settings of its model."""
    server = loading[request.param]
    server.wait()
    return server, settings_of(server, **FAMILIES[request.param][1])


@pytest.fixture
def asked(family: tuple[VllmServer, ModelSettings]) -> Iterator[ServedModel]:
    """The client of the server."""
    made = ServedModel(family[1])
    yield made
    made.close()


def settings_of(server: VllmServer, **more: object) -> ModelSettings:
    """What a profile says of it; a temperature, as the likeliest words of random numbers are one word."""
    values = {
        "base_url": server.url, "name": server.name, "context_tokens": CONTEXT, "images": IMAGES, "temperature": 1.0,
        "timeout": 240,
    } | more  # fmt: skip
    return ModelSettings.model_validate(values)
