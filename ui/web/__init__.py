"""The page of `vouch serve`, and the API beside it."""

from ui.web.app import serve

__all__ = ["serve"]
