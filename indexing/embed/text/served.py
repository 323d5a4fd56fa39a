"""Single vectors of an OpenAI-compatible server (`/v1/embeddings`) as the text embedder: one vector a passage.

Nothing is sent anywhere but to the address of the settings, or of OPENAI_BASE_URL. A passage is a multi-vector of one
row, and stands for all its characters; which of its sentences answers is decided by their words. A question's vector
stands once for each of its words, which gives every passage the same score as once, and lets words be counted.
"""

from __future__ import annotations

import contextlib
import ipaddress
import json
import os
import re
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from indexing.embed.minilm import quantise
from indexing.embed.protocol import QueryVectors, TokenVectors
from indexing.errors import EmbedderMismatch, EmbeddingServerFailed
from indexing.settings import IndexingSettings
from indexing.vectors import Packing, normalize

if TYPE_CHECKING:
    import httpx

NAME = "openai"
BATCH, BATCH_CHARS = 64, 200_000
"""The most texts of a request, and the characters of all of them together."""
MOST_CHARS = 16_000
"""The characters of a passage that are sent; servers refuse more than some 8,000 tokens."""
MOST_BYTES = 64 << 20
"""The most bytes of a reply."""
MOST_DIM = 16_384
TRIES = 4
SECONDS = 120.0
MOST_WAIT = 30.0
"""The most seconds to wait before the next try, even if the server asks for more."""
MOST_WORDS = 64
_WORD = re.compile(r"\w+")
_PROOF = "proof"


class ServedEmbedder:
    """The text embedder of a server. Safe to use from several threads."""

    name = NAME
    fingerprint = ""

    def __init__(
        self,
        settings: IndexingSettings,
        dim: int = 0,
        *,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        """Find address and key; `dim` is the collection's, 0 to ask the server. Raises EmbeddingServerFailed."""
        if not settings.text_checkpoint:
            raise EmbeddingServerFailed(
                "the text embedder openai needs a model: give the name that the server uses, with --checkpoint MODEL"
            )
        self.model = self.weights = settings.text_checkpoint
        self._base_url, self._key = _server(settings)
        self._pause = pause
        self.dim = dim
        self.dim = dim or self._request_vectors([_PROOF]).shape[1]
        self.packing = Packing(self.dim, 8)

    def embed_passages(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Return a multi-vector of one row for each text, in order; of none for a text without a letter or digit."""
        indices = [n for n, text in enumerate(texts) if _has_letter_or_digit(text)]
        nothing = TokenVectors(np.zeros((0, self.dim), np.int8), np.zeros((0, 2), np.int32))
        results = [nothing] * len(texts)
        for batch in _batches(texts, indices):
            for n, vector in zip(batch, self._request_vectors([texts[n][:MOST_CHARS] for n in batch]), strict=True):
                results[n] = TokenVectors(_quantise_full_range(vector), self.offsets(texts[n]))
        return results

    def offsets(self, text: str) -> NDArray[np.int32]:
        """Return the characters (1, 2) of the one row of a passage: all; none (0, 2) for a text without words."""
        return np.array([(0, len(text))] if _has_letter_or_digit(text) else [], np.int32).reshape(-1, 2)

    def embed_query(self, question: str) -> QueryVectors:
        """Return the vector of a question, once for each of its words."""
        words = [word.lower() for word in _WORD.findall(question)][:MOST_WORDS]
        if not words:
            return QueryVectors(np.zeros((0, self.dim), np.float32), np.zeros(0, np.float32), ())
        vectors = np.repeat(self._request_vectors([question[:MOST_CHARS]]), len(words), axis=0)
        return QueryVectors(vectors, np.full(len(words), 1 / len(words), np.float32), tuple(words))

    def codebook(self) -> None:
        """Return None: the first stage of search uses sketches instead."""
        return

    def _request_vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors (n, d) of texts. Raises EmbeddingServerFailed, EmbedderMismatch."""
        reply = self._post({"model": self.model, "input": list(texts), "encoding_format": "float"})
        try:
            rows = sorted(json.loads(reply)["data"], key=lambda row: int(row["index"]))
            vectors = np.array([row["embedding"] for row in rows], np.float32)
            is_complete = vectors.ndim == 2 and len(vectors) == len(texts) and 0 < vectors.shape[1] <= MOST_DIM
        except (ValueError, KeyError, TypeError, RecursionError):
            is_complete, vectors = False, np.zeros((0, 0), np.float32)
        if not is_complete or not np.isfinite(vectors).all():
            raise EmbeddingServerFailed(
                f"{self._base_url} did not return one vector of numbers for each of {len(texts)} "
                f"texts: check that {self.model} is an embedding model"
            )
        if self.dim and vectors.shape[1] != self.dim:
            raise EmbedderMismatch(
                f"{self.model} at {self._base_url} returns vectors of {vectors.shape[1]} dimensions, "
                f"and those of the collection have {self.dim}: use the server that it was indexed with, or "
                "index again"
            )
        return normalize(vectors)

    def _post(self, body: dict[str, Any]) -> bytes:
        """Return the reply to a request, which is repeated if the server is busy. Raises EmbeddingServerFailed."""
        import httpx

        base = self._base_url
        last = ""
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        headers["Accept-Encoding"] = "identity"  # a few bytes could become gigabytes
        with httpx.Client(timeout=SECONDS, headers=headers, trust_env=not _is_local(base)) as http:
            for attempt in range(TRIES):
                wait = float(2**attempt)
                try:
                    with http.stream("POST", f"{base}/embeddings", json=body) as response:
                        reply = _read_reply(response, base)
                        if response.status_code == 200:
                            return reply
                        last = f"responds with status {response.status_code}: {self._excerpt(reply)}"
                        if response.status_code not in (408, 409, 429) and response.status_code < 500:
                            raise EmbeddingServerFailed(f"{base} {last}: {_advice(response.status_code, self.model)}")
                        with contextlib.suppress(ValueError):
                            wait = max(float(response.headers.get("retry-after", "")), 0.0)
                except httpx.HTTPError as error:
                    last = f"cannot be reached ({self._excerpt(str(error).encode()) or type(error).__name__})"
                if attempt + 1 < TRIES:
                    self._pause(min(wait, MOST_WAIT))
        raise EmbeddingServerFailed(
            f"{base} {last}, {TRIES} times: start the server, or look at its log; then run the same command again"
        )

    def _excerpt(self, reply: bytes) -> str:
        """Return the beginning of a server's reply, on one line, without the key."""
        text = " ".join(reply[:2000].decode("utf-8", "replace").split())
        return (text.replace(self._key, "(key)") if self._key else text)[:200]


def _server(settings: IndexingSettings) -> tuple[str, str]:
    """Return address and key of the server of the settings, else of the environment. Raises EmbeddingServerFailed.

    OPENAI_API_KEY goes to OPENAI_BASE_URL alone; another address gets the key of the variable that the settings name.
    """
    own_url = settings.text_base_url
    base = (own_url or os.environ.get("OPENAI_BASE_URL", "")).rstrip("/")
    if not base:
        raise EmbeddingServerFailed(
            "the text embedder openai needs the address of a server: set indexing.text_base_url in a "
            "profile, or export OPENAI_BASE_URL=http://127.0.0.1:8000/v1"
        )
    try:
        parts = urlsplit(base)
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_valid, parts = False, urlsplit("")
    if not is_valid or parts.username or parts.password or parts.query:
        raise EmbeddingServerFailed(
            "indexing.text_base_url or OPENAI_BASE_URL is not an address free of user, password and query: "
            "give one such as http://127.0.0.1:8000/v1, and name the environment variable of the key in "
            "indexing.text_key_env"
        )
    name = settings.text_key_env or ("" if own_url else "OPENAI_API_KEY")
    key = os.environ.get(name, "").strip() if name else ""
    if settings.text_key_env and not (key and key.isascii() and key.isprintable()):
        raise EmbeddingServerFailed(
            f"the variable {name} (indexing.text_key_env) holds no key: export {name}=... and try again"
        )
    return base, key


def _is_local(base_url: str) -> bool:
    """Return True for an address on this machine: no proxy is used then."""
    host = urlsplit(base_url).hostname or ""
    with contextlib.suppress(ValueError):
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    return False


def _read_reply(response: httpx.Response, base: str) -> bytes:
    """Read a reply, up to a limit. Raises EmbeddingServerFailed."""
    content, deadline = bytearray(), time.monotonic() + SECONDS
    for piece in response.iter_bytes():
        content += piece
        if len(content) > MOST_BYTES or time.monotonic() > deadline:
            raise EmbeddingServerFailed(
                f"{base} sends more than {MOST_BYTES >> 20} MB, or takes longer than {SECONDS:.0f} s, for one "
                "reply: check that it is an embedding server"
            )
    return bytes(content)


def _advice(status: int, model: str) -> str:
    if status in (401, 403):
        return "check the key in the environment variable named by indexing.text_key_env (OPENAI_API_KEY by default)"
    if status == 404:
        return f"check that the address ends as the server expects (usually in /v1) and that it serves {model}"
    return "correct what the message names"


def _batches(texts: Sequence[str], indices: Sequence[int]) -> list[list[int]]:
    """Return the indices in batches, each within the limits of a request."""
    batches: list[list[int]] = []
    chars = 0
    for n in indices:
        length = min(len(texts[n]), MOST_CHARS)
        if batches and len(batches[-1]) < BATCH and chars + length <= BATCH_CHARS:
            batches[-1].append(n)
            chars += length
        else:
            batches.append([n])
            chars = length
    return batches


def _has_letter_or_digit(text: str) -> bool:
    return any(c.isalnum() for c in text)


def _quantise_full_range(vector: NDArray[np.float32]) -> NDArray[np.int8]:
    """Return a unit vector as one row (1, d) of int8, scaled to the largest range: only its direction matters."""
    return quantise(vector[None] / np.abs(vector).max(initial=1e-9))
