"""ConversationStore and FeedbackStore: the conversations of every visitor, and the judgements of their answers.

Methods that take the name of a visitor access only the conversations of that visitor. Thread-safe.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, get_args

from sqlalchemy import ColumnElement, Connection, Row, Select, delete, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from indexing import BBox
from ui.errors import KeptUnreadable
from ui.state.answer_form import AnswerForm, read_form, written_form
from ui.state.database import ANSWERS, CONVERSATIONS, FEEDBACK, FEEDBACK_BOXES, LINKS, StateStore

MOST_NAME = 120
"""The most characters of the name of a conversation."""
Judgement = Literal["right", "wrong", "wrong place"]
JUDGEMENTS: tuple[Judgement, ...] = get_args(Judgement)
_MOVED_BOX = re.compile(
    r"([0-9a-f]{1,64}):([1-9][0-9]{0,5}):([0-9]{1,4}(?:\.[0-9]{1,9})?(?:,[0-9]{1,4}(?:\.[0-9]{1,9})?){3})"
)
_MOST_NOTE = 2000
_MOST_SENTENCES = 10_000
_MOST_LISTED = 100
_TRIES = 8
_MOST_WORDS = 8
"""The most words of a search that are used."""
_WORD_CHARS = 60
_MOST_SEARCHED = 200_000
"""The most characters of an answer that a search looks at."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of storage: conversations of a visitor and of all, answers of a conversation, and days."""

    conversations: int = 200
    all_conversations: int = 20_000
    answers: int = 200
    days: float = 365.0


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation at a glance; `touched` is the time of its last answer, in ISO form in UTC."""

    id: str
    name: str
    touched: str
    answers: int


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An answer as stored: `form` is its JSON text (`read_form`), `link` the token of the link to it, "" for none."""

    id: str
    conversation: str
    collection: str
    form: str
    created: str
    link: str = ""


@dataclass(frozen=True, slots=True)
class MovedBox:
    """The box that a person drew for a sentence, in fractions of the displayed page; pages count from 1."""

    doc_id: str
    page: int
    box: BBox

    @classmethod
    def parse(cls, text: str) -> MovedBox | None:
        """Return the box of `document:page:x0,y0,x1,y1`, None for any other text."""
        if not (match := _MOVED_BOX.fullmatch(text)):
            return None
        try:
            return cls(match[1], int(match[2]), BBox(*map(float, match[3].split(","))))
        except (ValueError, TypeError):
            return None

    def __str__(self) -> str:
        """Return `document:page:x0,y0,x1,y1`, which `parse` reads."""
        return f"{self.doc_id}:{self.page}:{','.join(f'{side:.4f}' for side in self.box.as_tuple())}"


@dataclass(frozen=True, slots=True)
class Feedback:
    """A person's judgement of one sentence, a note ("" for none), and a better box, if they drew one."""

    judgement: Judgement
    note: str = ""
    moved: MovedBox | None = None


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """An answer with the judgements of its sentences, by number from 1; `form` is its JSON text (`read_form`)."""

    id: str
    collection: str
    form: str
    created: str
    feedback: dict[int, Feedback]


def now() -> str:
    """Return the time in UTC as ISO text, to the microsecond; texts sort by time."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def name_from(question: str) -> str:
    """Return the name of a conversation by its first question: one line of at most MOST_NAME characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in storable(question[:10_000])).split())
    return line if len(line) <= MOST_NAME else line[: MOST_NAME - 1] + "\u2026"


def search_text(text: str) -> str:
    """Normalize a text for searching: fold case, and collapse white space."""
    return " ".join(storable(text[:_MOST_SEARCHED]).casefold().split())


def storable(text: str) -> str:
    """Return a text without what databases reject: NUL, and lone surrogates."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


class ConversationStore:
    """The conversations in the database; those over the `bounds` are deleted, the oldest first."""

    def __init__(self, state: StateStore, bounds: Bounds | None = None, clock: Callable[[], str] = now) -> None:
        """Keep the database, and delete what is too old; `clock` returns the time as `now` does."""
        self._state = state
        self._bounds = bounds or Bounds()
        self._clock = clock
        with state.transaction() as connection:
            self._forget_old(connection)

    def keep(self, visitor: str, conversation: str, answer_id: str, form: AnswerForm) -> bool:
        """Add an answer to a conversation; if that id is new, the conversation is created, named by the question.

        Returns False, and stores nothing, if the conversation is another visitor's. Raises KeptUnreadable for an answer
        that is too large.
        """
        text = written_form(form)
        for _ in range(_TRIES):
            try:
                return self._add_answer(visitor, conversation, answer_id, form, text)
            except IntegrityError:  # another answer took the number
                continue
        return False

    def _add_answer(self, visitor: str, conversation: str, answer_id: str, form: AnswerForm, text: str) -> bool:
        """Add an answer under the next number of its conversation; False if that is another visitor's."""
        time = self._clock()
        text_of_answer = "\n".join((form.question.text, *(s.text for s in form.answer.sentences)))
        with self._state.transaction() as connection:
            owner = connection.scalar(select(CONVERSATIONS.c.visitor).where(CONVERSATIONS.c.id == conversation))
            if owner is None:
                name = name_from(form.question.text)
                row = {"id": conversation, "visitor": visitor, "name": name, "words": search_text(name)}
                connection.execute(insert(CONVERSATIONS).values(**row, created=time, touched=time))
            elif owner != visitor:
                return False
            else:
                same = CONVERSATIONS.c.id == conversation
                connection.execute(update(CONVERSATIONS).where(same).values(touched=time))
            own = ANSWERS.c.conversation == conversation
            number = (connection.scalar(select(func.max(ANSWERS.c.number)).where(own)) or 0) + 1
            row = {"id": answer_id, "conversation": conversation, "collection": form.collection, "form": text}
            connection.execute(
                insert(ANSWERS).values(**row, number=number, words=search_text(text_of_answer), created=time)
            )
            connection.execute(delete(ANSWERS).where(own, ANSWERS.c.number <= number - self._bounds.answers))
            self._forget_old(connection, visitor)
            return True

    def _forget_old(self, connection: Connection, visitor: str = "") -> None:
        """Delete conversations that are too old, and those beyond the limits of one visitor and of all."""
        since = datetime.fromisoformat(self._clock()) - timedelta(days=self._bounds.days)
        old = CONVERSATIONS.c.touched < since.isoformat(timespec="microseconds")
        connection.execute(delete(CONVERSATIONS).where(old))
        newest = select(CONVERSATIONS.c.id).order_by(CONVERSATIONS.c.touched.desc(), CONVERSATIONS.c.id)
        own = newest.where(CONVERSATIONS.c.visitor == visitor)
        for query, most in ((own, self._bounds.conversations), (newest, self._bounds.all_conversations)):
            # both databases want a limit with an offset; a page has fewer conversations than this
            surplus = connection.scalars(query.limit(10_000).offset(most)).all()
            if surplus:
                connection.execute(delete(CONVERSATIONS).where(CONVERSATIONS.c.id.in_(surplus[:500])))

    def conversations(self, visitor: str, words: str = "") -> tuple[Conversation, ...]:
        """Return a visitor's conversations with all of `words` in the name or the answers, the latest first."""
        search_words = search_text(words[:1000]).split()[:_MOST_WORDS]
        matches = (CONVERSATIONS.c.visitor == visitor, *(_contains(word[:_WORD_CHARS]) for word in search_words))
        return self._list(*matches)

    def latest(self, visitor: str) -> str:
        """Return the id of the conversation that a visitor last asked in, "" for none."""
        query = select(CONVERSATIONS.c.id).where(CONVERSATIONS.c.visitor == visitor)
        with self._state.transaction() as connection:
            return connection.scalar(query.order_by(CONVERSATIONS.c.touched.desc()).limit(1)) or ""

    def conversation(self, visitor: str, conversation: str) -> Conversation | None:
        """Return a visitor's conversation, None if it does not exist or is another visitor's."""
        return next(iter(self._list(*_owned_by(visitor, conversation))), None)

    def answers(self, visitor: str, conversation: str, most: int | None = None) -> tuple[StoredAnswer, ...]:
        """Return the answers of a visitor's conversation, oldest first; with `most` only the latest ones."""
        query = _answers_query().where(*_owned_by(visitor, conversation)).order_by(ANSWERS.c.number.desc()).limit(most)
        return self._fetch(query)[::-1]

    def collection_answers(self, visitor: str, collection: str, most: int) -> tuple[StoredAnswer, ...]:
        """Return the latest `most` answers from a collection in all conversations of a visitor, the newest first."""
        query = _answers_query().where(CONVERSATIONS.c.visitor == visitor, ANSWERS.c.collection == collection)
        return self._fetch(query.order_by(ANSWERS.c.created.desc(), ANSWERS.c.id).limit(most))

    def latest_questions(self, collection: str, most: int) -> tuple[str, ...]:
        """Return the latest questions to a collection, of all visitors, each once and the latest first.

        Questions of answers that this version of Vouch cannot read are left out.
        """
        query = _answers_query().where(ANSWERS.c.collection == collection).order_by(ANSWERS.c.created.desc())
        texts: dict[str, None] = {}
        for stored_answer in self._fetch(query.limit(10 * most)):
            with suppress(KeptUnreadable):
                texts[read_form(stored_answer.form).question.text] = None
        return tuple(texts)[:most]

    def answer(self, visitor: str, answer_id: str) -> StoredAnswer | None:
        """Return a visitor's answer by its id, None if there is none."""
        query = _answers_query().where(CONVERSATIONS.c.visitor == visitor, ANSWERS.c.id == answer_id)
        return next(iter(self._fetch(query)), None)

    def rename(self, visitor: str, conversation: str, name: str) -> bool:
        """Rename a conversation; False if this visitor has no such conversation, or the name is empty."""
        line = name_from(name)
        if not line:
            return False
        change = (
            update(CONVERSATIONS).where(*_owned_by(visitor, conversation)).values(name=line, words=search_text(line))
        )
        with self._state.transaction() as connection:
            return bool(connection.execute(change).rowcount)

    def delete(self, visitor: str, conversation: str) -> bool:
        """Delete a visitor's conversation with its answers, links and judgements; False if there is none."""
        with self._state.transaction() as connection:
            return bool(connection.execute(delete(CONVERSATIONS).where(*_owned_by(visitor, conversation))).rowcount)

    def share(self, visitor: str, answer_id: str) -> str:
        """Return the token of the link to an answer, created if needed; "" if the answer is not the visitor's."""
        with self._state.transaction() as connection:
            query = _answers_query().where(CONVERSATIONS.c.visitor == visitor, ANSWERS.c.id == answer_id)
            row = connection.execute(query).first()
            if row is None or row.token:
                return str(row.token) if row else ""
            token = secrets.token_urlsafe(24)
            connection.execute(insert(LINKS).values(answer=answer_id, token=token, created=self._clock()))
            return token

    def unshare(self, visitor: str, answer_id: str) -> bool:
        """Delete the link to an answer, so that nobody can read it any more. Returns False if there was no link."""
        own = select(ANSWERS.c.id).join(CONVERSATIONS).where(CONVERSATIONS.c.visitor == visitor)
        with self._state.transaction() as connection:
            deletion = delete(LINKS).where(LINKS.c.answer == answer_id, LINKS.c.answer.in_(own))
            return bool(connection.execute(deletion).rowcount)

    def shared_answer(self, token: str) -> StoredAnswer | None:
        """Return the answer that a link leads to, for any visitor; None for an unknown or deleted link."""
        return next(iter(self._fetch(_answers_query().where(LINKS.c.token == token))), None) if token else None

    def _list(self, *matches: ColumnElement[bool]) -> tuple[Conversation, ...]:
        count = select(func.count()).where(ANSWERS.c.conversation == CONVERSATIONS.c.id).scalar_subquery()
        query = select(CONVERSATIONS.c.id, CONVERSATIONS.c.name, CONVERSATIONS.c.touched, count).where(*matches)
        query = query.order_by(CONVERSATIONS.c.touched.desc(), CONVERSATIONS.c.id).limit(_MOST_LISTED)
        with self._state.transaction() as connection:
            return tuple(Conversation(*row) for row in connection.execute(query))

    def _fetch(self, query: Select[Any]) -> tuple[StoredAnswer, ...]:
        with self._state.transaction() as connection:
            rows = connection.execute(query)
            return tuple(StoredAnswer(a, b, c, form, created, link or "") for a, b, c, form, created, link in rows)


class FeedbackStore:
    """The judgements in the database. Safe to use from several threads."""

    def __init__(self, state: StateStore) -> None:
        """Keep the database."""
        self._state = state

    def judge(self, visitor: str, answer_id: str, sentence: int, feedback: Feedback | None) -> bool:
        """Store a judgement of a sentence, replacing an earlier one (None: delete it); False if it is not theirs."""
        if not 1 <= sentence <= _MOST_SENTENCES or (feedback and feedback.judgement not in JUDGEMENTS):
            return False
        own = select(ANSWERS.c.id).join(CONVERSATIONS)
        own = own.where(ANSWERS.c.id == answer_id, CONVERSATIONS.c.visitor == visitor)
        with self._state.transaction() as connection:
            if connection.scalar(own) is None:
                return False
            for table in (FEEDBACK, FEEDBACK_BOXES):
                connection.execute(delete(table).where(table.c.answer == answer_id, table.c.sentence == sentence))
            if feedback and (moved_box := feedback.moved):
                sides = dict(zip(("x0", "y0", "x1", "y1"), moved_box.box.as_tuple(), strict=True))
                row = {"answer": answer_id, "sentence": sentence, "doc_id": moved_box.doc_id, "page": moved_box.page}
                connection.execute(insert(FEEDBACK_BOXES).values(**row, **sides))
            if feedback:
                row = {"answer": answer_id, "sentence": sentence, "judgement": feedback.judgement}
                note = storable(feedback.note)[:_MOST_NOTE]
                connection.execute(insert(FEEDBACK).values(**row, note=note, created=now()))
            return True

    def judgements(self, visitor: str, answer_id: str) -> dict[int, Feedback]:
        """Return the judgements of a visitor's answer by sentence, from 1."""
        own = select(ANSWERS.c.id).join(CONVERSATIONS)
        own = own.where(ANSWERS.c.id == answer_id, CONVERSATIONS.c.visitor == visitor)
        query = _feedback_query().where(FEEDBACK.c.answer.in_(own))
        with self._state.transaction() as connection:
            return {row.sentence: _feedback(row) for row in connection.execute(query)}

    def all_judged(self) -> tuple[JudgedAnswer, ...]:
        """Return all judged answers of all visitors, the oldest first, for the operator of the server."""
        answers = select(ANSWERS.c.id, ANSWERS.c.collection, ANSWERS.c.form, ANSWERS.c.created)
        answers = answers.where(ANSWERS.c.id.in_(select(FEEDBACK.c.answer))).order_by(ANSWERS.c.created, ANSWERS.c.id)
        by_answer: dict[str, dict[int, Feedback]] = {}
        with self._state.transaction() as connection:
            for row in connection.execute(_feedback_query().order_by(FEEDBACK.c.answer, FEEDBACK.c.sentence)):
                by_answer.setdefault(row.answer, {})[row.sentence] = _feedback(row)
            return tuple(JudgedAnswer(*row, by_answer[row.id]) for row in connection.execute(answers))


def _feedback_query() -> Select[Any]:
    """Return a query for all judgements with the boxes drawn for them."""
    same = (FEEDBACK.c.answer == FEEDBACK_BOXES.c.answer) & (FEEDBACK.c.sentence == FEEDBACK_BOXES.c.sentence)
    place = (FEEDBACK_BOXES.c[name] for name in ("doc_id", "page", "x0", "y0", "x1", "y1"))
    return select(FEEDBACK, *place).outerjoin_from(FEEDBACK, FEEDBACK_BOXES, same)


def _feedback(row: Row[Any]) -> Feedback:
    moved_box = MovedBox(row.doc_id, row.page, BBox(row.x0, row.y0, row.x1, row.y1)) if row.doc_id else None
    return Feedback(row.judgement, row.note, moved_box)


def _answers_query() -> Select[Any]:
    """Return a query for all answers with their conversations and links."""
    columns = (ANSWERS.c.id, ANSWERS.c.conversation, ANSWERS.c.collection, ANSWERS.c.form, ANSWERS.c.created)
    return select(*columns, LINKS.c.token).join(CONVERSATIONS).outerjoin(LINKS, LINKS.c.answer == ANSWERS.c.id)


def _owned_by(visitor: str, conversation: str) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return CONVERSATIONS.c.visitor == visitor, CONVERSATIONS.c.id == conversation


def _contains(word: str) -> ColumnElement[bool]:
    """Return the condition that a word is in the name of a conversation, or in one of its questions or answers."""
    in_answers = select(ANSWERS.c.conversation).where(ANSWERS.c.words.contains(word, autoescape=True))
    return or_(CONVERSATIONS.c.words.contains(word, autoescape=True), CONVERSATIONS.c.id.in_(in_answers))
