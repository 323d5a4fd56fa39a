"""The page of `vouch confirm`, on which a person reviews constructed questions and their evidence."""

from typing import TYPE_CHECKING

from indexing.late import late
from ui.web.confirm.pairs import ReferencePairs

if TYPE_CHECKING:
    from ui.web.confirm.page import serve_pairs

__all__ = ["ReferencePairs", "serve_pairs"]

__getattr__ = late(__name__, {"serve_pairs": "page"})  # Gradio takes seconds: unreadable pairs are told before it
