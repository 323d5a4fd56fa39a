"""Uploads: files that visitors send, checked, unpacked and queued for indexing."""

from ui.web.uploads.arrivals import Arrivals
from ui.web.uploads.item import QueuedFile
from ui.web.uploads.receive import DEFAULT, Uploads, collection_name
from ui.web.uploads.unzip import MB

__all__ = ["DEFAULT", "MB", "Arrivals", "QueuedFile", "Uploads", "collection_name"]
