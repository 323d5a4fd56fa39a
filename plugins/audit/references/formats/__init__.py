"""Read Word files, web pages and the LaTeX of records, without running or fetching anything."""

from plugins.audit.references.formats.blocks import blocks_of_docx, blocks_of_html
from plugins.audit.references.formats.latex import plain_latex
