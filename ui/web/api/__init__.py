"""The endpoints for programs, which are the tools of `--mcp` too."""

from ui.web.api.ask import Endpoints
from ui.web.api.collections import index_uploads, listing
from ui.web.api.plain import PlainApi
from ui.web.api.tools import offer_tools

__all__ = ["Endpoints", "PlainApi", "index_uploads", "listing", "offer_tools"]
