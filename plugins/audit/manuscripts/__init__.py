"""Read a text to be checked (PDF, DOCX, HTML, Markdown), with the position of every piece."""

from plugins.audit.manuscripts.composition import (
    Block,
    Form,
    Manuscript,
    PagePlace,
    ParagraphPlace,
    PlacedStatement,
)
from plugins.audit.manuscripts.docx_file import DocxParagraph, docx_blocks, open_docx, read_paragraphs, visible_text
from plugins.audit.manuscripts.manuscript import MOST_BYTES, form_of, read_manuscript, suffix_of, written_statements
from plugins.audit.manuscripts.web_page import web_page_blocks
