"""The HTTP API under /api/v1: plain JSON for programs, described in OpenAPI 3.1."""

from ui.web.rest.permission import may
from ui.web.rest.rest_api import OPERATIONS, RestApi

__all__ = ["OPERATIONS", "RestApi", "may"]
