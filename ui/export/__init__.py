"""Export an answer as Markdown, HTML, JSON or PDF, and a conversation as Markdown or JSON."""

from ui.export import latex, markdown
from ui.export.conversation import ConversationPart, conversation_file
from ui.export.export import export, form_of
from ui.export.files import check_free, write_whole
from ui.export.sources import MARK

__all__ = [
    "MARK",
    "ConversationPart",
    "check_free",
    "conversation_file",
    "export",
    "form_of",
    "latex",
    "markdown",
    "write_whole",
]
