"""Addresses where a model server may run: the usual ports of this machine, and one in the environment.

Only the list of models is requested there.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from rag.llm.client import Served, served_model
from rag.llm.settings import ModelSettings

_PATIENCE = 5.0
"""The seconds that a server may take to list its models."""


@dataclass(frozen=True, slots=True)
class ServerAt:
    """The address of an OpenAI-compatible server, what it is known as, and the variable with its key, if any."""

    base_url: str
    known_as: str = ""
    api_key_env: str = ""

    @property
    def label(self) -> str:
        """The address, followed by what it is known as, in brackets."""
        return f"{self.base_url} ({self.known_as})" if self.known_as else self.base_url


LOCAL = (
    ServerAt("http://127.0.0.1:11434/v1", "the port of Ollama"),
    ServerAt("http://127.0.0.1:1234/v1", "the port of LM Studio"),
    ServerAt("http://127.0.0.1:8080/v1", "the port of llama.cpp"),
    ServerAt("http://127.0.0.1:8000/v1", "the port of vLLM"),
)
"""The default addresses of common servers on this machine."""


def place_of_environment() -> ServerAt | None:
    """Return the place that OPENAI_BASE_URL names, with the key of OPENAI_API_KEY if there is one."""
    address = os.environ.get("OPENAI_BASE_URL", "").strip()
    if not address:
        return None
    return ServerAt(
        address, "OPENAI_BASE_URL", "OPENAI_API_KEY" if os.environ.get("OPENAI_API_KEY", "").strip() else ""
    )


def models_at(place: ServerAt) -> tuple[Served, ...]:
    """Return the chat models of a server, without its embedding models, which have "embed" in their names.

    Raises ModelError.
    """
    settings = ModelSettings(
        base_url=place.base_url, name="any", api_key_env=place.api_key_env, retries=0, timeout=_PATIENCE
    )
    model = served_model(settings)
    try:
        return tuple(entry for entry in model.list_models() if "embed" not in entry.name.lower())
    finally:
        model.close()
