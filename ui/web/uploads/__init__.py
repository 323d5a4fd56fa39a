"""Receive the files of visitors, check and unpack them, and queue them for indexing."""

from ui.web.uploads.forms import FILES, PASSWORD, SentFiles, receive_body, receive_form
from ui.web.uploads.queue import QueuedFile, State
from ui.web.uploads.receive import DEFAULT, Arrivals, Uploads, collection_name
from ui.web.uploads.unzip import MB, file_name
