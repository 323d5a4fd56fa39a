"""The errors of indexing: one tree below IndexingError, with those of a file and of a collection in branches.

Every message says what is wrong and what to do next.
"""

from __future__ import annotations


class IndexingError(Exception):
    """The base of all errors of this package."""


class FileError(IndexingError):
    """A problem with one file; the run goes on without it."""


class FileMissing(FileError):
    """There is no file or folder at that path."""


class NotReadable(FileError):
    """The file exists but may not be read."""


class EmptyFile(FileError):
    """The file has zero bytes."""


class UnsupportedFile(FileError):
    """Vouch does not read this file format, or the content does not match the extension."""


class DamagedFile(FileError):
    """The file is truncated or corrupt."""


class EncryptedFile(FileError):
    """The file needs a password, or a different one from the one given."""


class NoPages(FileError):
    """The file opens but has no pages."""


class TooLarge(FileError):
    """The file is over a limit on bytes, pages or pixels; the message names the limit."""


class NameTaken(FileError):
    """Somebody else uploaded a document of that name; the upload of another person does not replace it."""


class PageTimeout(FileError):
    """A page, or opening a file, took more processor time than the limit; its worker was killed."""


class PageCrash(FileError):
    """A page exceeded the memory limit or crashed its worker."""


class CollectionError(IndexingError):
    """A problem with a collection as a whole."""


class CollectionMissing(CollectionError):
    """There is no collection of that name."""


class CollectionThere(CollectionError):
    """A collection of that name already exists, and is replaced only on request."""


class BadCollectionName(CollectionError):
    """The name cannot be used for a collection."""


class CollectionLocked(CollectionError):
    """Another process is writing to the collection."""


class CollectionDamaged(CollectionError):
    """The collection's own files cannot be read."""


class CollectionOutdated(CollectionDamaged):
    """The collection was made by an older version of Vouch; the message says what to do."""


class ReindexUnderway(CollectionError):
    """Another reindex was started; the message says how to finish it or give it up."""


class EmbedderMismatch(CollectionError):
    """The collection was made with another embedder."""


class NoVisualEmbedder(CollectionError):
    """The modes image and multi need a collection that was made with a visual embedder."""


class DocumentMissing(CollectionError):
    """There is no such document in the collection."""


class NothingFits(CollectionError):
    """No document matches the filter; the message lists the values that exist."""


class DiskFull(CollectionError):
    """No space is left; documents that were complete are kept."""


class BackupUnreadable(IndexingError):
    """The file is damaged, cut off, malicious, or not a backup at all; nothing was restored."""


class LibraryUnreadable(IndexingError):
    """A library of references, or its export, cannot be read, or lists no files."""


class NotScored(IndexingError):
    """A part of the search gave no scores, as when memory runs out; the rest is not used for an answer."""


class BadFilter(IndexingError):
    """A filter of documents cannot be parsed; the message names the column and what is expected there."""


class BadSidecar(IndexingError):
    """A file with metadata about other files cannot be read, or has unknown fields."""


class BadSetting(IndexingError):
    """A setting was overridden with a value that is not allowed."""


class ModelDamaged(IndexingError):
    """A model file does not have the hash that was expected."""


class ExtraMissing(IndexingError):
    """Packages of an extra are needed, but they are not installed or cannot be imported."""


class CheckpointMissing(IndexingError):
    """There are no weights at that path, or none that can be downloaded under that name."""


class CheckpointUnfit(IndexingError):
    """The weights belong to a model that the embedder cannot load; using them would give noise."""


class EmbeddingServerFailed(IndexingError):
    """The embedding server is not configured, cannot be reached, refuses, or does not return vectors."""


class IndexingCancelled(IndexingError):
    """The user stopped the run; documents that were complete are kept."""
