"""The copies of the indexed files: pages drawn, documents marked up, lines of text held against what pages show."""

from indexing.originals.agreed_lines import AgreedLines, Line, left_of, lines_of
from indexing.originals.copies import Originals

__all__ = ["AgreedLines", "Line", "Originals", "left_of", "lines_of"]
