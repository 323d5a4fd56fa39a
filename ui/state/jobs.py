"""JobStore: the jobs that programs started, so that their outcomes are available after a restart.

Every method takes the owner, and accesses only the jobs of that owner. Thread-safe.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import Column, Text, select, update

from ui.state.database import StateStore
from ui.state.owned import keep_row, owned_table

MOST_JOBS = 100
"""The most jobs stored for one caller; the oldest are deleted."""
JOBS = owned_table("jobs", Column("files", Text, nullable=False))  # as JSON


@dataclass(frozen=True, slots=True)
class StoredJobFile:
    """A file of a job as it was last kept: its state, what was said of it, and the id that its document would have.

    `queued` is the name by which the queue of files knows it.
    """

    name: str
    size: int
    state: str
    note: str = ""
    page: int = 0
    pages: int = 0
    document: str | None = None
    queued: str = ""


@dataclass(frozen=True, slots=True)
class StoredJob:
    """A job as it was last kept; `created` is in ISO form in UTC, and a later job has a larger `number`."""

    number: int
    id: str
    owner: str
    collection: str
    created: str
    files: tuple[StoredJobFile, ...]


class JobStore:
    """The jobs of one state store."""

    def __init__(self, state: StateStore) -> None:
        """Keep the store, which is open."""
        self._state = state

    def keep(self, job_id: str, owner: str, collection: str, created: datetime, files: Sequence[StoredJobFile]) -> int:
        """Keep a new job and return its number; the caller's oldest are given up, and all of a month ago."""
        row = {"id": job_id, "owner": owner, "collection": collection, "files": _files_json(files)}
        with self._state.transaction() as connection:
            return keep_row(connection, JOBS, row, created, MOST_JOBS)

    def save(self, owner: str, job_id: str, files: Sequence[StoredJobFile]) -> None:
        """Keep how far the files of a job are now."""
        with self._state.transaction() as connection:
            mine = update(JOBS).where(JOBS.c.owner == owner, JOBS.c.id == job_id)
            connection.execute(mine.values(files=_files_json(files)))

    def of(self, owner: str) -> tuple[StoredJob, ...]:
        """Return the jobs of a caller, the oldest first."""
        with self._state.transaction() as connection:
            rows = connection.execute(select(JOBS).where(JOBS.c.owner == owner).order_by(JOBS.c.number)).all()
        return tuple(
            StoredJob(
                r.number, r.id, r.owner, r.collection, r.created, tuple(StoredJobFile(**f) for f in json.loads(r.files))
            )
            for r in rows
        )


def _files_json(files: Sequence[StoredJobFile]) -> str:
    return json.dumps([asdict(file) for file in files])
