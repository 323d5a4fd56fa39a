"""Lay out the blocks of a text on pages, and keep the box of each word."""

from typing import TYPE_CHECKING

from indexing.conversion.typesetting.places import cell_place, cited_place, joined_place
from indexing.late import late

if TYPE_CHECKING:
    from indexing.conversion.typesetting.typesetter import typeset

__all__ = ["cell_place", "cited_place", "joined_place", "typeset"]

__getattr__ = late(__name__, {"typeset": "typesetter"})
