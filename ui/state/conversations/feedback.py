"""FeedbackStore: judgements of the sentences of answers: right, wrong, or right and boxed at the wrong place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from sqlalchemy import delete, insert, select

from ui.state.conversations.store import now, storable
from ui.state.conversations.tables import ANSWERS, CONVERSATIONS, FEEDBACK
from ui.state.database import StateStore

Judgement = Literal["right", "wrong", "wrong place"]
JUDGEMENTS: tuple[Judgement, ...] = get_args(Judgement)
_MOST_NOTE = 2000
_MOST_SENTENCES = 10_000


@dataclass(frozen=True, slots=True)
class Feedback:
    """A judgement of one sentence, and a note that may be empty."""

    judgement: Judgement
    note: str = ""


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """An answer with the judgements of its sentences, by number from 1; `form` is its JSON text (`read_form`)."""

    id: str
    collection: str
    form: str
    created: str
    judged: dict[int, Feedback]


class FeedbackStore:
    """The judgements in the database. Safe to use from several threads."""

    def __init__(self, state: StateStore) -> None:
        """Keep the database."""
        self._state = state

    def judge(self, visitor: str, answer_id: str, sentence: int, feedback: Feedback | None) -> bool:
        """Keep a judgement in the place of an earlier one, None takes it back; False for what is not this visitor's."""
        if not 1 <= sentence <= _MOST_SENTENCES or (feedback and feedback.judgement not in JUDGEMENTS):
            return False
        own = select(ANSWERS.c.id).join(CONVERSATIONS)
        own = own.where(ANSWERS.c.id == answer_id, CONVERSATIONS.c.visitor == visitor)
        with self._state.transaction() as connection:
            if connection.scalar(own) is None:
                return False
            place = (FEEDBACK.c.answer == answer_id, FEEDBACK.c.sentence == sentence)
            connection.execute(delete(FEEDBACK).where(*place))
            if feedback:
                row = {"answer": answer_id, "sentence": sentence, "judgement": feedback.judgement}
                note = storable(feedback.note)[:_MOST_NOTE]
                connection.execute(insert(FEEDBACK).values(**row, note=note, created=now()))
            return True

    def judgements(self, visitor: str, answer_id: str) -> dict[int, Feedback]:
        """Return the judgements of a visitor's answer by sentence, from 1."""
        query = select(FEEDBACK.c.sentence, FEEDBACK.c.judgement, FEEDBACK.c.note)
        query = query.join_from(FEEDBACK, ANSWERS).join_from(ANSWERS, CONVERSATIONS)
        query = query.where(FEEDBACK.c.answer == answer_id, CONVERSATIONS.c.visitor == visitor)
        with self._state.transaction() as connection:
            return {row.sentence: Feedback(row.judgement, row.note) for row in connection.execute(query)}

    def everything(self) -> tuple[JudgedAnswer, ...]:
        """Return all answers that anybody judged, the oldest first: for whoever runs the server."""
        answers = select(ANSWERS.c.id, ANSWERS.c.collection, ANSWERS.c.form, ANSWERS.c.created)
        answers = answers.where(ANSWERS.c.id.in_(select(FEEDBACK.c.answer))).order_by(ANSWERS.c.created, ANSWERS.c.id)
        by_answer: dict[str, dict[int, Feedback]] = {}
        with self._state.transaction() as connection:
            for row in connection.execute(select(FEEDBACK).order_by(FEEDBACK.c.answer, FEEDBACK.c.sentence)):
                by_answer.setdefault(row.answer, {})[row.sentence] = Feedback(row.judgement, row.note)
            return tuple(JudgedAnswer(*row, by_answer[row.id]) for row in connection.execute(answers))
