"""Read Word files, web pages and the LaTeX of records, without running or fetching anything."""

from plugins.audit.references.formats.blocks import docx_blocks, html_blocks
from plugins.audit.references.formats.latex import plain_latex
