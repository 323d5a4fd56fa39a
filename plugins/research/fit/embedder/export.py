"""Trained layers as Vouch ships them: the bytes of the model's file that they replace, eight bits a weight.

The file is known by its hash, so its weights are replaced where they stand. As in the file, a matrix has a scale for
each of its outputs, and its largest weight there is 127.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import numpy as np
import onnx

from plugins.research.errors import CannotTrain
from plugins.research.fit.embedder.network import Floats, LastLayers

LAYERS, AXES = "minilm_layers.npz", "minilm_axes.npy"
PREFIX = "inner.encoder.layer"


def quantised(weight: Floats) -> tuple[np.ndarray, Floats]:
    """Return a matrix (in, out) as int8, and the scale of each output (1, out)."""
    scale = np.maximum(np.abs(weight).max(axis=0, keepdims=True), 1e-12) / 127
    return np.rint(weight / scale).astype(np.int8), scale.astype(np.float32)


def replacements(file: bytes, model: LastLayers) -> Iterator[tuple[int, bytes]]:
    """Give the offset of each tensor of the last layers in an ONNX file, and the bytes to put there.

    Raises CannotTrain when the file is of another model.
    """
    graph = onnx.load_from_string(file).graph
    tensors = {tensor.name: tensor.raw_data for tensor in graph.initializer}
    made = {name: node for node in graph.node for name in node.output}
    biased = {name: node for node in graph.node if node.op_type == "Add" for name in node.input}
    first = 1 + max(int(name.split(".")[3]) for name in tensors if name.startswith(PREFIX)) - len(model.layers)
    for k, layer in enumerate(model.layers):
        for name, value in layer.named_parameters():
            inside, array = f"{PREFIX}.{first + k}.{name}", value.detach().numpy()
            if inside in tensors:
                yield _at(file, tensors[inside], inside), array.astype(np.float32).tobytes()
                continue
            product = made[next(i for i in biased[inside.removesuffix("weight") + "bias"].input if i in made)]
            whole, scale = quantised(array.T)
            for part, own in (("q", whole), ("scale", scale)):
                old = tensors[f"{product.input[1]}_{part}"]
                if len(old) != own.nbytes:
                    raise CannotTrain(
                        f"{inside}: is of another size in the model of Vouch: train from MiniLM, without --weights"
                    )
                yield _at(file, old, inside), own.tobytes()


def _at(file: bytes, old: bytes, name: str) -> int:
    at = file.find(old)
    if at < 0 or file.find(old, at + 1) >= 0:
        raise CannotTrain(
            f"{name}: does not stand once in the model's file: a release of another form wants another export"
        )
    return at


def export(file: bytes, model: LastLayers, folder: Path) -> list[tuple[Path, str]]:
    """Write the layers and the axes into a folder; return the files with their hashes."""
    found = sorted(replacements(file, model))
    folder.mkdir(parents=True, exist_ok=True)
    ends = np.array([(at, at + len(new)) for at, new in found], np.int64)
    weights = np.frombuffer(b"".join(new for _, new in found), np.uint8)
    np.savez(folder / LAYERS, places=ends, weights=weights)
    np.save(folder / AXES, model.axes.detach().numpy().astype(np.float16))
    return [(path, sha256(path.read_bytes()).hexdigest()) for path in (folder / LAYERS, folder / AXES)]
