"""The operations of the API, typed by pydantic and served by FastAPI under /api/v1."""

from ui.web.api.answers import decode_files, stored_record
from ui.web.api.application import Api, application, server_context
from ui.web.api.context import ApiCall, CollectionName, CurrentCall, ServerContext
from ui.web.api.routing import OperationRouter, Rules
from ui.web.api.streams import last_answer
from ui.web.api.tool_gate import ADDRESS, ToolGate
from ui.web.api.tools import ToolServer
