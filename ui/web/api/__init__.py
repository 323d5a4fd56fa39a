"""The named endpoints of Gradio for programs, which are also the tools of `--mcp`."""

from ui.web.api.ask import Endpoints
from ui.web.api.collections import SentFile, index_uploads, listing
from ui.web.api.plain import PlainApi
from ui.web.api.review import AUDIT_SAYS, audit_of, audit_uploads, check_of, pasted_name, written_statements

__all__ = [
    "AUDIT_SAYS",
    "Endpoints",
    "PlainApi",
    "SentFile",
    "audit_of",
    "audit_uploads",
    "check_of",
    "index_uploads",
    "listing",
    "pasted_name",
    "written_statements",
]
