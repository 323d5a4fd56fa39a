"""JobStore and GivenAnswerStore: the jobs and answers of programs, which they can fetch again after a restart.

Every method takes the owner, and accesses only the rows of that owner. The latest rows of each owner are kept, for a
month. Thread-safe.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, Table, delete, insert, select, update

from ui.state.answer_form import AnswerForm, written_form
from ui.state.database import GIVEN_ANSWERS, JOBS, StateStore

MOST_JOBS = 100
"""The most jobs stored for one caller; the oldest are deleted."""
MOST_ANSWERS, MOST_ALL_ANSWERS = 20, 2000
"""The most answers stored for one caller, and for all; the oldest are deleted."""
_KEPT = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class StoredJobFile:
    """A file of a job as it was last stored: its state and note, and the id that its document has once it is read.

    `queued` is its id in the upload queue.
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
    """A job as it was last stored; `created` is in ISO form in UTC, and a later job has a larger `number`."""

    number: int
    id: str
    owner: str
    collection: str
    created: str
    files: tuple[StoredJobFile, ...]


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """A stored answer: `record` is the response to the caller, `form` the answer (`read_form`), both as JSON."""

    collection: str
    record: str
    form: str


class JobStore:
    """The jobs of one state store."""

    def __init__(self, state: StateStore) -> None:
        """Keep the store, which is open."""
        self._state = state

    def keep(self, job_id: str, owner: str, collection: str, created: datetime, files: Sequence[StoredJobFile]) -> int:
        """Store a new job and return its number."""
        row = {"id": job_id, "owner": owner, "collection": collection, "files": _files_json(files)}
        with self._state.transaction() as connection:
            return _keep_row(connection, JOBS, row, created, MOST_JOBS)

    def save(self, owner: str, job_id: str, files: Sequence[StoredJobFile]) -> None:
        """Store the present state of the files of a job."""
        own = update(JOBS).where(JOBS.c.owner == owner, JOBS.c.id == job_id)
        with self._state.transaction() as connection:
            connection.execute(own.values(files=_files_json(files)))

    def of(self, owner: str) -> tuple[StoredJob, ...]:
        """Return the jobs of a caller, the oldest first."""
        with self._state.transaction() as connection:
            rows = connection.execute(select(JOBS).where(JOBS.c.owner == owner).order_by(JOBS.c.number)).mappings()
            return tuple(StoredJob(**{**row, "files": _files(row["files"])}) for row in rows)


class GivenAnswerStore:
    """The answers of one state store."""

    def __init__(self, state: StateStore) -> None:
        """Keep the store, which is open."""
        self._state = state

    def keep(self, owner: str, answer_id: str, record: str, form: AnswerForm, created: datetime) -> None:
        """Store an answer of the time `created`. Raises KeptUnreadable for one that is too large."""
        row = {"id": answer_id, "owner": owner, "collection": form.collection}
        row |= {"record": record, "form": written_form(form)}
        with self._state.transaction() as connection:
            number = _keep_row(connection, GIVEN_ANSWERS, row, created, MOST_ANSWERS)
            connection.execute(delete(GIVEN_ANSWERS).where(GIVEN_ANSWERS.c.number <= number - MOST_ALL_ANSWERS))

    def one(self, owner: str, answer_id: str) -> GivenAnswer | None:
        """Return an answer of a caller, or None if it no longer exists or belongs to someone else."""
        columns = (GIVEN_ANSWERS.c.collection, GIVEN_ANSWERS.c.record, GIVEN_ANSWERS.c.form)
        query = select(*columns).where(GIVEN_ANSWERS.c.owner == owner, GIVEN_ANSWERS.c.id == answer_id)
        with self._state.transaction() as connection:
            row = connection.execute(query).first()
        return GivenAnswer(*row) if row else None


def _keep_row(connection: Connection, table: Table, row: dict[str, str], created: datetime, most: int) -> int:
    """Add a row and return its number; delete all but the `most` latest rows of its owner, and all old rows."""
    statement = insert(table).values(**row, created=_timestamp(created)).returning(table.c.number)
    number: int = connection.execute(statement).scalar_one()
    own = table.c.owner == row["owner"]
    newest = select(table.c.number).where(own).order_by(table.c.number.desc())
    oldest = connection.scalar(newest.offset(most - 1).limit(1))
    if oldest is not None:
        connection.execute(delete(table).where(own, table.c.number < oldest))
    connection.execute(delete(table).where(table.c.created < _timestamp(created - _KEPT)))
    return number


def _timestamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")


def _files_json(files: Sequence[StoredJobFile]) -> str:
    return json.dumps([asdict(file) for file in files])


def _files(text: str) -> tuple[StoredJobFile, ...]:
    return tuple(StoredJobFile(**file) for file in json.loads(text))
