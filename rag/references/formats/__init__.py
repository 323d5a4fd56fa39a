"""Read bibliographies in Word files, web pages and LaTeX, without running or fetching anything."""

from rag.references.formats.latex import latex_body, latex_items, plain_latex
from rag.references.formats.web import Block, html_blocks
from rag.references.formats.word import docx_blocks

__all__ = ["Block", "docx_blocks", "html_blocks", "latex_body", "latex_items", "plain_latex"]
