"""Read bibliographies in Word files, web pages and LaTeX, without running or fetching anything."""

from plugins.audit.references.formats.latex import latex_body, latex_items, plain_latex
from plugins.audit.references.formats.web import Block, html_blocks
from plugins.audit.references.formats.word import docx_blocks

__all__ = ["Block", "docx_blocks", "html_blocks", "latex_body", "latex_items", "plain_latex"]
