"""ReindexPlan: the version that a reindex makes, compared with the current one and with an unfinished one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from configs import loads_checkpoint
from indexing.embed import EmbedderRecord, TextRecord, new_record
from indexing.errors import CollectionOutdated, ReindexUnderway
from indexing.settings import IndexingSettings
from indexing.storage import StorageRoot
from indexing.store import PendingVersion, next_version, read_record


@dataclass(frozen=True, slots=True)
class ReindexPlan:
    """The next version and the current one: `former` is the record of the current one.

    `pending` is the next; `outdated` is True if the former has an older format, `resumed` if an earlier run has begun
    it, and `settings` are those of reading and embedding.
    """

    former: EmbedderRecord
    pending: PendingVersion
    settings: IndexingSettings
    outdated: bool
    resumed: bool

    @property
    def same_text(self) -> bool:
        """True if the vectors of texts can stay."""
        return not self.outdated and _text_of(self.former) == _text_of(self.pending.record)

    @property
    def same_visual(self) -> bool:
        """True if the visual embedder stays."""
        return not self.outdated and _visual_of(self.former) == _visual_of(self.pending.record)

    @property
    def idle(self) -> bool:
        """True if the next version would equal the current one."""
        same = self.same_text and self.same_visual and self.former.shards == self.pending.record.shards
        return same and not (self.pending.parse or self.pending.seeing or self.resumed)


def plan_of(place: StorageRoot, settings: IndexingSettings, changes: Mapping[str, Any], *, parse: bool) -> ReindexPlan:
    """Return the plan of a reindex, which continues an unfinished run.

    Raises ReindexUnderway if that run made other changes, BadSetting, and for a checkpoint as `new_record` does.
    """
    former, outdated = former_record(place)
    unfinished = PendingVersion.read(place)
    if (
        unfinished is not None
        and unfinished.record.text.name == "minilm"
        and unfinished.record.text != _current_minilm(settings)
    ):
        PendingVersion.forget(place)  # another Vouch began it, with vectors that this one cannot compare with its own
        unfinished = None
    if unfinished is not None and not changes and not parse:
        values = unfinished.record.settings() | {"ocr": unfinished.ocr, "pixels": unfinished.pixels}
        return ReindexPlan(former, unfinished, settings.model_copy(update=values), outdated, resumed=True)
    new_settings = _new_settings(former, settings, changes, outdated=outdated)
    version = unfinished.record.version if unfinished else next_version(place, former.version)
    record = replace(new_record(new_settings), version=version)
    seeing = "pixels" in changes and record.visual == "ocr_regions"
    pending = PendingVersion(
        record, parse or outdated or "ocr" in changes, seeing, new_settings.ocr, new_settings.pixels
    )
    if unfinished is not None and unfinished != pending:
        raise ReindexUnderway(
            f"a reindex of {place.name!r} to {_describe(unfinished)} was started and is not finished: finish it with "
            f"vouch reindex --collection {place.name}, or give it up with vouch reindex --collection "
            f"{place.name} --discard"
        )
    return ReindexPlan(former, pending, new_settings, outdated, resumed=unfinished is not None)


def former_record(place: StorageRoot) -> tuple[EmbedderRecord, bool]:
    """Return the record of the current version, and True if it has an older format, whose record is empty."""
    try:
        return read_record(place, IndexingSettings()), False
    except CollectionOutdated:
        return EmbedderRecord("none"), True


def _current_minilm(settings: IndexingSettings) -> TextRecord:
    """Return the record of this version's MiniLM."""
    return new_record(settings.model_copy(update={"embedder": "minilm", "visual": "none"})).text


def _new_settings(
    former: EmbedderRecord, settings: IndexingSettings, changes: Mapping[str, Any], *, outdated: bool
) -> IndexingSettings:
    """Return the settings of the next version: those of the former with the changes."""
    values: dict[str, Any] = {} if outdated else former.settings()
    if "visual" in changes and changes["visual"] != former.visual:
        values |= {"checkpoint": "", "token_pooling": 1}
    if "embedder" in changes and changes["embedder"] != former.text.name:
        values |= {"text_checkpoint": "", "text_languages": settings.text_languages}
    new_settings = settings.model_copy(update=values).with_values(**changes)
    return (
        new_settings
        if loads_checkpoint(new_settings.visual)
        else new_settings.model_copy(update={"checkpoint": "", "token_pooling": 1})
    )


def _text_of(record: EmbedderRecord) -> tuple[object, ...]:
    """Return a key of the text embedder; weights that have only been moved are the same."""
    return record.text.name, record.text.fingerprint or record.text.checkpoint, record.text.dim


def _visual_of(record: EmbedderRecord) -> tuple[object, ...]:
    return record.visual, record.fingerprint or record.checkpoint, record.dim, record.token_pooling


def _describe(pending: PendingVersion) -> str:
    record = pending.record
    weights = f" with {record.text.checkpoint}" if record.text.checkpoint else ""
    more = f", {record.shards} shards" if record.shards > 1 else ""
    return f"{record.text.name}{weights} and {record.visual}{more}{', files read again' if pending.parse else ''}"
