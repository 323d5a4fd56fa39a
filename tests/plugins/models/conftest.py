"""A folder of models of each test's own, and a hub on loopback with a model of each role."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from plugins.models import catalogue
from plugins.models.catalogue import Entry
from tests.plugins.models.hub_server import HubServer, Repository
from tests.support.gguf_files import gguf
from tests.support.late_checkpoint import make

TEXTS = ["The ferry leaves at nine.", "The mill was built in 1871."]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the test's own, in which the models are too."""
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("VOUCH_MODELS", raising=False)
    return tmp_path / "home"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    """A hub with a writer, a text embedder, an adapter and one for research; HF_ENDPOINT names it, the list has all."""
    checkpoint = make(tmp_path / "checkpoint", TEXTS).folder
    files = {str(p.relative_to(checkpoint)): p.read_bytes() for p in checkpoint.rglob("*") if p.is_file()}
    weights = files["1_Dense/model.safetensors"]
    model = gguf(tmp_path / "model.gguf").read_bytes() + bytes(100_000)
    eyes = gguf(tmp_path / "eyes.gguf", "clip").read_bytes()
    writer = {
        "Tiny-Q4_K_M.gguf": model, "Tiny-Q8_0.gguf": model, "mmproj-Tiny-Q8_0.gguf": eyes, "README.md": b"about it",
        "LICENSE": b"Do with it what you like.", "../outside.gguf": model, "run.py": b"print()",
    }  # fmt: skip
    repositories = {
        "acme/tiny": Repository(writer),
        "acme/late": Repository(files | {"weights.bin": b"a pickle"}),
        "acme/research": Repository(files, licence="cc-by-nc-4.0"),
        "acme/adapter": Repository({"adapter_config.json": b"{}", "adapter_model.safetensors": weights}),
        "acme/adapted": Repository({"config.json": b"{}", "model.safetensors": weights}),
    }
    entries = (
        Entry(
            name="tiny", role="writer", summary="a tiny one", repo="acme/tiny", licence="mit", memory=1,
            files=("*Q4_K_M.gguf", "mmproj*Q8_0.gguf"),
        ),
        Entry(name="late", role="text", summary="late interaction", repo="acme/late", licence="mit", memory=1),
        Entry(
            name="adapter", role="visual", summary="an adapter", repo="acme/adapter", base="acme/adapted",
            licence="mit", memory=1,
        ),
        Entry(name="research", role="text", summary="for research", repo="acme/research", commercial=False),
    )  # fmt: skip
    monkeypatch.setattr(catalogue, "catalogue", lambda: entries)
    with HubServer(repositories) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.address)
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
        yield server
