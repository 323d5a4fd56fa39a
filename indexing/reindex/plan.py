"""ReindexPlan: the version that a reindex makes, held against the one that answers and against what was begun."""

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
    """The version to come and the one it is made of: `former` is the record of the one that answers.

    `pending` is the other; `outdated` says that the former is of an older format, `resumed` that an earlier run has
    begun, and `settings` are those of reading and embedding.
    """

    former: EmbedderRecord
    pending: PendingVersion
    settings: IndexingSettings
    outdated: bool
    resumed: bool

    @property
    def same_text(self) -> bool:
        """True where the vectors of texts may stay."""
        return not self.outdated and _text_of(self.former) == _text_of(self.pending.record)

    @property
    def same_visual(self) -> bool:
        """True where the visual embedder stays."""
        return not self.outdated and _visual_of(self.former) == _visual_of(self.pending.record)

    @property
    def idle(self) -> bool:
        """True where the version to come would be the one that answers."""
        same = self.same_text and self.same_visual and self.former.shards == self.pending.record.shards
        return same and not (self.pending.parse or self.pending.seeing or self.resumed)


def plan_of(place: StorageRoot, settings: IndexingSettings, changes: Mapping[str, Any], *, parse: bool) -> ReindexPlan:
    """Return what is to be done, going on with what an earlier run has begun.

    Raises ReindexUnderway where that was another thing, BadSetting, and for a checkpoint as `new_record` does.
    """
    former, outdated = former_record(place)
    begun = PendingVersion.read(place)
    if begun is not None and begun.record.text.name == "minilm" and begun.record.text != _todays(settings):
        PendingVersion.forget(place)  # another Vouch began it, with vectors that this one cannot compare with its own
        begun = None
    if begun is not None and not changes and not parse:
        told = begun.record.settings() | {"ocr": begun.ocr, "pixels": begun.pixels}
        return ReindexPlan(former, begun, settings.model_copy(update=told), outdated, resumed=True)
    wanted = _wanted(former, settings, changes, outdated=outdated)
    version = begun.record.version if begun else next_version(place, former.version)
    made = replace(new_record(wanted), version=version)
    seeing = "pixels" in changes and made.visual == "ocr_regions"
    pending = PendingVersion(made, parse or outdated or "ocr" in changes, seeing, wanted.ocr, wanted.pixels)
    if begun is not None and begun != pending:
        raise ReindexUnderway(
            f"a reindex of {place.name!r} to {_named(begun)} was started and is not finished: finish it with "
            f"vouch reindex --collection {place.name}, or give it up with vouch reindex --collection "
            f"{place.name} --discard"
        )
    return ReindexPlan(former, pending, wanted, outdated, resumed=begun is not None)


def former_record(place: StorageRoot) -> tuple[EmbedderRecord, bool]:
    """Return the record of the version that answers, and True where it is of an older format, which tells nothing."""
    try:
        return read_record(place, IndexingSettings()), False
    except CollectionOutdated:
        return EmbedderRecord("none"), True


def _todays(settings: IndexingSettings) -> TextRecord:
    """Return the record of MiniLM as it is now."""
    return new_record(settings.model_copy(update={"embedder": "minilm", "visual": "none"})).text


def _wanted(
    former: EmbedderRecord, settings: IndexingSettings, changes: Mapping[str, Any], *, outdated: bool
) -> IndexingSettings:
    """Return the settings of the version to come: those of the former, but for what changes."""
    told: dict[str, Any] = {} if outdated else former.settings()
    if "visual" in changes and changes["visual"] != former.visual:
        told |= {"checkpoint": "", "token_pooling": 1}
    if "embedder" in changes and changes["embedder"] != former.text.name:
        told |= {"text_checkpoint": "", "text_languages": settings.text_languages}
    wanted = settings.model_copy(update=told).with_values(**changes)
    return (
        wanted if loads_checkpoint(wanted.visual) else wanted.model_copy(update={"checkpoint": "", "token_pooling": 1})
    )


def _text_of(made: EmbedderRecord) -> tuple[object, ...]:
    """Return what makes the vectors of texts; weights that have only been moved are the same."""
    return made.text.name, made.text.fingerprint or made.text.checkpoint, made.text.dim


def _visual_of(made: EmbedderRecord) -> tuple[object, ...]:
    return made.visual, made.fingerprint or made.checkpoint, made.dim, made.token_pooling


def _named(pending: PendingVersion) -> str:
    made = pending.record
    weights = f" with {made.text.checkpoint}" if made.text.checkpoint else ""
    more = f", {made.shards} shards" if made.shards > 1 else ""
    return f"{made.text.name}{weights} and {made.visual}{more}{', files read again' if pending.parse else ''}"
