"""The errors of indexing, drawn as a tree.

IndexingError
├── FileError                 one file or page; the run goes on without it
│   ├── FileMissing           nothing at that path
│   ├── NotReadable           no permission, a device, a socket
│   ├── EmptyFile             zero bytes
│   ├── UnsupportedFile       a kind of file that Vouch does not read, or not what its extension says
│   ├── DamagedFile           truncated or corrupt
│   ├── EncryptedFile         needs a password, or a different one
│   ├── NoPages               opens, but has no pages
│   ├── TooLarge              over a limit on bytes, pages or pixels
│   ├── NotFetched            an address that may not be asked, or gives nothing
│   ├── NameTaken             an upload by the name of a document that somebody else brought
│   ├── PageTimeout           a page took longer than the limit; its worker was killed
│   └── PageCrash             a page used too much memory or crashed its worker
├── CollectionError           the collection as a whole
│   ├── CollectionMissing     no collection of that name
│   ├── CollectionThere       a collection of that name, which a restored one would replace
│   ├── BadCollectionName     a name that cannot be a folder
│   ├── CollectionLocked      another process is writing
│   ├── WriterReplaced        another process has taken over the writing
│   ├── StoreUnreachable      the object store does not answer
│   ├── StoreDenied           the object store refuses
│   ├── CollectionDamaged     its files cannot be read
│   │   └── CollectionOutdated made by an older version of Vouch: vouch reindex brings it up to date
│   ├── ReindexUnderway       another reindex was begun, and waits to be finished or given up
│   ├── EmbedderMismatch      made with another embedder
│   ├── ShardsMismatch        made with another number of shards
│   ├── NoVisualEmbedder      mode image or multi, of a collection that knows only text
│   ├── DocumentMissing       no such document in it
│   ├── NothingFits           no document of it fits a filter
│   └── DiskFull              no space left; what was complete is kept
├── BackupUnreadable          a backup that is damaged, cut off, or none
├── LibraryUnreadable         a Zotero library, or its export, that cannot be read
├── NotScored                 a part of the search gave no numbers, as when memory runs out
├── BadFilter                 a filter of documents that cannot be read
├── BadSidecar                what stands beside a file about it cannot be read
├── BadSetting                a value that a setting may not have
├── ModelDamaged              a model file does not have the expected hash
├── ExtraMissing              packages of an extra are needed that are not installed, or are broken
├── CheckpointMissing         no weights at that path, or none that can be fetched under that name
├── BrowserMissing            no Chromium, or none that starts; pages are laid out without it
├── CheckpointUnfit           weights of another model than the embedder that was asked for
├── ClusterError              a cluster that is to do the work
│   ├── ClusterMissing        none answers there, or none of its nodes gives a place
│   ├── ClusterOpen           it would take commands of anybody
│   ├── ClusterLost           the last of its nodes is gone; what was complete is kept
│   └── ShardDown             the node that searches a shard is gone, or does not answer; the others do
├── EmbeddingServerFailed     a server of embeddings that is not named, not there, or refuses
└── IndexingCancelled         stopped by the user; complete documents are kept

Every message says what is wrong and what to do next.
"""

from __future__ import annotations


class IndexingError(Exception):
    """The base of all errors of this package."""


class FileError(IndexingError):
    """A problem with one file; the run goes on without it."""


class FileMissing(FileError):
    """Nothing stands at that path."""


class NotReadable(FileError):
    """The file exists but may not be read."""


class EmptyFile(FileError):
    """The file has zero bytes."""


class UnsupportedFile(FileError):
    """Vouch does not read this kind of file, or it is not what its extension says."""


class DamagedFile(FileError):
    """The file is truncated or corrupt."""


class EncryptedFile(FileError):
    """The file needs a password, or another one than was given."""


class NoPages(FileError):
    """The file opens but has no pages."""


class TooLarge(FileError):
    """The file is over a limit on bytes, pages or pixels; the message names the limit."""


class NotFetched(FileError):
    """An address may not be asked, or gives nothing that is whole."""


class NameTaken(FileError):
    """Somebody else brought a document of that name, which nobody else's upload replaces."""


class PageTimeout(FileError):
    """A page, or opening a file, took more of the processor than the limit; its worker was killed."""


class PageCrash(FileError):
    """A page exceeded the memory limit or crashed its worker."""


class CollectionError(IndexingError):
    """A problem with a collection as a whole."""


class CollectionMissing(CollectionError):
    """There is no collection of that name."""


class CollectionThere(CollectionError):
    """There is a collection of that name already, which is not replaced unasked."""


class BadCollectionName(CollectionError):
    """The name cannot be used for a collection."""


class CollectionLocked(CollectionError):
    """Another process is writing to the collection."""


class WriterReplaced(CollectionError):
    """Another process has taken over the writing, since this one was not heard of; it wrote nothing more."""


class StoreUnreachable(CollectionError):
    """The object store that holds the collections does not answer."""


class StoreDenied(CollectionError):
    """The object store refuses what was asked, or there are no credentials for it."""


class CollectionDamaged(CollectionError):
    """The collection's own files cannot be read."""


class CollectionOutdated(CollectionDamaged):
    """The collection was made by an older version of Vouch; the message names the command that migrates it."""


class ReindexUnderway(CollectionError):
    """A reindex to something else was begun; the message says how it is finished or given up."""


class EmbedderMismatch(CollectionError):
    """The collection was made with another embedder."""


class ShardsMismatch(CollectionError):
    """The collection was made with another number of shards."""


class NoVisualEmbedder(CollectionError):
    """Modes image and multi need a collection that was made with a visual embedder."""


class DocumentMissing(CollectionError):
    """There is no such document in the collection."""


class NothingFits(CollectionError):
    """No document fits the filter; the message names the values that there are."""


class DiskFull(CollectionError):
    """No space is left; documents that were complete are kept."""


class BackupUnreadable(IndexingError):
    """A backup is damaged, cut off, made to do harm, or none at all; nothing was restored."""


class LibraryUnreadable(IndexingError):
    """A Zotero library, or its export, cannot be read, or names no file."""


class NotScored(IndexingError):
    """A part of the search gave no numbers, as when a thread gets no memory; no answer is made of the rest."""


class BadFilter(IndexingError):
    """A filter of documents that cannot be read; the message names the column and what may stand there."""


class BadSidecar(IndexingError):
    """A file that tells about others cannot be read, or tells what nobody asks for."""


class BadSetting(IndexingError):
    """A value that a setting may not have, given where a setting is overridden."""


class ModelDamaged(IndexingError):
    """A model file does not have the hash that was expected."""


class ExtraMissing(IndexingError):
    """Packages of an extra are needed, which are not installed or cannot be imported."""


class CheckpointMissing(IndexingError):
    """There are no weights at that path, or none that can be fetched under that name."""


class BrowserMissing(IndexingError):
    """Chromium or what drives it is not there, or does not start; web pages are then laid out without it."""


class CheckpointUnfit(IndexingError):
    """The weights are not those of a model that the embedder loads; used all the same they would give noise."""


class ClusterError(IndexingError):
    """A problem with a cluster that is to do the work of a run."""


class ClusterMissing(ClusterError):
    """No cluster answers at that address, or none of its nodes can do the work."""


class ClusterOpen(ClusterError):
    """The cluster would take commands of anybody who reaches it."""


class ClusterLost(ClusterError):
    """The last node of the cluster is gone; documents that were complete are kept."""


class ShardDown(ClusterError):
    """The process that searches a shard on a node is gone, is being started, or does not answer in time."""


class EmbeddingServerFailed(IndexingError):
    """A server of embeddings is not named, cannot be reached, refuses, or gives what is no vector."""


class IndexingCancelled(IndexingError):
    """The user stopped the run; documents that were complete are kept."""
