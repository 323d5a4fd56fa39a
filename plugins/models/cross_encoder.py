"""A cross-encoder checkpoint: a model that reads two texts together, for rerankers and judges of entailment.

The folder is one of transformers, whose model classifies sequences, or one of sentence-transformers, whose
`modules.json` names a Transformer, Pooling, and Dense and LayerNorm layers (Ettin). A model that lies there as ONNX
runs without torch; the layers after it are computed here either way, as ONNX files do not have them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing import CheckpointMissing, CheckpointUnfit
from indexing.embed import minilm, read_json, read_json_object
from indexing.embed.text import Forward, dense_layer, layer_norm, onnx_model, torch_model

MOST_TOKENS = 512
"""The most tokens of two texts together; what is longer is cut off at the end of the longer text."""
_BATCH_TOKENS = 4096
_ENTAILS = ("entail", "support", "consistent")
"""How the names begin of the label for a text that proves a claim; of two unnamed labels it is the second."""

Pair = tuple[str, str] | tuple[str]
"""Two texts, or one that has been made of them."""
Layers = tuple[Callable[[NDArray[np.float32]], NDArray[np.float32]], ...]


class CrossEncoder:
    """A cross-encoder, loaded when it is made. Safe to use from several threads."""

    def __init__(self, folder: str, device: str = "auto") -> None:
        """Load the checkpoint in a folder. Raises CheckpointMissing, CheckpointUnfit, ExtraMissing."""
        self.folder = self.transformer = Path(folder).expanduser()
        self.name = self.folder.name
        if not self.folder.is_dir():
            raise CheckpointMissing(f"the model {self.name} is gone: vouch models get {self.name}")
        self._lock = threading.Lock()
        self._layers, self._pooling = self._read_modules()
        config = read_json_object(self.transformer / "config.json") or {}
        self.labels = tuple(str(name) for _, name in sorted((config.get("id2label") or {}).items()))
        self._tokenizer = self._read_tokenizer(config)
        self._forward = self._load(device)

    def unfit(self, why: str) -> CheckpointUnfit:
        """Return the error that says why the checkpoint cannot be used."""
        return CheckpointUnfit(f"the cross-encoder {self.name} cannot be used: {why}")

    def outputs(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """Return the outputs (n, labels) for pairs of texts. Raises CheckpointUnfit."""
        encodings = [self._tokenizer.encode(*pair) for pair in pairs]
        found: dict[int, NDArray[np.float32]] = {}
        with self._lock:
            for batch in minilm.batches_of([len(encoding.ids) for encoding in encodings], _BATCH_TOKENS):
                found |= zip(batch, self._batch([encodings[n] for n in batch]), strict=True)
        return np.stack([found[n] for n in range(len(pairs))]) if pairs else np.zeros((0, 1), np.float32)

    def relevance(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return how well each text answers a question (n,); only the order of the values means something."""
        outputs = self.outputs([(question, text) for text in texts])
        return outputs[:, 0] if outputs.shape[1] == 1 else outputs[:, 1] - outputs[:, 0]

    def entailment(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """Return the probability (n,) that the first text of each pair entails the second. Raises CheckpointUnfit."""
        outputs = self.outputs(pairs).astype(np.float64)
        if outputs.shape[1] == 1:
            return np.asarray(1 / (1 + np.exp(-outputs[:, 0])), np.float32)
        shares = np.exp(outputs - outputs.max(axis=1, keepdims=True))
        named = [n for n, name in enumerate(self.labels) if name.lower().startswith(_ENTAILS)]
        if not named and outputs.shape[1] != 2:
            raise self.unfit(f"none of its labels ({', '.join(self.labels)}) says that a text entails another")
        return np.asarray((shares / shares.sum(axis=1, keepdims=True))[:, named[0] if named else 1], np.float32)

    def _read_modules(self) -> tuple[Layers, str]:
        """Read the layers after the transformer, and how its states are pooled; "" for a model that classifies."""
        listed = read_json(self.folder / "modules.json")
        if not isinstance(listed, list):
            return (), ""
        layers: list[Callable[[NDArray[np.float32]], NDArray[np.float32]]] = []
        pooling = ""
        for number, module in enumerate(listed):
            kind = str(module.get("type", "") if isinstance(module, dict) else "").rpartition(".")[2]
            path = self.folder / str(module.get("path", "") if isinstance(module, dict) else "")
            if not path.resolve().is_relative_to(self.folder.resolve()):
                raise self.unfit("its modules.json refers to folders outside it")
            if kind == "Transformer" and number == 0:
                self.transformer = path
            elif kind == "Pooling":
                pooling = _pooling_of(read_json_object(path / "config.json") or {})
            elif kind == "Dense":
                layers.append(dense_layer(self.name, path))
            elif kind == "LayerNorm":
                layers.append(layer_norm(self.name, path))
            else:
                raise self.unfit(f"it has a module {kind[:40] or 'without a type'}, which is not read")
        if layers and pooling not in ("cls", "mean"):
            raise self.unfit(f"it pools by {pooling[:40] or 'nothing'}, and only cls and mean are read")
        return tuple(layers), pooling if layers else ""

    def _read_tokenizer(self, config: dict[str, Any]) -> Any:
        from tokenizers import Tokenizer

        place = next((f for f in (self.transformer, self.folder) if (f / "tokenizer.json").is_file()), None)
        if place is None:
            raise self.unfit("there is no tokenizer.json: save it again with a fast tokenizer")
        try:
            tokenizer = Tokenizer.from_file(str(place / "tokenizer.json"))
        except Exception as error:  # noqa: BLE001  the library raises nothing more special
            raise self.unfit(f"its tokenizer.json cannot be read ({error}): download it again") from None
        positions = config.get("max_position_embeddings")
        longest = positions - 2 if isinstance(positions, int) and positions > 16 else MOST_TOKENS  # RoBERTa begins at 2
        tokenizer.enable_truncation(min(MOST_TOKENS, longest), strategy="longest_first")
        tokenizer.no_padding()
        return tokenizer

    def _load(self, device: str) -> Forward:
        places = (self.folder / "onnx" / "model.onnx", self.transformer / "model.onnx", self.folder / "model.onnx")
        onnx = next((path for path in places if path.is_file()), None)
        if onnx is not None and not device.startswith(("cuda", "mps")):
            return onnx_model(onnx, self)
        return torch_model(self, device, classifies=not self._pooling)[0]

    def _batch(self, encodings: Sequence[Any]) -> NDArray[np.float32]:
        longest = max(len(encoding.ids) for encoding in encodings)
        ids, mask, types = (np.zeros((len(encodings), longest), np.int64) for _ in range(3))
        for row, encoding in enumerate(encodings):
            n = len(encoding.ids)
            ids[row, :n], mask[row, :n], types[row, :n] = encoding.ids, 1, encoding.type_ids
        outputs = self._forward(ids, mask, types)
        if self._pooling:
            if outputs.ndim != 3:
                raise self.unfit("its model does not output the states of tokens, which its layers need")
            outputs = outputs[:, 0] if self._pooling == "cls" else _mean(outputs, mask)
            for layer in self._layers:
                outputs = layer(outputs)
        if outputs.ndim != 2 or not np.isfinite(outputs).all():
            raise self.unfit("its model does not output a score for each pair")
        return np.asarray(outputs, np.float32)


@lru_cache(4)
def cross_encoder(folder: str, device: str = "auto") -> CrossEncoder:
    """Return a cross-encoder that all collections of this process share. Raises what making it raises."""
    return CrossEncoder(folder, device)


def _pooling_of(config: dict[str, Any]) -> str:
    """Return the way of pooling, of a configuration by sentence-transformers 5 or before it."""
    old = {"pooling_mode_cls_token": "cls", "pooling_mode_mean_tokens": "mean"}
    return str(config.get("pooling_mode") or next((name for key, name in old.items() if config.get(key)), ""))


def _mean(states: NDArray[np.float32], mask: NDArray[np.int64]) -> NDArray[np.float32]:
    weights = mask[:, :, None].astype(np.float32)
    return np.asarray((states * weights).sum(axis=1) / weights.sum(axis=1), np.float32)
