"""Export an answer as Markdown, HTML, JSON or PDF, and a conversation as Markdown or JSON."""

from ui.export import latex, markdown
from ui.export.export import check_free, export, form_of, not_written, write_whole
from ui.export.sources import MARK, Source, gather
from ui.export.writers import ConversationPart, conversation_file

__all__ = [
    "MARK",
    "ConversationPart",
    "Source",
    "check_free",
    "conversation_file",
    "export",
    "form_of",
    "gather",
    "latex",
    "markdown",
    "not_written",
    "write_whole",
]
