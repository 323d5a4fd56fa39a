"""Export an answer as Markdown, HTML, JSON or PDF, and a conversation as Markdown or JSON."""

from ui.export.conversation import ConversationPart, conversation_file
from ui.export.export import export, form_of

__all__ = ["ConversationPart", "conversation_file", "export", "form_of"]
