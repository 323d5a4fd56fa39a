"""The operations of the API, typed by pydantic and served by FastAPI under /api/v1."""

from ui.web.rest.application import Api, application, server_context
from ui.web.rest.context import ApiCall, ServerContext

__all__ = ["Api", "ApiCall", "ServerContext", "application", "server_context"]
