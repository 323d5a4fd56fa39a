"""Receive the files of visitors, check and unpack them, and queue them for indexing."""

from ui.web.uploads.arrivals import Arrivals, Coming
from ui.web.uploads.incoming import FILES, PASSWORD, IncomingFile, IncomingFiles
from ui.web.uploads.item import QueuedFile, State
from ui.web.uploads.pasted import pasted_name, written_statements
from ui.web.uploads.receive import DEFAULT, Uploads, collection_name
from ui.web.uploads.unzip import MB

__all__ = [
    "DEFAULT",
    "FILES",
    "MB",
    "PASSWORD",
    "Arrivals",
    "Coming",
    "IncomingFile",
    "IncomingFiles",
    "QueuedFile",
    "State",
    "Uploads",
    "collection_name",
    "pasted_name",
    "written_statements",
]
