"""Conversations: the turns of each visitor, those in progress in memory, the answered ones in the server's state.

Independent of Gradio; every method may be called from any thread.
"""

from __future__ import annotations

import logging
import secrets
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy.exc import SQLAlchemyError

from indexing import IndexingError
from ui.errors import KeptUnreadable
from ui.export import ConversationPart, conversation_file
from ui.settings import ui_settings
from ui.show import Moment, public_words, safe_name
from ui.state import (
    AnswerForm,
    Bounds,
    ConversationStore,
    Feedback,
    FeedbackStore,
    anchors_of,
    read_form,
    relocate_citations,
)
from ui.web.ask.turns import MOST_TURNS, AskRequest, History, Keeping, Turn

if TYPE_CHECKING:
    from rag import Answer
    from ui.access import Deed
    from ui.state import Conversation, StateStore, StoredAnswer
    from ui.web.open_collections import OpenCollections

CONVERSATION_FORMS = {"markdown": (".md", "text/markdown"), "json": (".json", "application/json")}
"""The forms in which a whole conversation can be exported, with suffix and media type."""
MOST_REVIEWED = 200
"""The number of answers that a review goes through: a visitor's latest from a collection."""
_LOG = logging.getLogger(__name__)
_HIDDEN = "the collection of this answer is no longer open to you: ask one of its owners for a role in it"


@dataclass(frozen=True, slots=True)
class ReviewQueue:
    """The first answers with a sentence to review, the newest first.

    `total` counts the sentences with evidence in all answers, `reviewed` those of them that were judged.
    """

    turns: tuple[Turn, ...] = ()
    total: int = 0
    reviewed: int = 0


class Conversations:
    """The conversations of all visitors of one running page; each visitor gets only their own."""

    def __init__(self, open_collections: OpenCollections, history: History, state: StateStore) -> None:
        """Keep the parts: `history` has the turns in progress, `state` those that were answered."""
        self._open_collections = open_collections
        self._history = history
        limits = ui_settings(open_collections.profile)
        bounds = Bounds(limits.keep_conversations, limits.keep_all_conversations, limits.keep_answers, limits.keep_days)
        self._store, self._feedback = ConversationStore(state, bounds), FeedbackStore(state)

    def own_or_new(self, visitor: str, conversation: str) -> str:
        """Return the id of a conversation if it is the visitor's, else a new id."""
        live = any(turn.conversation == conversation for turn in self._history.turns(visitor))
        own = bool(conversation) and (live or self._store.conversation(visitor, conversation) is not None)
        return conversation if own else secrets.token_hex(16)

    def latest(self, visitor: str) -> str:
        """Return the id of the conversation that a visitor last asked in; "" for none."""
        turns = self._history.turns(visitor)
        return turns[-1].conversation if turns else self._store.latest(visitor)

    def turns(self, visitor: str, conversation: str) -> tuple[Turn, ...]:
        """Return the latest turns of a visitor's conversation, oldest first; those in progress come last."""
        turns = [self._turn(visitor, row) for row in self._store.answers(visitor, conversation, MOST_TURNS)]
        ids = {turn.id for turn in turns}
        turns += [turn for turn in self._live(visitor, conversation) if turn.id not in ids]
        turns.sort(key=lambda turn: (turn.now.state == "busy", turn.created))
        return tuple(turns[-MOST_TURNS:])

    def collection(self, visitor: str, conversation: str) -> str | None:
        """Return the collection of the last question in a visitor's conversation; None if it has no questions."""
        if own := self._live(visitor, conversation):
            return own[-1].request.collection
        rows = self._store.answers(visitor, conversation, 1)
        return rows[0].collection if rows else None

    def stop(self, visitor: str, conversation: str) -> None:
        """Stop the last turn of a visitor's conversation."""
        for turn in self._live(visitor, conversation)[-1:]:
            turn.stop()

    def _live(self, visitor: str, conversation: str) -> list[Turn]:
        """Return the turns of a conversation that are in memory: of this run of the server."""
        return [turn for turn in self._history.turns(visitor) if turn.conversation == conversation]

    def turn(self, visitor: str, turn_id: str) -> Turn | None:
        """Return a turn of a visitor by its id, a stored one with its current citations; None if it is not there."""
        row = self._store.answer(visitor, turn_id)
        return self._turn(visitor, row) if row is not None else self._history.turn(visitor, turn_id)

    def keep(self, visitor: str, turn: Turn, answer: Answer) -> None:
        """Store an answer. If that fails, it stays in memory only, and the log says why."""
        if not visitor or turn.is_stopped:
            return
        name, question = turn.request.collection, turn.request.question
        try:
            with self._open_collections.open_collection(name) as (collection, _):
                anchors = anchors_of(answer, collection)
            form = AnswerForm(name, question, answer, anchors, turn.now.visual_queries)
            if self._store.keep(visitor, turn.conversation, turn.id, form):
                turn.keeping = Keeping()
        except (KeptUnreadable, IndexingError, SQLAlchemyError, OSError) as error:
            _LOG.warning("an answer could not be kept: %s", type(error).__name__)

    def _turn(self, visitor: str, row: StoredAnswer) -> Turn:
        """Return a stored answer as a turn, its citations at their current places; a failed turn if unreadable."""
        try:
            form = self._form(row)
            answer = self._with_current_places(form)
        except (KeptUnreadable, IndexingError) as error:
            failure = Moment().end("failed", public_words(error))
            turn = Turn.from_state(
                row.id, row.created, AskRequest.of(row.collection, "\u2013"), failure, Keeping(row.link)
            )
        else:
            moment = Moment("done", "", answer=answer, visual_queries=form.visual_queries)
            judgements = self._feedback.judgements(visitor, row.id)
            request = AskRequest(form.collection, form.question)
            turn = Turn.from_state(row.id, row.created, request, moment, Keeping(row.link, judgements))
        turn.conversation = row.conversation
        return turn

    def _form(self, row: StoredAnswer) -> AnswerForm:
        """Return a stored answer. Raises KeptUnreadable, also if the visitor may no longer read its collection."""
        if self._open_collections.hides(row.collection):
            raise KeptUnreadable(_HIDDEN)
        return read_form(row.form)

    def _with_current_places(self, form: AnswerForm) -> Answer:
        if form.collection not in self._open_collections.collections():
            return relocate_citations(form, None)
        with self._open_collections.open_collection(form.collection) as (collection, _):
            return relocate_citations(form, collection)

    def review_queue(self, visitor: str, collection: str) -> ReviewQueue:
        """Return a visitor's answers from a collection that have sentences to review; none if they may not read it.

        In the answers among `turns`, sentences whose evidence is no longer in the collection are not counted; in the
        others all are, since finding every place again would take seconds.
        """
        turns, total, n_reviewed = list[Turn](), 0, 0
        if self._open_collections.hides(collection):
            return ReviewQueue()
        for row in self._store.collection_answers(visitor, collection, MOST_REVIEWED):
            with suppress(KeptUnreadable):
                cited_numbers, judged_numbers = (
                    _cited_numbers(read_form(row.form).answer),
                    self._feedback.judgements(visitor, row.id).keys(),
                )
                if cited_numbers - judged_numbers and len(turns) < MOST_TURNS:
                    turn = self._turn(visitor, row)
                    cited_numbers = _cited_numbers(turn.now.answer) if turn.now.answer else set()
                    turns += [turn] if cited_numbers - judged_numbers else []
                total, n_reviewed = total + len(cited_numbers), n_reviewed + len(cited_numbers & judged_numbers)
        return ReviewQueue(tuple(turns), total, n_reviewed)

    def search(self, visitor: str, words: str | None = "") -> tuple[Conversation, ...]:
        """Return the visitor's conversations that contain all of `words`, the latest first."""
        return self._store.conversations(visitor, words or "")

    def rename(self, visitor: str, conversation: str, name: str) -> None:
        """Rename a conversation, if it is this visitor's."""
        self._store.rename(visitor, conversation, name)

    def delete(self, visitor: str, conversation: str) -> None:
        """Delete a conversation of this visitor, and stop the turns in progress in it."""
        self._history.clear(visitor, conversation)
        self._store.delete(visitor, conversation)

    def share(self, visitor: str, turn_id: str) -> None:
        """Create a link to an answer of this visitor, unless there is one, and log that."""
        self._store.share(visitor, turn_id)
        self._note("share-answer", visitor, turn_id)

    def unshare(self, visitor: str, turn_id: str) -> None:
        """Delete the link to an answer of this visitor, and log that."""
        self._store.unshare(visitor, turn_id)
        self._note("unshare-answer", visitor, turn_id)

    def _note(self, deed: Deed, visitor: str, turn_id: str) -> None:
        """Write an action on an answer of this visitor to the audit log."""
        if (row := self._store.answer(visitor, turn_id)) is not None:
            self._open_collections.access.note(deed, row.collection, f"answer {turn_id}")

    def shared_answer(self, token: str) -> tuple[str, Answer] | None:
        """Return the collection of a shared answer, and the answer at its current places; None for an unknown link.

        The caller must check the role in that collection first. Raises IndexingError and KeptUnreadable.
        """
        row = self._store.shared_answer(token)
        return (row.collection, self._with_current_places(read_form(row.form))) if row is not None else None

    def collection_shared(self, token: str) -> str | None:
        """Return the name of the collection of a shared answer, None for an unknown link."""
        row = self._store.shared_answer(token)
        return row.collection if row is not None else None

    def judge(self, visitor: str, turn_id: str, sentence: int, feedback: Feedback | None) -> bool:
        """Store a judgement of a sentence, from 1, of a visitor's answer, None deletes it; False if there is none."""
        return self._feedback.judge(visitor, turn_id, sentence, feedback)

    def export(self, visitor: str, conversation: str, form: str) -> tuple[str, bytes, str] | None:
        """Return a conversation as (file name, content, media type); None for an unknown form, or not the visitor's."""
        conversation_row = self._store.conversation(visitor, conversation)
        if conversation_row is None or form not in CONVERSATION_FORMS:
            return None
        suffix, media = CONVERSATION_FORMS[form]
        parts: list[ConversationPart] = []
        for row in self._store.answers(visitor, conversation):
            answer, collection = self._turn(visitor, row).now.answer, None
            if answer is not None:
                with suppress(IndexingError), self._open_collections.open_collection(row.collection) as (source, _):
                    collection = source
                parts.append((row.created, row.collection, answer, collection))
        for name in dict.fromkeys(collection for _, collection, _, _ in parts):
            self._open_collections.access.note("export", name, f"conversation {conversation} as {form}")
        content = conversation_file(conversation_row.name, parts, form)
        return f"{safe_name(conversation_row.name, 48)}{suffix}", content, media


def _cited_numbers(answer: Answer) -> set[int]:
    """Return the numbers of the sentences with evidence, from 1."""
    return {number for number, sentence in enumerate(answer.sentences, 1) if sentence.citations}
