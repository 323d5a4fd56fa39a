"""Lists in parts: each part has a cursor, which says where the next one begins."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from typing import TypeVar
from urllib.parse import urlencode

from starlette.requests import Request

from ui.errors import ApiRefusal

T = TypeVar("T")
Key = tuple[str, str]
"""The key by which a list is sorted: two texts."""


def part_of(
    things: Sequence[T], key: Callable[[T], Key], of: str, limit: int, cursor: str | None
) -> tuple[list[T], str | None]:
    """Return at most `limit` things behind the cursor, sorted by their keys, and the next cursor; None at the end.

    `of` says what list it is: a cursor of another one is refused. What is added or removed meanwhile shifts nothing.
    Raises ApiRefusal, 422.
    """
    after = _read(cursor, of) if cursor else None
    ordered = sorted(things, key=key)
    rest = [thing for thing in ordered if after is None or key(thing) > after]
    part = rest[:limit]
    return part, _written(key(part[-1]), of) if len(rest) > limit else None


def next_link(request: Request, cursor: str | None) -> dict[str, str]:
    """Return the header that leads to the next part of a list."""
    if cursor is None:
        return {}
    query = urlencode({**request.query_params, "cursor": cursor})
    return {"link": f'<{request.url.path}?{query}>; rel="next"'}


def _written(key: Key, of: str) -> str:
    return base64.urlsafe_b64encode(json.dumps([of, *key]).encode()).decode().rstrip("=")


def _read(cursor: str, of: str) -> Key:
    try:
        told = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError):
        told = None
    if not (isinstance(told, list) and len(told) == 3 and told[0] == of and all(isinstance(t, str) for t in told)):
        raise ApiRefusal(
            422, "unfit-cursor", "cursor: this cursor does not belong to this list", "leave out the cursor"
        )
    return told[1], told[2]
