"""A late-interaction checkpoint in PyLate's form as the text embedder: a vector a token, as it was trained.

PyLate itself cannot be installed beside the torch and the transformers of the extra `visual`, and the
MultiVectorEncoder of Sentence Transformers 6 needs torch even for ONNX and does not tell the characters of a vector. So
its files are read here, and questions and passages are written as it writes them: the prefix stands after the first
token; a question is filled up with mask tokens to its length, which count like any other; of a passage the words to be
skipped (punctuation) are read and not kept. A passage longer than the checkpoint takes is cut into windows, each
written like a passage. A model that lies there as ONNX runs without torch. `tests/visual/test_late_checkpoint.py`
compares all this with a plain reading.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.embed.minilm import batches_of, quantise
from indexing.embed.protocol import QueryVectors, TokenVectors
from indexing.embed.text.checkpoint import Forward, Ids, locate, onnx_model, torch_model
from indexing.settings import IndexingSettings
from indexing.vectors import Packing, normalize

NAME = "colbert"
BATCH_TOKENS = {"cpu": 512, "cuda": 16_384}
"""The most tokens of a forward pass, padding counted."""
STEP = 8
"""The number of which stored dimensions are a multiple; the rest is filled with zeros, which no cosine notices."""


@dataclass(frozen=True, slots=True)
class _Window:
    """A window of a passage: its token `ids`, a mask `is_kept` (n,) of those that are stored, and their characters."""

    ids: Ids
    is_kept: NDArray[np.bool_]
    offsets: NDArray[np.int32]


class ColBERT:
    """The text embedder of a checkpoint, which is loaded with the first text. Safe to use from several threads."""

    name = NAME

    def __init__(self, settings: IndexingSettings) -> None:
        """Read configuration and tokenizer. Raises CheckpointMissing, CheckpointUnfit."""
        self.checkpoint = locate(settings.text_checkpoint)
        self.weights = self.checkpoint.name
        self.fingerprint = self.checkpoint.fingerprint()
        self._device = settings.device
        self._lock = threading.RLock()
        self._forward: Forward | None = None
        self._batch = BATCH_TOKENS["cpu"]
        self._read_tokenizer()
        self.dim = -(-self.checkpoint.dim // STEP) * STEP
        self.packing = Packing(self.dim)

    def embed_passages(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Return a multi-vector for each text, in order; its rows are the tokens that PyLate keeps."""
        by_text = [self._windows(text) for text in texts]
        windows = [window for own in by_text for window in own]
        vectors: dict[int, NDArray[np.int8]] = {}
        with self._lock:
            self._load()
            for batch in batches_of([len(window.ids) for window in windows], self._batch):
                rows = self._vectors([windows[w].ids for w in batch])
                vectors |= {w: quantise(own[windows[w].is_kept]) for w, own in zip(batch, rows, strict=True)}
        window_vectors = iter(vectors[w] for w in range(len(windows)))
        nothing = np.zeros((0, self.dim), np.int8)
        return [
            TokenVectors(np.concatenate([nothing, *(next(window_vectors) for _ in own)]), _kept_offsets(own))
            for own in by_text
        ]

    def offsets(self, text: str) -> NDArray[np.int32]:
        """Return the characters (start, end) of each row of a passage (n, 2); (0, 0) for special tokens."""
        return _kept_offsets(self._windows(text))

    def embed_query(self, question: str) -> QueryVectors:
        """Return the multi-vector of a question: all its tokens, padded with masks, with equal weights."""
        text, ids, mask, spans = self._encode_question(question)
        if not len(ids):
            return QueryVectors(np.zeros((0, self.dim), np.float32), np.zeros(0, np.float32), ())
        with self._lock:
            self._load()
            vectors = self._vectors([ids], mask[None])[0]
        selection = np.ones(len(ids), bool) if self.checkpoint.expands else mask.astype(bool)
        weights = np.full(int(selection.sum()), 1 / selection.sum(), np.float32)
        words = [word for word, keep in zip(_words(text, spans), selection.tolist(), strict=True) if keep]
        return QueryVectors(vectors[selection], weights, tuple(words))

    def codebook(self) -> None:
        """Return None: the first stage of search uses sketches instead."""
        return

    def _read_tokenizer(self) -> None:
        """Load the tokenizer, and look up the ids of the tokens that are added or skipped. Raises CheckpointUnfit."""
        from tokenizers import Tokenizer

        checkpoint = self.checkpoint
        place = next((f for f in (checkpoint.transformer, checkpoint.folder) if (f / "tokenizer.json").is_file()), None)
        if place is None:
            raise checkpoint.unfit("there is no tokenizer.json beside it: save it again with PyLate")
        try:
            self._tokenizer: Any = Tokenizer.from_file(str(place / "tokenizer.json"))
        except Exception as error:  # noqa: BLE001  the library raises nothing more special
            raise checkpoint.unfit(f"its tokenizer.json cannot be read ({error}): download it again") from None
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        config = checkpoint.json("special_tokens_map.json") | checkpoint.json("tokenizer_config.json")
        tokens = {key: _special_token(config.get(key)) for key in ("mask_token", "eos_token", "pad_token", "unk_token")}
        ids = {key: self._tokenizer.token_to_id(token) if token else None for key, token in tokens.items()}
        fills = [ids[key] for key in ("mask_token", "eos_token", "pad_token") if ids[key] is not None]
        if checkpoint.expands and not fills:
            raise checkpoint.unfit("its tokenizer has no mask, end or pad token to pad questions with")
        self._fill = fills[0] if fills else 0
        self._pads_left = config.get("padding_side") == "left"
        self._prefixes = [self._prefix_ids(checkpoint.query_prefix), self._prefix_ids(checkpoint.document_prefix)]
        word_ids = [self._tokenizer.token_to_id(word) for word in checkpoint.skipped_words]
        skipped_ids = {ids["unk_token"] if id_ is None else id_ for id_ in word_ids}  # as PyLate looks words up
        self._skipped_ids = np.array(sorted(id_ for id_ in skipped_ids if id_ is not None), np.int64)
        special = self._tokenizer.encode("a").special_tokens_mask
        first, last = special.index(0), len(special) - special[::-1].index(0)
        example_ids = self._tokenizer.encode("a").ids
        self._head, self._tail = example_ids[:first], example_ids[last:]

    def _prefix_ids(self, prefix: str) -> list[int]:
        """Return the token id of a prefix as a list, empty for no prefix. Raises CheckpointUnfit if it is no token."""
        token_id = self._tokenizer.token_to_id(prefix) if prefix else None
        if prefix and token_id is None:
            raise self.checkpoint.unfit(
                f"its tokenizer does not know the prefix {prefix!r} as a token, so its weights were not "
                "trained for it: save it again with PyLate"
            )
        return [] if token_id is None else [token_id]

    def _prepare_text(self, text: str) -> tuple[str, int]:
        """Return a text as the checkpoint expects it, and the number of characters stripped from its beginning."""
        content = text.strip()
        if self.checkpoint.lowers:
            content = "".join(c.lower() if len(c.lower()) == 1 else c for c in content)
        return content, len(text) - len(text.lstrip())

    def _windows(self, text: str) -> list[_Window]:
        """Cut a passage into windows, each with the prefix of passages and the special tokens around it."""
        content, offset = self._prepare_text(text)
        encoding = self._tokenizer.encode(content, add_special_tokens=False)
        spans = np.asarray(encoding.offsets, np.int32).reshape(-1, 2) + offset
        prefix, room = self._prefixes[1], self.checkpoint.document_length - len(self._head) - len(self._tail)
        room -= len(self._prefixes[1])
        windows: list[_Window] = []
        for at in range(0, len(encoding.ids), room):
            ids = [*self._head, *encoding.ids[at : at + room], *self._tail]
            own = [(0, 0)] * len(self._head) + spans[at : at + room].tolist() + [(0, 0)] * len(self._tail)
            token_ids = np.array([*ids[:1], *prefix, *ids[1:]], np.int64)
            offsets = np.array([*own[:1], *[(0, 0)] * len(prefix), *own[1:]], np.int32)
            windows.append(_Window(token_ids, ~np.isin(token_ids, self._skipped_ids), offsets))
        return windows

    def _encode_question(self, question: str) -> tuple[str, Ids, Ids, list[tuple[int, int]]]:
        """Return the prepared question, and its padded token ids, attention mask and spans of characters."""
        checkpoint, prefix = self.checkpoint, self._prefixes[0]
        content, _ = self._prepare_text(question)
        length = checkpoint.query_length - len(prefix)
        encoding = self._tokenizer.encode(content, add_special_tokens=False)
        room = length - len(self._head) - len(self._tail)
        if not encoding.ids:
            return content, np.zeros(0, np.int64), np.zeros(0, np.int64), []
        ids = [*self._head, *encoding.ids[:room], *self._tail]
        spans = [(0, 0)] * len(self._head) + encoding.offsets[:room] + [(0, 0)] * len(self._tail)
        mask = [1] * len(ids)
        missing = length - len(ids) if checkpoint.expands else 0
        before, after = (missing, 0) if self._pads_left else (0, missing)
        ids = [self._fill] * before + ids + [self._fill] * after
        mask = [0] * before + mask + [0] * after
        spans = [(0, 0)] * before + spans + [(0, 0)] * after
        ids, mask = [*ids[:1], *prefix, *ids[1:]], [*mask[:1], *[1] * len(prefix), *mask[1:]]
        spans = [*spans[:1], *[(0, 0)] * len(prefix), *spans[1:]]
        attention = np.ones(len(ids), np.int64) if checkpoint.attends else np.array(mask, np.int64)
        return content, np.array(ids, np.int64), attention, spans

    def _vectors(self, batch: Sequence[Ids], attention: Ids | None = None) -> list[NDArray[np.float32]]:
        """Return the unit vectors (n, dim) of each sequence of token ids; tokens are all attended to by default."""
        assert self._forward is not None  # noqa: S101  _load
        longest = max(map(len, batch))
        ids = np.full((len(batch), longest), self._fill, np.int64)
        mask = np.zeros((len(batch), longest), np.int64)
        for row, token_ids in enumerate(batch):
            ids[row, : len(token_ids)], mask[row, : len(token_ids)] = token_ids, 1
        states = self._forward(ids, mask if attention is None else attention)
        width, dim = self.checkpoint.layers[0].weight.shape[1], self.checkpoint.dim
        results = []
        for row, token_ids in enumerate(batch):
            rows = states[row, : len(token_ids)].astype(np.float32)
            if rows.shape[1] == width:
                for layer in self.checkpoint.layers:
                    rows = layer(rows)
            if rows.shape[1] != dim or not np.isfinite(rows).all():
                raise self.checkpoint.unfit(
                    f"its model outputs {rows.shape[1]} dimensions, which do not match its Dense layer"
                )
            results.append(np.pad(normalize(rows), ((0, 0), (0, self.dim - dim))))
        return results

    def _load(self) -> None:
        """Load the model: ONNX if there is one and no GPU is set, else torch. Raises ExtraMissing, CheckpointUnfit."""
        if self._forward is not None:
            return
        onnx = self.checkpoint.onnx
        if onnx is not None and not self._device.startswith(("cuda", "mps")):
            self._forward = onnx_model(onnx, self.checkpoint)
        else:
            self._forward, device = torch_model(self.checkpoint, self._device)
            self._batch = BATCH_TOKENS["cuda" if device.startswith("cuda") else "cpu"]


def _kept_offsets(windows: Sequence[_Window]) -> NDArray[np.int32]:
    return np.concatenate([np.zeros((0, 2), np.int32), *(window.offsets[window.is_kept] for window in windows)])


def _special_token(value: Any) -> str:
    """Return a special token as a tokenizer's configuration names it; empty for none."""
    if isinstance(value, dict):
        return str(value.get("content") or "")
    return str(value or "")


def _words(text: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    """Return the lower-case text of each span: "##" before one that continues a word, "" for a special token."""
    words = []
    for start, end in spans:
        word = text[start:end].strip().lower()
        continues_word = bool(word) and start > 0 and text[start].isalnum() and text[start - 1].isalnum()
        words.append(f"##{word}" if continues_word else word)
    return words
