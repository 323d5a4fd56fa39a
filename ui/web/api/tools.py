"""The tools of `vouch serve --mcp`: they answer with JSON, as text and as structured content, under a schema each.

Gradio runs them, and answers with Python's own way of writing values, which is not JSON. It is told here how to answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ui.web.api.schemas import ANSWERS

_LISTS = {"index": "files", "collections": "collections"}
"""The key of a tool's list: structured content has to be an object."""


def answer_in_json(gradio_tools: Any) -> None:
    """Have the tools of a served page (`Blocks.mcp_server_obj`) answer with JSON.

    A list of the tools names the schema of each answer; the structured content of an answer obeys it, and its text is
    the same in JSON. The text of an error stays a sentence.
    """
    types, handlers = gradio_tools.types, gradio_tools.mcp_server.request_handlers
    listed, called = handlers[types.ListToolsRequest], handlers[types.CallToolRequest]

    def written(outputs: list[Any], _: str) -> list[Any]:
        return [types.TextContent(type="text", text=json.dumps(output)) for output in outputs]

    async def list_tools(request: Any) -> Any:
        result = await listed(request)
        for tool in result.root.tools:
            tool.outputSchema = ANSWERS[tool.name]
        return result

    async def call_tool(request: Any) -> Any:
        result = await called(request)
        answer = result.root
        if not answer.isError:
            found = structured(request.params.name, json.loads(answer.content[0].text))
            answer.structuredContent = dict(found)
            answer.content = written([found], "")
        return result

    gradio_tools.postprocess_output_data = written
    handlers[types.ListToolsRequest] = list_tools
    handlers[types.CallToolRequest] = call_tool


def structured(tool: str, output: Any) -> Mapping[str, Any]:
    """Return the answer of a tool as an object; a list goes under its key."""
    return {_LISTS[tool]: output} if tool in _LISTS else output
