"""Read the lines of a document in reading order, without running headers, and join them."""

from plugins.audit.references.lines.columns import lines_of_page
from plugins.audit.references.lines.furniture import without_furniture
from plugins.audit.references.lines.text_line import TextLine, block_lines, join_lines, known_words, plain_lines
