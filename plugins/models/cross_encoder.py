"""A cross-encoder checkpoint: a model that reads two texts together, for rerankers and judges of entailment.

The folder is one of transformers, or one of sentence-transformers, whose `modules.json` names a Transformer, Pooling,
and Dense and LayerNorm layers (Ettin). The model classifies both texts, or each token of the second as supported by the
first or not (LettuceDetect), or is a language model that answers yes or no (Qwen3-Reranker). One that lies there as
ONNX runs without torch; the layers after it are computed here either way, as ONNX files do not have them.
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
from indexing.embed.text import Forward, Head, dense_layer, layer_norm, onnx_model, torch_model
from plugins.models.language_model import YesOrNo, onnx_language_model

MOST_TOKENS = 512
"""The most tokens of two texts together; what is longer is cut off at the end of the longer text."""
_BATCH_TOKENS = 4096
_ONNX = ("model.onnx", "model_quantized.onnx")
_ENTAILS = ("entail", "support", "consistent")
"""The beginnings of the name of the label for entailment; without such a name it is the second of two."""

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
        self.head = _head_of(config) if not self._pooling else ""
        if self.head == "ForSequenceClassification" and str(config.get("model_type")).startswith("qwen"):
            raise self.unfit("it is a language model made to classify, and reads a prompt: use Qwen3-Reranker")
        self._tokenizer = self._read_tokenizer(config)
        self._yes_or_no = YesOrNo(self._tokenizer, MOST_TOKENS, self.unfit) if self.head == "ForCausalLM" else None
        self._forward = self._load(device)

    def unfit(self, why: str) -> CheckpointUnfit:
        """Return the error that says why the checkpoint cannot be used."""
        return CheckpointUnfit(f"the cross-encoder {self.name} cannot be used: {why}")

    def outputs(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """Return the outputs (n, labels) for pairs of texts. Raises CheckpointUnfit.

        Those of a language model are the logits of no and yes; of one that marks tokens, the logarithms of the
        probabilities that some token of the second text is not supported, and that all are.
        """
        encodings = [self._encode(pair) for pair in pairs]
        rows: dict[int, NDArray[np.float32]] = {}
        with self._lock:
            for batch in minilm.batches_of([len(encoding.ids) for encoding in encodings], _BATCH_TOKENS):
                rows |= zip(batch, self._run_batch([encodings[n] for n in batch]), strict=True)
        return np.stack([rows[n] for n in range(len(pairs))]) if pairs else np.zeros((0, 1), np.float32)

    def relevance(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return how well each text answers a question (n,); only the order of the values means something."""
        outputs = self.outputs([(question, text) for text in texts])
        return outputs[:, 0] if outputs.shape[1] == 1 else outputs[:, 1] - outputs[:, 0]

    def entailment(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """Return the probability (n,) that the first text of each pair entails the second. Raises CheckpointUnfit."""
        outputs = self.outputs(pairs).astype(np.float64)
        if outputs.shape[1] == 1:
            return np.asarray(1 / (1 + np.exp(-outputs[:, 0])), np.float32)
        labels = self.labels if self.head == "ForSequenceClassification" else ()
        columns = [n for n, name in enumerate(labels) if name.lower().startswith(_ENTAILS)]
        if not columns and outputs.shape[1] != 2:
            raise self.unfit(f"none of its labels ({', '.join(self.labels)}) says that a text entails another")
        return np.asarray(_softmax(outputs)[:, columns[0] if columns else 1], np.float32)

    def _read_modules(self) -> tuple[Layers, str]:
        """Read the layers after the transformer, and how its states are pooled; "" for a model that classifies."""
        modules = read_json(self.folder / "modules.json")
        if not isinstance(modules, list):
            return (), ""
        layers: list[Callable[[NDArray[np.float32]], NDArray[np.float32]]] = []
        pooling = ""
        for number, module in enumerate(modules):
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
            elif kind == "LogitScore":  # its tokens are yes and no, which the prompt asks for
                continue
            else:
                raise self.unfit(f"it has a module {kind[:40] or 'without a type'}, which is not read")
        if layers and pooling not in ("cls", "mean"):
            raise self.unfit(f"it pools by {pooling[:40] or 'nothing'}, and only cls and mean are read")
        return tuple(layers), pooling if layers else ""

    def _read_tokenizer(self, config: dict[str, Any]) -> Any:
        from tokenizers import Tokenizer

        source = next((f for f in (self.transformer, self.folder) if (f / "tokenizer.json").is_file()), None)
        if source is None:
            raise self.unfit("there is no tokenizer.json: save it again with a fast tokenizer")
        try:
            tokenizer = Tokenizer.from_file(str(source / "tokenizer.json"))
        except Exception as error:  # noqa: BLE001  the library raises nothing more special
            raise self.unfit(f"its tokenizer.json cannot be read ({error}): download it again") from None
        positions = config.get("max_position_embeddings")
        longest = positions - 2 if isinstance(positions, int) and positions > 16 else MOST_TOKENS  # RoBERTa begins at 2
        # nothing is cut off a claim whose tokens are judged
        strategy = "only_first" if self.head == "ForTokenClassification" else "longest_first"
        tokenizer.enable_truncation(min(MOST_TOKENS, longest), strategy=strategy)
        tokenizer.no_padding()
        return tokenizer

    def _encode(self, pair: Pair) -> Any:
        if self._yes_or_no:
            return self._yes_or_no.encode(pair[0], pair[-1])
        try:
            return self._tokenizer.encode(*pair)
        except Exception:  # noqa: BLE001  tokenizers has no narrower class for a second text that is too long by itself;
            # without a token of it, it counts as unsupported
            return self._tokenizer.encode(pair[0])

    def _load(self, device: str) -> Forward:
        """Return the function that runs the model: from an ONNX file on a CPU if there is one, else by torch."""
        paths = [folder / name for folder in (self.folder / "onnx", self.transformer, self.folder) for name in _ONNX]
        onnx = next((path for path in paths if path.is_file()), None)
        if onnx is None or device.startswith(("cuda", "mps")):
            return torch_model(self, device, self.head)[0]
        return onnx_language_model(onnx, self.unfit) if self._yes_or_no else onnx_model(onnx, self)

    def _run_batch(self, encodings: Sequence[Any]) -> NDArray[np.float32]:
        """Return the outputs (b, labels) for b encoded pairs. Raises CheckpointUnfit."""
        longest = max(len(encoding.ids) for encoding in encodings)
        ids, mask, types = (np.zeros((len(encodings), longest), np.int64) for _ in range(3))
        for row, encoding in enumerate(encodings):
            n = len(encoding.ids)
            # a language model's output is that after the last token, so its prompt stands at the end
            at = slice(longest - n, longest) if self._yes_or_no else slice(n)
            ids[row, at], mask[row, at], types[row, at] = encoding.ids, 1, encoding.type_ids
        outputs = self._forward(ids, mask, types)
        if self._yes_or_no:
            outputs = outputs[:, self._yes_or_no.tokens]
        if self.head == "ForTokenClassification":
            outputs = self._worst_token(outputs, encodings)
        if self._pooling:
            if outputs.ndim != 3:
                raise self.unfit("its model does not output the states of tokens, which its layers need")
            outputs = outputs[:, 0] if self._pooling == "cls" else _mean_pooled(outputs, mask)
            for layer in self._layers:
                outputs = layer(outputs)
        if outputs.ndim != 2 or not np.isfinite(outputs).all():
            raise self.unfit("its model does not output a score for each pair")
        return np.asarray(outputs, np.float32)

    def _worst_token(self, outputs: NDArray[np.float32], encodings: Sequence[Any]) -> NDArray[np.float32]:
        """Return log probabilities (b, 2) of not supported and supported from token logits (b, n, 2)."""
        if outputs.ndim != 3 or outputs.shape[2] != 2:
            raise self.unfit("it does not give two classes for each token: supported, and not")
        mask = np.zeros(outputs.shape[:2], bool)
        for row, encoding in enumerate(encodings):
            second = [sequence == 1 for sequence in encoding.sequence_ids]
            mask[row, : len(second)] = second
        worst = np.where(mask, _softmax(outputs.astype(np.float64))[:, :, 1], 0).max(axis=1)
        worst[~mask.any(axis=1)] = 1
        return np.asarray(np.log(np.stack([worst, 1 - worst], axis=1).clip(1e-9)), np.float32)


@lru_cache(4)
def cross_encoder(folder: str, device: str = "auto") -> CrossEncoder:
    """Return a cross-encoder that all collections of this process share. Raises the errors of `CrossEncoder`."""
    return CrossEncoder(folder, device)


def _head_of(config: dict[str, Any]) -> Head:
    """Return the kind of a model's output, by the name of its architecture."""
    architecture = str(next(iter(config.get("architectures") or ()), ""))
    heads: tuple[Head, ...] = ("ForTokenClassification", "ForCausalLM")
    return next((head for head in heads if architecture.endswith(head)), "ForSequenceClassification")


def _softmax(outputs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the softmax over the last axis."""
    shares = np.exp(outputs - outputs.max(axis=-1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=-1, keepdims=True))


def _pooling_of(config: dict[str, Any]) -> str:
    """Return the pooling mode, from a configuration by sentence-transformers of any version."""
    old = {"pooling_mode_cls_token": "cls", "pooling_mode_mean_tokens": "mean"}
    return str(config.get("pooling_mode") or next((name for key, name in old.items() if config.get(key)), ""))


def _mean_pooled(states: NDArray[np.float32], mask: NDArray[np.int64]) -> NDArray[np.float32]:
    weights = mask[:, :, None].astype(np.float32)
    return np.asarray((states * weights).sum(axis=1) / weights.sum(axis=1), np.float32)
