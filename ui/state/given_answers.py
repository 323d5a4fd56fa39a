"""GivenAnswerStore: answers to API requests, so that programs can get and export them after a restart.

Every method takes the owner, and accesses only the answers of that owner. Thread-safe.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Column, Text, delete, select

from ui.state.conversations import AnswerForm, written_form
from ui.state.database import StateStore
from ui.state.owned import keep_row, owned_table

MOST_ANSWERS, MOST_ALL_ANSWERS = 20, 2000
"""The most answers stored for one caller, and for all; the oldest are deleted."""
GIVEN_ANSWERS = owned_table(
    "given_answers",
    Column("record", Text, nullable=False),  # as JSON: the response to the caller
    Column("form", Text, nullable=False),  # the answer, of which exports are made
)


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """A stored answer: `record` is the response to the caller, `form` the answer (`read_form`), both as JSON."""

    collection: str
    record: str
    form: str


class GivenAnswerStore:
    """The answers of one state store."""

    def __init__(self, state: StateStore) -> None:
        """Keep the store, which is open."""
        self._state = state

    def keep(self, owner: str, answer_id: str, record: str, form: AnswerForm, answer: datetime) -> None:
        """Keep an answer; what is over the bounds goes, the oldest first. Raises KeptUnreadable for one too large."""
        row = {"id": answer_id, "owner": owner, "collection": form.collection}
        row |= {"record": record, "form": written_form(form)}
        with self._state.transaction() as connection:
            number = keep_row(connection, GIVEN_ANSWERS, row, answer, MOST_ANSWERS)
            connection.execute(delete(GIVEN_ANSWERS).where(GIVEN_ANSWERS.c.number <= number - MOST_ALL_ANSWERS))

    def one(self, owner: str, answer_id: str) -> GivenAnswer | None:
        """Return an answer of a caller, or None if it no longer exists or belongs to someone else."""
        columns = (GIVEN_ANSWERS.c.collection, GIVEN_ANSWERS.c.record, GIVEN_ANSWERS.c.form)
        query = select(*columns).where(GIVEN_ANSWERS.c.owner == owner, GIVEN_ANSWERS.c.id == answer_id)
        with self._state.transaction() as connection:
            row = connection.execute(query).first()
        return GivenAnswer(*row) if row else None
