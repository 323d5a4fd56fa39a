"""Repeats: a request that makes something and bears an Idempotency-Key is done once, however often it is sent.

The answers are remembered in memory, a bounded number for each caller, for an hour.
"""

from __future__ import annotations

import hashlib
import re
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass

from starlette.responses import Response

from ui.errors import ApiRefusal

MOST_KEYS = 100
"""The keys that are remembered for a caller, the latest."""
KEPT_SECONDS = 3600.0
_MOST_CALLERS = 500
_KEY = re.compile(r"[!-~]{1,128}")


@dataclass(frozen=True, slots=True)
class _Done:
    """A request under a key: `said` tells it from others; there is no answer while it is worked on."""

    said: str
    at: float
    answer: Response | None = None


class Repeats:
    """The keys of all callers. Every method may be called from any thread."""

    def __init__(self) -> None:
        """Start empty."""
        self._callers: OrderedDict[str, OrderedDict[str, _Done]] = OrderedDict()
        self._lock = threading.Lock()

    def begin(self, who: str, key: str, said: str) -> Response | None:
        """Return the answer that was given to the same request; None for a new one, which is worked on from now on.

        Raises ApiRefusal: 409 while the first is worked on, 422 for a key that another request had.
        """
        with self._lock:
            kept = self._callers.setdefault(who, OrderedDict())
            self._callers.move_to_end(who)
            while len(self._callers) > _MOST_CALLERS:
                self._callers.popitem(last=False)
            done = kept.get(key)
            if done is not None and time.monotonic() - done.at < KEPT_SECONDS:
                if done.said != said:
                    why = "that Idempotency-Key was used for another request"
                    raise ApiRefusal(422, "key-used", why, "send each request with its own key")
                if done.answer is None:
                    raise ApiRefusal(409, "under-way", "the same request is still running", "wait for its answer")
                return done.answer
            kept[key] = _Done(said, time.monotonic())
            kept.move_to_end(key)
            while len(kept) > MOST_KEYS:
                kept.popitem(last=False)
            return None

    def end(self, who: str, key: str, answer: Response | None) -> None:
        """Remember the answer; one that refuses, or None, is forgotten, so that the request may be sent again."""
        with self._lock:
            kept = self._callers.get(who, OrderedDict())
            done = kept.get(key)
            if done is None:
                return
            if answer is None or answer.status_code >= 300:
                del kept[key]
            else:
                kept[key] = _Done(done.said, done.at, answer)


def checked_key(key: str) -> str:
    """Return an Idempotency-Key. Raises ApiRefusal, 400."""
    if not _KEY.fullmatch(key):
        why = "Idempotency-Key: 1 to 128 letters, digits and signs, without spaces"
        raise ApiRefusal(400, "unfit-key", why, "send a random one, such as a UUID")
    return key


def fingerprint(*parts: str | bytes) -> str:
    """Return what tells a request from another."""
    digest = hashlib.sha256()
    for part in parts:
        content = part.encode("utf-8", "replace") if isinstance(part, str) else part
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()


def repeated(answer: Response) -> Response:
    """Return an answer once more, marked so."""
    headers = {k: v for k, v in answer.headers.items() if k.lower() not in ("content-length", "content-type")}
    return Response(
        bytes(answer.body),
        answer.status_code,
        headers | {"idempotency-replayed": "true"},
        media_type=answer.headers.get("content-type"),
    )
