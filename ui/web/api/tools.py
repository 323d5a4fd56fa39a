"""The tools of `vouch serve --mcp`: they answer with JSON, as text and as structured content, under a schema each.

Gradio's own way of calling a tool opens the files that the arguments name, by path or address, before the tool
is asked. So it is not used: a call goes from the protocol straight to our function, and nothing between them knows of
files.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ui.errors import BadRequest
from ui.web.api.ask import Endpoints
from ui.web.api.calls import Calls
from ui.web.api.collections import SentFile, index_tool, listing
from ui.web.api.review import audit_of, check_of
from ui.web.api.schemas import ANSWERS

if TYPE_CHECKING:
    from ui.web.open_collections import OpenCollections
    from ui.web.uploads import Uploads

_LOG = logging.getLogger(__name__)
_FILES = {
    "type": "array",
    "items": SentFile.model_json_schema(),
    "description": "The documents as bytes: PDF, Office and text files, web pages, mail, images, or ZIPs of them. "
    "No paths, no addresses.",
}
_FILE = SentFile.model_json_schema() | {"description": "A paper or a bibliography as bytes. No path, no address."}
"""The schemas of the arguments `files` of `index` and `file` of `audit`: Gradio lists uploads, as its clients send."""


def offer_tools(gradio_tools: Any, open_collections: OpenCollections, uploads: Uploads) -> None:
    """Have a served page (`Blocks.mcp_server_obj`) offer our tools, and nothing else of the protocol.

    A list of the tools names the schema of each answer; the structured content of an answer obeys it, and its text is
    the same in JSON. The text of an error is a sentence.
    """
    types, handlers = gradio_tools.types, gradio_tools.mcp_server.request_handlers
    listed = handlers[types.ListToolsRequest]
    offered = Endpoints(open_collections)
    asking = Calls({"ask": offered.ask, "search": offered.search, "collections": listing(uploads.service)})
    slow = Calls(  # apart, as one call takes as long as the reading of its files
        {
            "index": index_tool(uploads),
            "check": check_of(open_collections),
            "audit": audit_of(open_collections, uploads),
        }
    )

    async def list_tools(request: Any) -> Any:
        result = await listed(request)
        for tool in result.root.tools:
            tool.outputSchema = ANSWERS[tool.name]
            if tool.name == "index":
                tool.inputSchema["properties"]["files"] = _FILES
            if tool.name == "audit":
                tool.inputSchema["properties"]["file"] = _FILE
        return result

    async def call_tool(request: Any) -> Any:
        name, arguments = request.params.name, request.params.arguments or {}
        found: Mapping[str, Any] | None = None
        try:
            calls = slow if name in slow.functions else asking
            found = await calls(name, arguments)
            text = json.dumps(found)
        except BadRequest as error:
            text = str(error)
        except Exception:  # noqa: BLE001 - the edge of the process: logged, and told without a trace
            _LOG.exception("a tool failed")
            text = "that did not work; the log of the server says why"
        content = [types.TextContent(type="text", text=text)]
        structured = None if found is None else dict(found)
        answer = types.CallToolResult(content=content, structuredContent=structured, isError=found is None)
        return types.ServerResult(answer)

    for kind in [kind for kind in handlers if kind not in (types.PingRequest, types.ListToolsRequest)]:
        del handlers[kind]
    handlers[types.ListToolsRequest] = list_tools
    handlers[types.CallToolRequest] = call_tool
