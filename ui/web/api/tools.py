"""The tools of `vouch serve --mcp`: they answer with JSON, as text and as structured content, under a schema each.

The package `mcp` speaks the protocol (streamable HTTP); a call goes from it straight to our function, and nothing
between them knows of files or of Gradio. No session is kept: each request stands for itself, in the name of whoever
sends it.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from importlib import metadata
from typing import TYPE_CHECKING, Any

import anyio

from ui.errors import BadRequest
from ui.state.people import NOBODY, acting
from ui.web.api.ask import Endpoints
from ui.web.api.calls import Calls
from ui.web.api.collections import index_tool, listing
from ui.web.api.review import audit_of, check_of
from ui.web.api.tool_list import listed
from ui.web.hangups import waited_for
from ui.web.server import Message, Receive, Scope, Send, identity
from ui.web.uploads import MB

if TYPE_CHECKING:
    from mcp import types
    from mcp.server import ServerRequestContext

    from ui.web.open_collections import OpenCollections
    from ui.web.uploads import Uploads

_LOG = logging.getLogger(__name__)


class ToolServer:
    """The tools of one running page. It serves requests within `run`, which is entered once."""

    def __init__(self, open_collections: OpenCollections, uploads: Uploads) -> None:
        """Keep the functions; needs the package `mcp`."""
        from mcp.server import Server
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        offered = Endpoints(open_collections)
        quick: dict[str, Callable[..., Any]] = {
            "ask": offered.ask,
            "search": offered.search,
            "collections": listing(uploads.service),
        }
        slow: dict[str, Callable[..., Any]] = {
            "index": index_tool(uploads),
            "check": check_of(open_collections),
            "audit": audit_of(open_collections, uploads),
        }
        self._quick = Calls(quick)
        self._slow = Calls(slow)  # apart, as one call takes as long as the reading of its files
        self._listed = {name: listed(name, function) for name, function in (quick | slow).items()}
        server: Server[Any] = Server(
            "Vouch",
            version=metadata.version("vouch"),
            get_tool_input_schema=lambda name: self._listed[name].takes if name in self._listed else None,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )
        most = 2 * (uploads.settings.max_call_mb + 1) * MB  # over what `Bodies` lets through, files in base64 among it
        self._sessions = StreamableHTTPSessionManager(server, stateless=True, max_request_body_size=most)

    def run(self) -> AbstractAsyncContextManager[None]:
        """Return the context in which requests are served; at its end, those under way are ended."""
        return self._sessions.run()

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, in the name of the identity that `Visitors` found, and return when its call has ended.

        `mcp` leaves the call of a client that hangs up to a thread, and returns. Such a call would count neither among
        what its sender asks at a time nor among what a page that ends waits for: so `mcp` is not told of it, the call
        is, which ends with its next step.
        """
        gone = threading.Event()

        async def hearing_out() -> Message:
            message = await receive()
            if message["type"] == "http.disconnect":
                gone.set()
                await anyio.sleep_forever()  # cancelled when the answer is there
            return message

        with waited_for(gone.is_set):
            await self._sessions.handle_request(scope, hearing_out, send)

    async def _list(self, _context: ServerRequestContext[Any], _params: object) -> types.ListToolsResult:
        from mcp import types

        tools = [
            types.Tool(name=one.name, description=one.says, input_schema=one.takes, output_schema=one.gives)
            for one in self._listed.values()
        ]
        return types.ListToolsResult(tools=tools)

    async def _call(
        self, context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """Call a function. The text of an error is a sentence."""
        from mcp import types

        found: dict[str, Any] | None = None
        known = NOBODY if context.request is None else identity(context.request.scope)
        try:
            with acting(known):
                answer = await self._calls_of(params.name)(params.name, params.arguments or {})
            text = json.dumps(answer)
            found = json.loads(json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace"))
        except BadRequest as error:
            text = str(error).encode("utf-8", "replace").decode()
        except Exception:  # noqa: BLE001 - the edge of the process: logged, and told without a trace
            _LOG.exception("a tool failed")
            text = "that did not work; the server's log says why"
        content: list[types.ContentBlock] = [types.TextContent(text=text)]
        return types.CallToolResult(content=content, structured_content=found, is_error=found is None)

    def _calls_of(self, name: str) -> Calls:
        """Return those among which a tool is. Raises BadRequest."""
        if name not in self._listed:
            raise BadRequest(f"there is no tool {name[:60]!r} (there are: {', '.join(self._listed)})")
        return self._slow if name in self._slow.functions else self._quick
