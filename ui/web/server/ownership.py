"""Ownership: a request names an upload of its own visitor, or an account's own visit to the page, and no other's.

Gradio stores an upload under the hash of its content: whoever has the same file knows the path, and may name it as
their own, or send it once more over the first one's. So it is moved, before its path is told, into a folder with a
random and signed name, and what a request names is compared with its visitor before Gradio sees it.

Events of a visit are told to whoever names it, by a `session_hash` that stands in addresses, and so in the logs of
proxies. So a visit belongs to the account that began it.
"""

from __future__ import annotations

import json
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any

from starlette.datastructures import QueryParams

from ui.web.server.guard import JOIN, UPLOAD, App, Message, Receive, Scope, Send, refuse, replay, route, whole
from ui.web.server.visitors import ACCOUNT, visitor
from ui.web.signatures import Signatures

_DATA = "/gradio_api/queue/data"
_CANCEL = "/gradio_api/cancel"
_MOST_VISITS = 10_000
_NO_VISIT = "That is not your visit: reload the page."
_NOT_YOURS = "That is not a file that you have just uploaded: add it again."
_NOT_KEPT = "The upload could not be saved: try again."


class Ownership:
    """The ASGI middleware that answers 403 to a request that names what is another visitor's."""

    def __init__(
        self, app: App, arrived: Path, signatures: Signatures, owner_of: Callable[[str], str] = lambda _: ""
    ) -> None:
        """Keep the app; `arrived` is the folder where Gradio puts uploads: `<arrived>/<sha256>/<name>`.

        `owner_of` tells whose event has an id, "" where none has.
        """
        self._app = app
        self._arrived = arrived.resolve()
        self._signatures = signatures
        self._owner_of = owner_of
        self._visits: OrderedDict[str, str] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        asked = (scope["method"], route(scope)) if scope["type"] == "http" else ()
        if asked == ("POST", UPLOAD):
            await self._app(scope, receive, _Signing(self, visitor(scope), send))
        elif asked == ("POST", JOIN):
            await self._join_queue(scope, receive, send)
        elif asked == ("POST", _CANCEL):
            await self._cancel_event(scope, receive, send)
        elif asked == ("GET", _DATA) and not self._is_visit(QueryParams(scope["query_string"]), visitor(scope)):
            await refuse(send, 403, _NO_VISIT)
        else:
            await self._app(scope, receive, send)

    async def _join_queue(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass an event on exactly as it was parsed and checked. Its length is limited before."""
        body: Any = None
        try:
            body = json.loads(await whole(receive) or b"null")
            own = all(self._is_own(path, visitor(scope)) for path in named_paths(body))
        except (ValueError, RecursionError):
            own = False
        if own and isinstance(body, dict) and not self._is_visit(body, visitor(scope)):
            await refuse(send, 403, _NO_VISIT)
        elif own:
            await self._app(scope, replay(json.dumps(body).encode(), receive), send)
        else:
            await refuse(send, 403, _NOT_YOURS)

    async def _cancel_event(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a cancellation if the visitor owns the session: its id alone must not cancel another's event."""
        body: Any = None
        try:
            body = json.loads(await whole(receive))
            who = visitor(scope)
            own = self._visits.get(body["session_hash"]) == who and self._owner_of(body["event_id"]) in ("", who)
        except (ValueError, RecursionError, TypeError, LookupError):
            own = False
        if own:
            await self._app(scope, replay(json.dumps(body).encode(), receive), send)
        else:
            await refuse(send, 403, _NO_VISIT)

    def _is_visit(self, named: Mapping[str, Any], who: str) -> bool:
        """Return True for a visit that this visitor began, or begins now; browsers without accounts keep to no rule."""
        visit = str(named.get("session_hash"))
        owner = self._visits.setdefault(visit, who)
        while len(self._visits) > _MOST_VISITS:
            self._visits.popitem(last=False)
        return owner == who or not who.startswith(ACCOUNT)

    def _is_own(self, path: object, who: str) -> bool:
        """Return True for the path of a file in a folder that was signed for this visitor."""
        if not isinstance(path, str) or PurePath(path).name == "..":
            return False
        folder = PurePath(path).parent.name
        return self._signatures.fit(folder[32:], "upload", folder[:32], who)

    def claim_upload(self, path: str, who: str) -> str:
        """Move an upload of a visitor into a folder of its own; return its path there. Raises OSError."""
        came = Path(path)
        if came.parent.parent.resolve() != self._arrived:
            raise FileNotFoundError(path)
        number = secrets.token_hex(16)
        folder = came.parent.with_name(number + self._signatures.of("upload", number, who))
        folder.mkdir(mode=0o700)
        try:
            came.rename(folder / came.name)
        except OSError:
            folder.rmdir()
            raise
        with suppress(OSError):  # another file of the same content is just arriving there
            came.parent.rmdir()
        return str(folder / came.name)


class _Signing:
    """The `send` of an upload: the paths in the answer become those to which the files are moved."""

    def __init__(self, uploads: Ownership, who: str, send: Send) -> None:
        self._uploads = uploads
        self._who = who
        self._send = send
        self._start: Message = {}
        self._body = bytearray()

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] == 200:
            self._start = message
        elif not self._start or message["type"] != "http.response.body":
            await self._send(message)
        else:
            self._body += message.get("body", b"")
            if not message.get("more_body"):
                await self._send_paths()

    async def _send_paths(self) -> None:
        """Send the response with the new paths."""
        try:
            body = json.dumps([self._uploads.claim_upload(path, self._who) for path in json.loads(self._body)]).encode()
        except (ValueError, OSError):
            await refuse(self._send, 500, _NOT_KEPT)
            return
        headers = [(k, v) for k, v in self._start.get("headers", []) if k.lower() != b"content-length"]
        self._start["headers"] = [*headers, (b"content-length", str(len(body)).encode())]
        await self._send(self._start)
        await self._send({"type": "http.response.body", "body": body})


def named_paths(value: Any) -> list[object]:
    """Return what the objects of a JSON value name as their path, at any depth."""
    paths, waiting = [], [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting.extend(one)
        elif isinstance(one, dict):
            paths += [path for key, path in one.items() if key == "path"]
            waiting.extend(one.values())
    return paths
