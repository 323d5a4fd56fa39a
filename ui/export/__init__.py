"""Export an answer as Markdown, HTML, JSON or PDF, and a conversation as Markdown or JSON."""

from typing import TYPE_CHECKING

from indexing.late import late
from ui.export import latex, markdown
from ui.export.export import check_free, export, form_of, write_whole
from ui.export.sources import MARK
from ui.export.writers import ConversationPart, conversation_file

if TYPE_CHECKING:
    from ui.export.copies import Checkup, annotated_copy, copy_form

__all__ = [
    "MARK",
    "Checkup",
    "ConversationPart",
    "annotated_copy",
    "check_free",
    "conversation_file",
    "copy_form",
    "export",
    "form_of",
    "latex",
    "markdown",
    "write_whole",
]
__getattr__ = late(__name__, dict.fromkeys(("Checkup", "annotated_copy", "copy_form"), "copies"))
