"""Exports: an answer with its evidence as Markdown, HTML or PDF; a whole conversation as Markdown or JSON."""

from ui.export.conversation import ConversationPart, conversation_file
from ui.export.export import export, form_of

__all__ = ["ConversationPart", "conversation_file", "export", "form_of"]
