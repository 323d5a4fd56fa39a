"""GivenAnswerStore: the answers that programs were given, so that they are told again, and exported, after a restart.

Every method takes whose answers it may see, and finds nothing else. Safe to use from several threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import Column, Index, Integer, String, Table, Text, delete, insert, select

from ui.state.conversations import AnswerForm, written_form
from ui.state.database import StateStore
from ui.state.tables import METADATA

MOST_ANSWERS, MOST_ALL_ANSWERS = 20, 2000
"""The answers that are kept of a caller, and of all, the latest."""
KEPT_DAYS = 30.0
GIVEN_ANSWERS = Table(
    "given_answers",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("id", String(32), nullable=False, unique=True),
    Column("owner", Text, nullable=False),
    Column("collection", Text, nullable=False),
    Column("created", String(32), nullable=False),
    Column("record", Text, nullable=False),  # as JSON: what the caller was told
    Column("form", Text, nullable=False),  # the answer, of which exports are made
    Index("given_answers_by_owner", "owner", "number"),
    Index("given_answers_by_age", "created"),
    sqlite_autoincrement=True,
)


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer as it was kept: `record` is what its caller was told, `form` the answer (`read_form`), both as JSON."""

    collection: str
    record: str
    form: str


class GivenAnswerStore:
    """The answers of one state store."""

    def __init__(self, state: StateStore) -> None:
        """Keep the store, which is open."""
        self._state = state

    def keep(self, owner: str, answer_id: str, record: str, form: AnswerForm, given: datetime) -> None:
        """Keep an answer; what is over the bounds goes, the oldest first. Raises KeptUnreadable for one too large."""
        told = given.astimezone(UTC)
        values = {"owner": owner, "id": answer_id, "record": record, "collection": form.collection}
        values |= {"form": written_form(form), "created": told.isoformat(timespec="seconds")}
        late = (told - timedelta(days=KEPT_DAYS)).isoformat(timespec="seconds")
        newest = select(GIVEN_ANSWERS.c.number).order_by(GIVEN_ANSWERS.c.number.desc()).limit(1)
        own = newest.where(GIVEN_ANSWERS.c.owner == owner)
        with self._state.transaction() as connection:
            connection.execute(insert(GIVEN_ANSWERS).values(**values))
            oldest = connection.scalar(own.offset(MOST_ANSWERS - 1))
            if oldest is not None:
                mine = GIVEN_ANSWERS.c.owner == owner
                connection.execute(delete(GIVEN_ANSWERS).where(mine, GIVEN_ANSWERS.c.number < oldest))
            oldest = connection.scalar(newest.offset(MOST_ALL_ANSWERS - 1))
            if oldest is not None:
                connection.execute(delete(GIVEN_ANSWERS).where(GIVEN_ANSWERS.c.number < oldest))
            connection.execute(delete(GIVEN_ANSWERS).where(GIVEN_ANSWERS.c.created < late))

    def one(self, owner: str, answer_id: str) -> GivenAnswer | None:
        """Return an answer of a caller, None for one that there is not any more, or that is another's."""
        columns = (GIVEN_ANSWERS.c.collection, GIVEN_ANSWERS.c.record, GIVEN_ANSWERS.c.form)
        chosen = select(*columns).where(GIVEN_ANSWERS.c.owner == owner, GIVEN_ANSWERS.c.id == answer_id)
        with self._state.transaction() as connection:
            row = connection.execute(chosen).first()
        return GivenAnswer(*row) if row else None
