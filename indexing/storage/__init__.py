"""Store a collection's files in a folder."""

from indexing.storage.folder import FolderRoot, Home, StoredFile, as_root, write_error
from indexing.storage.process_folder import ProcessFolder
