"""The page of `vouch serve`, and the APIs beside it."""

from typing import TYPE_CHECKING

from indexing.late import late

if TYPE_CHECKING:
    from ui.web.app import serve

__all__ = ["serve"]

__getattr__ = late(__name__, {"serve": "app"})  # Gradio takes seconds: what cannot be served is told before it
