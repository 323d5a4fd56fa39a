"""The operations as tools of `vouch serve --mcp`: JSON, as text and structured; on a server with accounts by token.

A client without a valid token is answered as RFC 6750 says, with the address of the metadata of RFC 9728. These name
no authorization server, for there is none: tokens are made by `vouch admin token add`.

The package `mcp` speaks the protocol (streamable HTTP). No session is kept: each request stands for itself, in the name
of whoever sends it.
"""

from __future__ import annotations

import inspect
import json
import logging
import re
import secrets
import threading
from collections import deque
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from io import BytesIO
from typing import TYPE_CHECKING, Any, cast, get_type_hints

import anyio
import anyio.to_thread
from pydantic import BaseModel, Field, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from indexing import IndexingError
from ui.access import acting
from ui.errors import ApiRefusal, BadRequest, UploadError
from ui.show import public_words
from ui.web.api import answers
from ui.web.api.collections import collection_record, document_record
from ui.web.api.problems import ERRORS, faults_of
from ui.web.api.routing import ApiCall, ServerContext, interrupt_when
from ui.web.messages import (
    AnswerRecord,
    ApiRecord,
    ApiRequest,
    AskBody,
    DocumentRecord,
    PaperFile,
    RankingRecord,
    SearchBody,
    record_of,
)
from ui.web.server import MCP, METADATA, App, Message, Receive, Scope, Send, called_at, identity, route
from ui.web.uploads import MB, QueuedFile
from vouch.hooks import additions, load

if TYPE_CHECKING:
    from mcp import types
    from mcp.server import ServerRequestContext


ADDRESS = "/mcp"
"""The address of the tools, below that of the page."""
_DOCS = "docs/team.md of Vouch"
_WELL_KNOWN = f"/.well-known/oauth-protected-resource{ADDRESS}"
_PLAIN = re.compile(r"https?://[\w.:\[\]-]{1,300}(?:/[\w.~-]+)*")
_NEXT = "make one with vouch admin token add, and send it: Authorization: Bearer vch_..."
_NO_PAGE = "This is the address of Vouch's tools for language models (MCP, streamable HTTP): clients POST to it."


class ToolGate:
    """The ASGI middleware that answers requests to the tools and their metadata, and passes on all others."""

    def __init__(self, app: App, tools: ToolServer, *, with_tokens: bool, origin: str = "") -> None:
        """Keep the parts; `with_tokens`: the server has accounts; `origin` is as in `called_at`."""
        self._app = app
        self._tools = tools
        self._with_tokens = with_tokens
        self._origin = origin

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request to the tools or their metadata, or pass it on."""
        path = route(scope) if scope["type"] == "http" else ""
        if METADATA.fullmatch(path):
            await self._metadata_response(scope)(scope, receive, send)
        elif not MCP.fullmatch(path):
            await self._app(scope, receive, send)
        elif self._with_tokens and not identity(scope).token:
            await self._refuse(scope)(scope, receive, send)
        elif scope["method"] != "POST":  # no stream is held open for messages that never come, and no session ended
            await JSONResponse({"error": _NO_PAGE}, 405, {"allow": "POST"})(scope, receive, send)
        else:
            await self._tools.serve(scope, receive, send)

    def _metadata_response(self, scope: Scope) -> Response:
        """Return the metadata of the tools as a protected resource (RFC 9728)."""
        if not self._with_tokens:
            return JSONResponse({"error": "No token is needed here."}, 404)
        if scope["method"] not in ("GET", "HEAD"):
            return JSONResponse({"error": "only GET is supported here"}, 405, {"allow": "GET, HEAD"})
        return JSONResponse(
            {
                "resource": f"{called_at(scope, self._origin)}{ADDRESS}",
                "resource_name": "Vouch",
                "bearer_methods_supported": ["header"],
            }
        )

    def _refuse(self, scope: Scope) -> Response:
        """Return the response, 401, to a request without a valid token."""
        header = Request(scope).headers.get("authorization", "")
        why, challenge = "a token is needed", ['Bearer realm="Vouch"']
        if header:
            why = "that token is not valid"
            challenge.append(f'error="invalid_token", error_description="{why}"')
        base = called_at(scope, self._origin)
        if _PLAIN.fullmatch(base):
            challenge.append(f'resource_metadata="{base}{_WELL_KNOWN}"')
        headers = {"www-authenticate": ", ".join(challenge)}
        return JSONResponse({"error": why, "next": _NEXT, "docs": _DOCS}, 401, headers)


_LOG = logging.getLogger(__name__)
_AT_ONCE = 4
"""The calls of tools that are worked on at a time; others wait."""


class AskArguments(AskBody):
    """A question, and the collection that it is put to."""

    collection: str = Field("default", description="the name of the collection to ask")


class SearchArguments(SearchBody):
    """A question, and the collection that is searched."""

    collection: str = Field("default", description="the name of the collection to search")


class CollectionsArguments(ApiRequest):
    """The collections that are listed."""

    name: str = Field("", description="only the collection of this name; all when empty")


class IndexArguments(ApiRequest):
    """The documents that are read into a collection."""

    files: list[PaperFile] = Field(
        [],
        description="the documents as bytes: PDF, Office and text files, web pages, mail, images, or ZIPs of them; no "
        "paths, no addresses",
    )
    collection: str = Field("default", description="the name of the collection that they go to")
    folder: str = Field("", description="a folder on the server, instead of files, if the server's settings allow it")
    password: str = Field("", description="the password of encrypted files")


class ListedCollection(ApiRecord):
    """A collection with its documents."""

    name: str
    pages: int
    elements: int
    bytes: int = Field(description="the bytes on disk")
    embedder: str
    visual: str
    trouble: str = Field(description="why it cannot be opened; empty if it can")
    documents: list[DocumentRecord]


class ListedCollections(ApiRecord):
    """Collections with their documents."""

    collections: list[ListedCollection]


class IndexedFile(ApiRecord):
    """What became of a file."""

    name: str
    collection: str
    state: str = Field(description="done or failed")
    pages: int
    note: str = Field(description="why it failed, or other remarks")
    bytes: int


class IndexedFiles(ApiRecord):
    """What became of each file."""

    files: list[IndexedFile]


def ask(call: ApiCall, body: AskArguments) -> AnswerRecord:
    """Answer a question about a collection of documents.

    Every sentence of the answer has a verdict (quoted: these are the document's words; shown: look at the cited
    figure; computed: code made it of the cited cells; a model's sentence is confirmed, unconfirmed (nobody could tell),
    contradicted (the cited place says something else of the same thing), or a remark, which claims nothing); `answers`,
    the probability from 0 to 1 that it answers the question, or null if nobody measured that; and citations: document,
    page, boxes in fractions of the displayed page, the quoted words, and the `role`, as only a place that proves is a
    proof. If there are no sentences, these documents do not seem to say; `missing` is what a model did not find on the
    pages.
    """
    return answers.ask(call, body.collection, body)


def search(call: ApiCall, body: SearchArguments) -> RankingRecord:
    """Find the passages, tables and figures of a collection that bear on a question, best first, without answering it:
    each with its document, page, box in fractions of the displayed page, score and text.
    """
    return answers.search(call, body.collection, body)


def collections(call: ApiCall, body: CollectionsArguments) -> ListedCollections:
    """List the collections with their documents: pages, elements, bytes on disk, embedders, when each was added."""
    service = call.server.uploads.service
    summaries = service.summaries() if not body.name else (service.summary(body.name),)
    if body.name and summaries[0].trouble:
        raise BadRequest(summaries[0].trouble)
    records = []
    for one in summaries:
        documents = [document_record(document).model_dump() for document in one.documents]
        records.append(collection_record(one).model_dump() | {"documents": documents})
    return record_of(ListedCollections, {"collections": records})


def index(call: ApiCall, body: IndexArguments) -> IndexedFiles:
    """Read documents into a collection, which is made if there is none of that name, and wait until that is done.
    The result tells what became of each file: its state, its pages, and the reason if it was not read.
    """
    uploads, owner = call.server.uploads, f"program {secrets.token_hex(16)}"
    try:
        if body.folder:
            uploads.receive_folder(owner, body.collection, body.folder, body.password)
        else:
            content = answers.decode_files(body.files, uploads.settings.max_call_mb)
            files = [(name, BytesIO(data)) for name, data in content]
            uploads.receive_files(owner, body.collection, files, body.password, call.account)
        (last,) = deque(uploads.follow(owner), maxlen=1)
    except (UploadError, IndexingError, OSError) as error:
        raise BadRequest(f"{body.folder}: {public_words(error)}" if body.folder else public_words(error)) from None
    finally:
        uploads.upload_queue.cancel_all(owner)
        uploads.upload_queue.clear(owner)
    return record_of(IndexedFiles, {"files": [_index_summary(item) for item in last]})


def _index_summary(item: QueuedFile) -> dict[str, object]:
    facts = {"name": item.name, "collection": item.collection, "state": item.state, "pages": item.pages}
    return facts | {"note": item.note, "bytes": item.size}


@dataclass(frozen=True, slots=True)
class Tool:
    """A function as a tool: the models of its arguments and of its result are in its signature."""

    function: Callable[[ApiCall, Any], BaseModel]
    limiter: anyio.CapacityLimiter

    @property
    def takes(self) -> type[BaseModel]:
        """The model of the arguments."""
        return cast("type[BaseModel]", get_type_hints(self.function)["body"])

    def description(self) -> types.Tool:
        """Return the description that language models get: the docstring and the JSON schemas."""
        from mcp import types

        return types.Tool(
            name=self.function.__name__,
            description=inspect.getdoc(self.function),
            input_schema=self.takes.model_json_schema(),
            output_schema=get_type_hints(self.function)["return"].model_json_schema(mode="serialization"),
        )

    async def call(self, call: ApiCall, arguments: dict[str, Any]) -> BaseModel:
        """Return the result. Raises BadRequest for invalid arguments, and what the operation raises."""
        try:
            body = self.takes.model_validate(arguments)
        except ValidationError as error:
            faults = faults_of(error.errors(include_input=False), list(self.takes.model_fields))
            raise BadRequest("; ".join(f"{at}: {message}" for at, message in faults)) from None
        return await anyio.to_thread.run_sync(partial(self.function, call, body), limiter=self.limiter)


class ToolServer:
    """The tools of one running page. It serves requests within `run`, which is entered once."""

    def __init__(self, context: ServerContext) -> None:
        """Keep the context of the operations, and make the server; needs the package `mcp`."""
        from mcp.server import Server
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        quick, slow = anyio.CapacityLimiter(_AT_ONCE), anyio.CapacityLimiter(_AT_ONCE)
        tools = [Tool(function, quick) for function in (ask, search, collections)]
        others = [load(tool) for routes in additions("routes") for tool in routes.tools]
        tools += [Tool(function, slow) for function in (index, *others)]  # as slow as reading the files is
        self._context = context
        self._tools = {tool.function.__name__: tool for tool in tools}
        server: Server[Any] = Server(
            "Vouch",
            version=metadata.version("vouch"),
            get_tool_input_schema=lambda name: (
                self._tools[name].takes.model_json_schema() if name in self._tools else None
            ),
            on_list_tools=self._list,
            on_call_tool=self._call,
        )
        most = 2 * (context.uploads.settings.max_call_mb + 1) * MB  # over what `Bodies` lets through, base64 among it
        self._sessions = StreamableHTTPSessionManager(server, stateless=True, max_request_body_size=most)

    def run(self) -> AbstractAsyncContextManager[None]:
        """Return the context manager within which `serve` works; its end cancels the requests in progress."""
        return self._sessions.run()

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, in the name of the identity that `Visitors` found, and return when its call has ended.

        When a client disconnects, `mcp` would return and leave the call to its thread. Such a call would count neither
        for the limit of its sender nor for a server that waits before it stops: so the disconnect is hidden from `mcp`,
        and interrupts the call (`interrupt_when`), which ends with its next step.
        """
        disconnect = threading.Event()

        async def receive_but_disconnect() -> Message:
            message = await receive()
            if message["type"] == "http.disconnect":
                disconnect.set()
                await anyio.sleep_forever()  # cancelled when the answer is there
            return message

        with interrupt_when(disconnect.is_set):
            await self._sessions.handle_request(scope, receive_but_disconnect, send)

    async def _list(self, _context: ServerRequestContext[Any], _params: object) -> types.ListToolsResult:
        from mcp import types

        return types.ListToolsResult(tools=[tool.description() for tool in self._tools.values()])

    async def _call(
        self, context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """Call a tool, and return its result as JSON, or an error with its message."""
        from mcp import types

        result: dict[str, Any] | None = None
        try:
            tool = self._tool(params.name)
            call = ApiCall(self._context, cast("Request", context.request))
            with acting(identity(call.request.scope)):
                result = (await tool.call(call, params.arguments or {})).model_dump(mode="json")
            text = json.dumps(result)
        except ApiRefusal as error:
            text = f"{error}: {error.then}"
        except ERRORS as error:
            text = public_words(error)
        except Exception:  # noqa: BLE001 - the boundary of the process: logged, and answered without a trace
            _LOG.exception("a tool failed")
            text = "that did not work; the server's log says why"
        content: list[types.ContentBlock] = [types.TextContent(text=text.encode("utf-8", "replace").decode())]
        return types.CallToolResult(content=content, structured_content=result, is_error=result is None)

    def _tool(self, name: str) -> Tool:
        """Return a tool by its name. Raises BadRequest."""
        if name not in self._tools:
            raise BadRequest(f"there is no tool {name[:60]!r} (there are: {', '.join(self._tools)})")
        return self._tools[name]
