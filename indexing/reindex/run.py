"""Reindex a collection: copy its documents into a new version, which then replaces the current one.

The writer's lock is held from the first step to the last. Readers use the former version until the switch; a run that
ended early leaves it as it is, and the same command continues with the missing documents.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from indexing.collection import Collection
from indexing.current_version import open_tables
from indexing.embed import check_same, check_same_text, text_embedder, visual_embedder
from indexing.errors import CollectionDamaged
from indexing.ingest import IndexReport, Progress, held_interrupt
from indexing.originals import Originals
from indexing.reindex.next_version import CopyReader, NextVersion, ReindexPlan, RunWatch, plan_of
from indexing.settings import IndexingSettings
from indexing.storage import FolderRoot, Home
from indexing.store import (
    PendingVersion,
    Store,
    Writer,
    activate_version,
    drop_version,
    read_record,
    tidy,
    write_lock,
)
from indexing.types import Document
from indexing.workers import Workers

OnProgress = Callable[[Progress], None]


def reindex_collection(
    name: str,
    home: Home | None = None,
    *,
    settings: IndexingSettings | None = None,
    changes: Mapping[str, Any] | None = None,
    parse: bool = False,
    password: str | None = None,
    on_progress: OnProgress | None = None,
    cancel: threading.Event | None = None,
) -> IndexReport:
    """Replace a collection by a new version of it with other embedders, OCR or pixels.

    If only embedders change, the stored pages and elements are embedded again, and files are opened only where pixels
    are needed. `parse` reads the stored copies again. Documents keep ids, names, paths, dates and records, and
    models' notes on elements that stay the same. `password` is tried on locked copies; a document or page that cannot
    be read again stays as it was. Without changes, an earlier run that was stopped is continued.

    Raises CollectionMissing, CollectionLocked, CollectionDamaged, ReindexUnderway, BadSetting, DiskFull, and as
    `Collection.create` does.
    """
    base_settings, start = settings or IndexingSettings(), time.monotonic()
    place = Collection.open(name, home).place
    with held_interrupt() as interrupt, write_lock(place):
        tidy(place, read_record(place, IndexingSettings()).version)
        plan = plan_of(place, base_settings, changes or {}, parse=parse)
        if plan.idle:
            note = "nothing to do: the collection is already made this way; --parse reads its files again"
            return IndexReport(name, (), time.monotonic() - start, notes=(note,))
        former = open_tables(place, plan.former)
        former.settle()
        plan.pending.write(place)
        run = _copy_documents(place, plan, former, password, RunWatch(on_progress, cancel, interrupt))
        if run.is_complete:
            activate_version(place, plan.pending.record)
            PendingVersion.forget(place)
            drop_version(place, plan.former.version)
    return IndexReport(name, tuple(run.reports), time.monotonic() - start, run.cancelled, run.notes)


def discard_reindex(name: str, home: Home | None = None) -> bool:
    """Discard an unfinished reindex; return False if there was none. Raises CollectionMissing, CollectionLocked."""
    place = Collection.open(name, home).place
    with write_lock(place):
        current = read_record(place, IndexingSettings()).version
        try:
            pending = PendingVersion.read(place)
            was_unfinished = pending is not None and pending.record.version != current
        except CollectionDamaged:
            was_unfinished = True
        PendingVersion.forget(place)
        tidy(place, current)
    return was_unfinished


def _copy_documents(
    place: FolderRoot, plan: ReindexPlan, former: Store, password: str | None, watch: RunWatch
) -> NextVersion:
    """Copy every document that can be read into the next version; return the run. Raises CollectionDamaged."""
    record, settings = plan.pending.record, plan.settings
    text = text_embedder(settings, dim=record.text.dim)
    check_same_text(text, record.text, place.name)
    visual = visual_embedder(settings, lambda: text)
    check_same(visual, record, place.name)
    store = open_tables(place, record)
    documents = _parents_first(former.documents())
    writer = Writer(store, text, visual, place.below("sources"), documents)
    originals = Originals(place.below("sources"), settings)
    try:
        with Workers(settings.workers, settings, writer.renditions) as pool:
            run = NextVersion(plan, former, store, writer, CopyReader(originals, pool, password), watch)
            run.copy_documents(documents)
    finally:
        writer.close()
    return run


def _parents_first(documents: Sequence[Document]) -> list[Document]:
    """Return the documents in an order in which each comes before its attachments."""
    parents = {d.id: d.metadata.parent for d in documents}

    def depth(doc_id: str) -> int:
        ancestors = {doc_id}
        while (doc_id := parents.get(doc_id, "")) and doc_id not in ancestors:
            ancestors.add(doc_id)
        return len(ancestors)

    return sorted(documents, key=lambda d: depth(d.id))
