"""The operations of the API, typed by pydantic and served by FastAPI under /api/v1."""

from ui.web.rest.application import Api, application, server_context
from ui.web.rest.context import ApiCall, ServerContext
from ui.web.rest.tool_gate import ADDRESS, ToolGate
from ui.web.rest.tools import ToolServer

__all__ = ["ADDRESS", "Api", "ApiCall", "ServerContext", "ToolGate", "ToolServer", "application", "server_context"]
