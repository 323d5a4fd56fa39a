"""The open collections of the page: questions are put to them, their pages drawn, and looked at while nobody asks."""

from ui.web.open_collections.collections import OpenCollections, page_name
from ui.web.open_collections.idle_looks import IdleLooks

__all__ = ["IdleLooks", "OpenCollections", "page_name"]
