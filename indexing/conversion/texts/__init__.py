"""Convert plain text, Markdown, CSV and notebooks to blocks that know their source lines."""

from indexing.conversion.texts.decoding import decoded, read_text
from indexing.conversion.texts.delimited import csv_rendition
from indexing.conversion.texts.html_text import html_text
from indexing.conversion.texts.markdown import markdown_rendition
from indexing.conversion.texts.notebook import notebook_rendition
from indexing.conversion.texts.paragraphs import laid_out, paragraph_blocks, text_rendition

__all__ = [
    "csv_rendition",
    "decoded",
    "html_text",
    "laid_out",
    "markdown_rendition",
    "notebook_rendition",
    "paragraph_blocks",
    "read_text",
    "text_rendition",
]
