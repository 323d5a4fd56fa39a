"""Typesetting: blocks of a text without pages are laid out to pages, and each word keeps its box."""

from typing import TYPE_CHECKING

from indexing.conversion.typesetting.places import cell_place, cited_place, joined_place
from indexing.late import late

if TYPE_CHECKING:
    from indexing.conversion.typesetting.typesetter import typeset

__all__ = ["cell_place", "cited_place", "joined_place", "typeset"]

__getattr__ = late(__name__, {"typeset": "typesetter"})
