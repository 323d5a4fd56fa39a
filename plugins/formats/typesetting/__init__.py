"""Lay out the blocks of a text on pages, and keep the box of each word."""

from typing import TYPE_CHECKING

from indexing.lazy_imports import lazy_names
from plugins.formats.typesetting.pieces import SourceBlock

if TYPE_CHECKING:
    from plugins.formats.typesetting.typesetter import typeset


__getattr__ = lazy_names(__name__, {"typeset": "typesetter"})
