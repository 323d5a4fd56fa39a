"""The endpoints for programs, which are the tools of `--mcp` too."""

from ui.web.api.ask import Endpoints
from ui.web.api.collections import endpoints

__all__ = ["Endpoints", "endpoints"]
