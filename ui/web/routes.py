"""The routes that Vouch serves beside Gradio's page: page images, heat maps, answers as files. All are under /vouch/.

A visitor who may not see the page gets nothing here either. Only the visitor who asked gets an answer, and anyone who
may read its collection, if that visitor made a link to it.
An address names things (a collection, a document by its id, a number), never a file.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote

import anyio
import anyio.to_thread
from starlette.datastructures import QueryParams
from starlette.responses import PlainTextResponse, Response

from indexing import COLLECTION_NAME, EncryptedFile, IndexingError, NoVisualEmbedder
from ui.errors import AuditUnwritable, KeptUnreadable
from ui.show import public_words
from ui.web.server import App, Receive, Scope, Send, has_role, may_see, route, visitor

if TYPE_CHECKING:
    from ui.web.ask import Asking

PREFIX = "/vouch/"
_LOG_OUT = "/logout"
"""Gradio would end a session there by a link; where people log in, the plugin with accounts answers before."""
_NAME = f"({COLLECTION_NAME})"
_PAGE = re.compile(rf"/vouch/(page|heat)/{_NAME}/{_NAME}/([1-9][0-9]{{0,5}})\.(?:webp|svg)")
_EXPORT = re.compile(r"/vouch/export/([0-9a-f]{16}|[0-9a-f]{32})/([a-z0-9]{1,20})")
_PAPER = re.compile(r"/vouch/paper/([0-9a-f]{16})/([1-9][0-9]{0,5})\.webp")
_SHARED = re.compile(r"/vouch/answer/([A-Za-z0-9_-]{32})")
_KEEP = "private, max-age=86400"
"""The header of a page image. Pages of a document do not change: its id is the hash of its content."""
_NEVER = "no-store"
_MOST_QUESTION = 2000


class Routes:
    """The ASGI middleware that answers requests under /vouch/, and passes on all others."""

    def __init__(self, app: App, asking: Asking, most_at_once: int = 4) -> None:
        """Keep the app; at most `most_at_once` responses are made at a time, others wait for their turn."""
        self._app = app
        self._asking = asking
        self._limiter = anyio.CapacityLimiter(most_at_once)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request under /vouch/, or pass it on."""
        path = route(scope) if scope["type"] == "http" else ""
        if path == _LOG_OUT:
            response = _no("Nobody logs in here, so nobody can log out.", 405)
        elif path.startswith(PREFIX):
            response = await self._respond(scope)
        else:
            await self._app(scope, receive, send)
            return
        await response(scope, receive, send)

    async def _respond(self, scope: Scope) -> Response:
        if scope["method"] not in ("GET", "HEAD"):
            return _no("Only GET and HEAD are supported here.", 405)
        if not may_see(scope):
            return _no("Log in first.", 401)
        return await anyio.to_thread.run_sync(self._make_response, scope, limiter=self._limiter)

    def _make_response(self, scope: Scope) -> Response:
        """Return the response to a GET or HEAD, 404 for an unknown path; runs on a worker thread."""
        path = route(scope)
        parameters = QueryParams(scope["query_string"])
        try:
            if match := _PAGE.fullmatch(path):
                return self._page(match, parameters)
            if match := _EXPORT.fullmatch(path):
                return self._export(visitor(scope), *match.groups())
            if match := _PAPER.fullmatch(path):
                return self._paper(visitor(scope), match[1], int(match[2]), _width(parameters))
            match = _SHARED.fullmatch(path)
            return self._shared_answer(scope, match[1]) if match else _no("There is nothing here.", 404)
        except NoVisualEmbedder as error:
            return _no(public_words(error), 409)
        except (IndexingError, KeptUnreadable, OSError) as error:
            status = 503 if isinstance(error, AuditUnwritable) else 423 if isinstance(error, EncryptedFile) else 404
            return _no(public_words(error), status)

    def _page(self, match: re.Match[str], parameters: QueryParams) -> Response:
        kind, collection, doc_id, number = match.groups()
        if kind == "page":
            image = self._asking.open_collections.page_image(collection, doc_id, int(number), _width(parameters))
            return Response(image, media_type="image/webp", headers={"cache-control": _KEEP})
        question = parameters.get("q", "")[:_MOST_QUESTION]
        return _drawing(self._asking.open_collections.heat_map(collection, doc_id, int(number), question))

    def _paper(self, who: str, known_as: str, number: int, width: int) -> Response:
        image = self._asking.downloads.page(who, known_as, number, width)
        if image is None:
            return _no("There is no such paper; it may have been replaced: audit it again.", 404)
        return Response(image, media_type="image/webp", headers={"cache-control": _KEEP})

    def _shared_answer(self, scope: Scope, token: str) -> Response:
        """Return a shared answer as HTML; 404 for an unknown link, or if the visitor may not read its collection."""
        name = self._asking.conversations.collection_shared(token)
        may = name is not None and has_role(scope, "reader", name)
        if name is not None and not may:
            self._asking.open_collections.access.note("open-link", name, outcome="refused")
        page = self._asking.shared_answer_page(token) if may else None
        if page is None:
            return _no("There is no such answer: its link is incomplete, or was deleted.", 404)
        return Response(page, media_type="text/html", headers={"cache-control": _NEVER})

    def _export(self, who: str, turn_id: str, form: str) -> Response:
        file = self._asking.downloads.export(who, turn_id, form)
        if file is None:
            return _no("There is no such answer; it may have been deleted: ask again.", 404)
        name, data, kind = file
        disposition = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
        return Response(data, media_type=kind, headers={"content-disposition": disposition, "cache-control": _NEVER})


def _width(parameters: QueryParams) -> int:
    """Return the requested width `w` in pixels, by default 1280."""
    text = parameters.get("w", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 1280


def _drawing(svg: bytes) -> Response:
    """Return the response of a heat map; 404 if the page has none."""
    if not svg:
        return _no("The image of this page was not indexed.", 404)
    return Response(svg, media_type="image/svg+xml", headers={"cache-control": _NEVER})


def _no(reason: str, status: int) -> Response:
    return PlainTextResponse(reason, status_code=status, headers={"cache-control": _NEVER})
