"""Keep copies of the indexed files: draw and annotate their pages, verify text against them."""

from indexing.originals.agreed_lines import AgreedLines, Line, left_of, lines_of
from indexing.originals.copies import Originals

__all__ = ["AgreedLines", "Line", "Originals", "left_of", "lines_of"]
