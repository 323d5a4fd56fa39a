"""Export an answer as Markdown, HTML, JSON or PDF, and a conversation as Markdown or JSON."""

from ui.export import latex, markdown
from ui.export.export import check_free, export, form_of, not_written, write_atomically
from ui.export.sources import MARK, ExportContents, Source, evidence_picture, gather
from ui.export.writers import ConversationPart, conversation_file, html_page
