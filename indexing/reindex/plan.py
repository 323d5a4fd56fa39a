"""ReindexPlan: the version that a reindex makes, compared with the current one and with an unfinished one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from configs import loads_checkpoint
from indexing.embed import EmbedderRecord, new_record
from indexing.errors import ReindexUnderway
from indexing.settings import IndexingSettings
from indexing.storage import FolderRoot
from indexing.store import PendingVersion, next_version, read_record


@dataclass(frozen=True, slots=True)
class ReindexPlan:
    """The next version and the current one: `former` is the record of the current one.

    `pending` is the next, `resumed` is True if an earlier run has begun it, `settings` are for reading and embedding.
    """

    former: EmbedderRecord
    pending: PendingVersion
    settings: IndexingSettings
    resumed: bool

    @property
    def same_text(self) -> bool:
        """True if the vectors of texts can stay; weights with the same fingerprint can be in another folder."""
        keys = [(r.text.name, r.text.fingerprint or r.text.checkpoint, r.text.dim) for r in self._records]
        return keys[0] == keys[1]

    @property
    def same_visual(self) -> bool:
        """True if the visual embedder stays."""
        keys = [(r.visual, r.fingerprint or r.checkpoint, r.dim, r.token_pooling) for r in self._records]
        return keys[0] == keys[1]

    @property
    def idle(self) -> bool:
        """True if the next version would equal the current one."""
        return self.same_text and self.same_visual and not (self.pending.parse or self.pending.seeing or self.resumed)

    @property
    def _records(self) -> tuple[EmbedderRecord, EmbedderRecord]:
        return self.former, self.pending.record


def plan_of(place: FolderRoot, settings: IndexingSettings, changes: Mapping[str, Any], *, parse: bool) -> ReindexPlan:
    """Return the plan of a reindex, which continues an unfinished run.

    Raises ReindexUnderway if that run made other changes, BadSetting, and for a checkpoint as `new_record` does.
    """
    former = read_record(place, IndexingSettings())
    earlier_run = PendingVersion.read(place)
    if earlier_run is not None and earlier_run.record.text.name == "minilm":
        current = new_record(settings.model_copy(update={"embedder": "minilm", "visual": "none"}))
        if earlier_run.record.text != current.text:  # another Vouch began it, with other vectors than this one's
            PendingVersion.forget(place)
            earlier_run = None
    if earlier_run is not None and not changes and not parse:
        values = earlier_run.record.settings() | {"ocr": earlier_run.ocr, "pixels": earlier_run.pixels}
        return ReindexPlan(former, earlier_run, settings.model_copy(update=values), resumed=True)
    new_settings = _new_settings(former, settings, changes)
    version = earlier_run.record.version if earlier_run else next_version(place, former.version)
    record = replace(new_record(new_settings), version=version)
    seeing = "pixels" in changes and record.visual == "ocr_regions"
    pending = PendingVersion(record, parse or "ocr" in changes, seeing, new_settings.ocr, new_settings.pixels)
    if earlier_run is not None and earlier_run != pending:
        raise ReindexUnderway(
            f"a reindex of {place.name!r} to {_describe(earlier_run)} was started and is not finished: finish it with "
            f"vouch reindex --collection {place.name}, or give it up with vouch reindex --collection "
            f"{place.name} --discard"
        )
    return ReindexPlan(former, pending, new_settings, resumed=earlier_run is not None)


def _new_settings(former: EmbedderRecord, settings: IndexingSettings, changes: Mapping[str, Any]) -> IndexingSettings:
    """Return the settings of the next version: those of the former one with the changes."""
    values = former.settings()
    no_checkpoint = {"checkpoint": "", "token_pooling": 1}
    if "visual" in changes and changes["visual"] != former.visual:
        values |= no_checkpoint
    if "embedder" in changes and changes["embedder"] != former.text.name:
        values |= {"text_checkpoint": "", "text_languages": settings.text_languages}
    new_settings = settings.model_copy(update=values).with_values(**changes)
    return new_settings if loads_checkpoint(new_settings.visual) else new_settings.model_copy(update=no_checkpoint)


def _describe(pending: PendingVersion) -> str:
    record = pending.record
    weights = f" with {record.text.checkpoint}" if record.text.checkpoint else ""
    return f"{record.text.name}{weights} and {record.visual}{', files read again' if pending.parse else ''}"
