"""The models that are known by name: `catalogue.yaml`, checked, and `hf:REPO[:QUANT]` for any other."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

from configs import did_you_mean
from plugins.models.errors import ModelsError

Role = Literal["writer", "text", "visual", "reranker", "verifier"]
ROLES: dict[Role, str] = {
    "writer": "writes answers",
    "text": "embeds texts",
    "visual": "embeds page images",
    "reranker": "orders what a search finds",
    "verifier": "judges whether a text proves a sentence",
}
"""The roles of models, each with what a model does in it."""
HUB = "https://huggingface.co"
_TEXT_FILES = ("*.safetensors", "*.json", "onnx/model.onnx", "model.onnx")
_VISUAL_FILES = ("*.safetensors", "*.json", "*.jinja", "tokenizer.model", "merges.txt", "vocab.txt")
BASE = "base"
"""The folder, in that of an adapter, of the model that it adapts."""
_ADDRESS = re.compile(r"hf:([A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*)(?::([A-Za-z0-9_]+))?")


class Entry(BaseModel):
    """A model that can be fetched. `disk` and `memory` are bytes, `settings` are keys of its part of a profile.

    `base` is the repository of the model that an adapter changes, `base_revision` its commit.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]{0,79}$")
    role: Role
    summary: str
    repo: str
    revision: str = Field("", pattern=r"^([0-9a-f]{40})?$")
    base: str = ""
    base_revision: str = Field("", pattern=r"^([0-9a-f]{40})?$")
    files: tuple[str, ...] = ()
    sha256: dict[str, str] = Field(default_factory=dict)
    embedder: str = ""
    settings: dict[str, Any] = Field(default_factory=dict)
    disk: int = 0
    estimated: bool = False
    memory: int = 0
    licence: str = ""
    commercial: bool = True
    languages: Literal["en", "several", ""] = ""
    score: str = ""
    source: str = ""

    @property
    def patterns(self) -> tuple[str, ...]:
        """The files of the repository that are needed, as patterns of `fnmatch`."""
        return self.files or (_VISUAL_FILES if self.role == "visual" else _TEXT_FILES)


@cache
def catalogue() -> tuple[Entry, ...]:
    """Return the models of `catalogue.yaml`, in its order."""
    text = resources.files("plugins.models").joinpath("catalogue.yaml").read_text(encoding="utf-8")
    return tuple(Entry.model_validate(values) for values in yaml.safe_load(text))


def entry_of(name: str) -> Entry:
    """Return the model of a name, or of `hf:REPO:QUANT`, a quantised model of any repository.

    Raises ModelsError, which names the nearest known one.
    """
    if address := _ADDRESS.fullmatch(name):
        repo, quant = address.group(1), address.group(2) or "Q4_K_M"
        short = re.sub(r"[^a-z0-9.-]+", "-", f"{repo.rpartition('/')[2].removesuffix('-GGUF')}-{quant}".lower())
        files = (f"*{quant}.gguf", "mmproj*Q8_0.gguf", "mmproj*.gguf", "*mmproj*.gguf")
        return Entry(name=short.strip("-.")[:80], role="writer", summary=f"from {repo}", repo=repo, files=files)
    entries = {entry.name: entry for entry in catalogue()}
    if name not in entries:
        nearest = did_you_mean(name, list(entries))
        raise ModelsError(f"no model {name!r} is known{nearest}: see vouch models, or give hf:OWNER/REPO:QUANT")
    return entries[name]
