"""Keep copies of the indexed files: draw and annotate their pages, verify text against them."""

from indexing.originals.agreed_lines import AgreedLines, Line, lines_of, remaining_lines
from indexing.originals.copies import Originals
