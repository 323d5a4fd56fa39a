"""The operations of the API, typed by pydantic and served by FastAPI under /api/v1."""

from ui.web.api.answers import decode_files, stored_record
from ui.web.api.application import Api, application, server_context
from ui.web.api.routing import ApiCall, CollectionName, CurrentCall, OperationRouter, Rules, ServerContext, last_answer
from ui.web.api.tools import ADDRESS, ToolGate, ToolServer
