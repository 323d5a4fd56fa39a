"""The state of a training in a file: written whole or not at all, and read without running anything that is in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

STATE = "state.pt"
"""The file's name in the folder of a training."""


def save_state(folder: Path, state: Mapping[str, Any]) -> None:
    """Write a state into a folder, which is made where it is not there."""
    import torch

    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f"{STATE}.part"
    torch.save(dict(state), part)
    part.replace(folder / STATE)


def load_state(path: Path, error: type[Exception], missing: str) -> dict[str, Any]:
    """Read a state; raises `error` where there is none (its message ends with `missing`), or it cannot be read."""
    import torch

    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise error(f"{path}: no such file: {missing}") from None
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, EOFError, UnpicklingError) as reason:
        raise error(f"{path}: cannot be read ({reason}): start again in another folder") from None
    return state
