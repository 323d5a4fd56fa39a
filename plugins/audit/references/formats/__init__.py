"""Read bibliographies in Word files, web pages and LaTeX, without running or fetching anything."""

from plugins.audit.references.formats.blocks import docx_blocks, html_blocks
from plugins.audit.references.formats.latex import latex_body, latex_items, plain_latex

__all__ = ["docx_blocks", "html_blocks", "latex_body", "latex_items", "plain_latex"]
