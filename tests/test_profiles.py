"""The profiles that ship: they load, they agree with the servers that they name, and licences stand beside weights."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from rag import Profile, load_profile
from rag.settings import shipped_profiles

CONFIGS = Path(__file__).resolve().parent.parent / "configs"
SERVERS: dict[str, dict[str, Any]] = {
    path.stem: yaml.safe_load(path.read_text()) for path in sorted((CONFIGS / "vllm").glob("*.yaml"))
}


def test_the_profiles_of_the_documentation_are_there() -> None:
    assert {
        "cpu-visual", "default", "embedded", "gpu-colqwen", "gpu-mmembed", "openai-compatible",
    } == set(shipped_profiles())  # fmt: skip


@pytest.mark.parametrize("name", shipped_profiles())
def test_every_profile_loads(name: str) -> None:
    assert isinstance(load_profile(name), Profile)


@pytest.mark.parametrize("name", shipped_profiles())
def test_a_profile_fits_the_server_that_it_names(name: str) -> None:
    model = load_profile(name).rag.model
    if model is None:
        assert load_profile(name).rag.method == "quote"
        return
    server = SERVERS[model.name]
    assert model.base_url == f"http://{server['host']}:{server['port']}/v1"
    assert model.context_tokens <= server["max-model-len"]
    assert model.images <= server["limit-mm-per-prompt"]["image"]


@pytest.mark.parametrize("server", SERVERS.values(), ids=SERVERS.keys())
def test_a_server_listens_to_this_machine_and_holds_to_schemas(server: dict[str, Any]) -> None:
    assert server["host"] == "127.0.0.1"
    assert server["structured-outputs-config"]["backend"] == "xgrammar"
    assert server["served-model-name"] in SERVERS


def test_a_licence_stands_where_weights_are_chosen() -> None:
    texts = {path.name: path.read_text() for path in CONFIGS.rglob("*.yaml")}
    choosing = {name for name, text in texts.items() if "checkpoint:" in text or "model: Qwen" in text}
    assert choosing == {"cpu-visual.yaml", "gpu-colqwen.yaml", "gpu-mmembed.yaml"} | {
        f"{name}.yaml" for name in SERVERS
    }
    licensed = {n for n in choosing if any(licence in texts[n] for licence in ("MIT", "Apache-2.0", "CC-BY-NC-4.0"))}
    assert licensed == choosing
