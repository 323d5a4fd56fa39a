"""The profile that `vouch connect` writes: the keys of the model that are not as they are by default."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from rag import ModelSettings, ProfileError

_HEAD = """\
# Written by `vouch connect`. Every key and its meaning: rag/settings.py and rag/llm/settings.py.
# `vouch doctor --profile THIS` looks at it again.
"""
_ASKED_WITH = {"retries", "timeout"}
"""The keys that the command itself asks with, and that a profile has as they are by default."""


def check_free(path: Path) -> None:
    """Raise ProfileError for a file that is there already, or that no profile can be called."""
    if path.suffix not in (".yaml", ".yml"):
        raise ProfileError(f"{path}: a profile is a .yaml file: name it so with --to")
    if path.exists():
        raise ProfileError(f"{path} is there already: name another file with --to, or remove it")


def write_profile(path: Path, settings: ModelSettings) -> None:
    """Write the profile of a model; one that sees nothing is asked in mode text. Raises ProfileError, OSError."""
    check_free(path)
    rag: dict[str, Any] = {"method": "vanilla"}
    if not settings.images:
        rag["mode"] = "text"
    rag["model"] = _changed(settings)
    with path.open("x", encoding="utf-8") as file:
        file.write(_HEAD + yaml.safe_dump({"rag": rag}, sort_keys=False, allow_unicode=True))


def _changed(settings: ModelSettings) -> dict[str, Any]:
    """Return the keys that make these settings, and none that would be so without being named."""
    first = ("base_url", "gguf", "mmproj", "name")
    needed = {key: value for key in first if (value := getattr(settings, key))}
    usual = ModelSettings.model_validate(needed)
    rest = settings.model_dump(exclude={*first, *_ASKED_WITH})
    return needed | {key: value for key, value in rest.items() if value != getattr(usual, key)}
