"""The sources that an audit asks, by its settings, in their order: memory, bibliographies, documents, the network."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from configs import did_you_mean
from indexing import Collection, Home, default_home, machine_folder
from plugins.audit.auditing.memory import VerifiedRecords
from plugins.audit.auditing.online import online_sources
from plugins.audit.auditing.sources import CollectionDocuments, RecordIndex, index_path, list_indexes
from plugins.audit.auditing.types import RecordSource
from plugins.audit.errors import NoSuchBibliography
from rag import AuditSettings


def sources_of(
    settings: AuditSettings,
    collection: Collection | None = None,
    home: Home | None = None,
    held: ExitStack | None = None,
) -> tuple[RecordSource, ...]:
    """Return the sources in the order in which they are asked; `held` closes them, if it is given.

    The memory and the documents are those of the collection, the bibliographies those of `home` (by default that of
    all collections). The network is asked where the settings name a service, and nothing is asked yet. Raises
    NoSuchBibliography for a name of the settings that is not there, and BibliographyUnreadable.
    """
    folder = machine_folder(home or default_home())
    held = held if held is not None else ExitStack()
    asked: list[RecordSource] = []
    if collection is not None:
        memory = VerifiedRecords.of(collection)
        held.callback(memory.close)
        asked.append(memory)
    for path in _paths(settings, folder):
        index = RecordIndex(path)
        held.callback(index.close)
        asked.append(index)
    if collection is not None:
        asked.append(CollectionDocuments(collection))
    for service in online_sources(settings, folder):
        held.callback(service.close)
        asked.append(service)
    return tuple(asked)


def _paths(settings: AuditSettings, home: Path) -> list[Path]:
    """Return the files of the bibliographies that the settings name, all of them where they name none."""
    there = {path.stem: path for path in list_indexes(home)}
    if settings.bibliographies is None:
        return list(there.values())
    for name in settings.bibliographies:
        if name not in there:
            index_path(home, name)  # a name that none can have is told as such
            known = ", ".join(there) or "none yet"
            raise NoSuchBibliography(
                f"audit.bibliographies: there is no bibliography {name!r} (there are: {known}): create it "
                "with vouch bibliography add FILE --name "
                f"{name}{did_you_mean(name, list(there), lead=', or ')}"
            )
    return [there[name] for name in settings.bibliographies]
