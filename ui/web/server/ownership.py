"""Ownership: a request names an upload of its own visitor, or an account's own visit to the page, and no other's.

Gradio would store an upload under the hash of its content: whoever has the same file knows the path, and may name it as
their own, or send it once more over the first one's. So uploads are stored here, each in a folder with a random and
signed name, and what a request names is compared with its visitor before Gradio sees it.

Gradio sends the events of a visit to anyone who knows its `session_hash`, which is part of addresses, and so of the
logs of proxies. So a visit belongs to the account that began it.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from ui.errors import Interrupted, NotKept, TooMuch, UploadError
from ui.web.server.route_filter import JOIN, UPLOAD, App, Receive, Scope, Send, caller, read_body, refuse, replay, route
from ui.web.server.visitors import ACCOUNT, may_see, visitor
from ui.web.signatures import Signatures
from ui.web.uploads import MB, SentFiles, file_name, receive_form

if TYPE_CHECKING:
    from ui.web.uploads import Uploads

_DATA = "/gradio_api/queue/data"
_CANCEL = "/gradio_api/cancel"
_PROGRESS = "/gradio_api/upload_progress"
_NO_PROGRESS = 'data: {"msg": "done"}\n\n'
_MOST_VISITS = 10_000
_NO_VISIT = "That is not your visit: reload the page."
_NOT_YOURS = "That is not a file that you have just uploaded: add it again."
_NOT_KEPT = "The upload could not be saved: make room on the server, then try again."


class Ownership:
    """The ASGI middleware that stores uploads, and answers 403 to a request for another visitor's upload or visit."""

    def __init__(
        self, app: App, uploads: Uploads, signatures: Signatures, owner_of: Callable[[str], str] = lambda _: ""
    ) -> None:
        """Keep the app; an upload is stored as `<folder of arrivals>/<64 hex digits>/<name>`.

        `owner_of` returns the visitor of the event with an id, "" if there is no such event.
        """
        self._app = app
        self._uploads = uploads
        self._signatures = signatures
        self._owner_of = owner_of
        self._visits: OrderedDict[str, str] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Store an upload, check an event of the queue, or pass the request on."""
        target = (scope["method"], route(scope)) if scope["type"] == "http" else ()
        if target == ("POST", UPLOAD):
            await (await self._take_upload(Request(scope, receive)))(scope, receive, send)
        elif target == ("GET", _PROGRESS) and may_see(scope):  # Gradio knows of no upload, and would wait for it
            await Response(_NO_PROGRESS, media_type="text/event-stream")(scope, receive, send)
        elif target == ("POST", JOIN):
            await self._join_queue(scope, receive, send)
        elif target == ("POST", _CANCEL):
            await self._cancel_event(scope, receive, send)
        elif target == ("GET", _DATA) and not self._owns_visit(QueryParams(scope["query_string"]), visitor(scope)):
            await refuse(scope, send, 403, _NO_VISIT)
        else:
            await self._app(scope, receive, send)

    async def _join_queue(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass an event on as it was parsed and checked, or answer 403. `Bodies` has limited its length."""
        body: Any = None
        try:
            body = json.loads(await read_body(receive) or b"null")
            own = all(self._is_own(path, visitor(scope)) for path in named_paths(body))
        except (ValueError, RecursionError):
            own = False
        if own and isinstance(body, dict) and not self._owns_visit(body, visitor(scope)):
            await refuse(scope, send, 403, _NO_VISIT)
        elif own:
            await self._app(scope, replay(json.dumps(body).encode(), receive), send)
        else:
            await refuse(scope, send, 403, _NOT_YOURS)

    async def _cancel_event(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a cancellation on if the visitor owns the visit and the event, else answer 403."""
        body: Any = None
        try:
            body = json.loads(await read_body(receive))
            who = visitor(scope)
            own = self._visits.get(body["session_hash"]) == who and self._owner_of(body["event_id"]) in ("", who)
        except (ValueError, RecursionError, TypeError, LookupError):
            own = False
        if own:
            await self._app(scope, replay(json.dumps(body).encode(), receive), send)
        else:
            await refuse(scope, send, 403, _NO_VISIT)

    def _owns_visit(self, values: Mapping[str, Any], who: str) -> bool:
        """Return True for a visit that this visitor began, or begins now, and for any where there are no accounts."""
        visit = str(values.get("session_hash"))
        owner = self._visits.setdefault(visit, who)
        while len(self._visits) > _MOST_VISITS:
            self._visits.popitem(last=False)
        return owner == who or not who.startswith(ACCOUNT)

    def _is_own(self, path: object, who: str) -> bool:
        """Return True for the path of a file in a folder that was signed for this visitor.

        The folder has to be where uploads are stored: Gradio would fetch `http://.../<signed folder>/<name>`.
        """
        if not isinstance(path, str) or PurePath(path).name == "..":
            return False
        folder = PurePath(path).parent
        is_signed = self._signatures.fit(folder.name[32:], "upload", folder.name[:32], who)
        return is_signed and folder.parent == self._uploads.folder.inbox

    async def _take_upload(self, request: Request) -> Response:
        """Store the files of a form; return the response: a list of their paths, or 400, 401, 499 or 507."""
        who, arrivals = visitor(request.scope), self._uploads.arrivals
        owner = who or caller(request.scope)
        if not may_see(request.scope):
            return PlainTextResponse("Log in first.", 401)
        try:
            room = await anyio.to_thread.run_sync(arrivals.room, owner)
            upload = await receive_form(request, room, arrivals.too_many)
            with closing(upload):
                paths = await anyio.to_thread.run_sync(self._store, upload, who)
        except TooMuch:  # `Bodies` answers, once it has taken what still comes
            raise
        except Interrupted:
            return Response(status_code=499)
        except (NotKept, OSError):
            return PlainTextResponse(_NOT_KEPT, 507)
        except UploadError as error:
            return PlainTextResponse(f"{error}.", 400)
        arrivals.note(owner, paths)
        return JSONResponse(paths)

    def _store(self, upload: SentFiles, who: str) -> list[str]:
        """Write files into folders signed for a visitor, and return their paths. Raises TooMuch, OSError."""
        most, paths = self._uploads.settings.max_file_mb, []
        for name, content in upload.files:
            if content.seek(0, os.SEEK_END) > most * MB:
                raise TooMuch(f"{name[:60]} has more than {most:,} MB (max_file_mb)")
            content.seek(0)
        try:
            for name, content in upload.files:
                number = secrets.token_hex(16)
                folder = self._uploads.folder.inbox / (number + self._signatures.of("upload", number, who))
                folder.mkdir(mode=0o700, parents=True)
                path = folder / file_name(name)
                paths.append(str(path))
                with path.open("xb") as file:
                    shutil.copyfileobj(content, file)
        except OSError:  # the disk is full: what nobody is told of would stay there
            for stray in paths:
                shutil.rmtree(PurePath(stray).parent, ignore_errors=True)
            raise
        return paths


def named_paths(value: Any) -> list[object]:
    """Return the values of all keys `path` in a JSON value, at any depth."""
    paths, waiting = [], [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting.extend(one)
        elif isinstance(one, dict):
            paths += [path for key, path in one.items() if key == "path"]
            waiting.extend(one.values())
    return paths
