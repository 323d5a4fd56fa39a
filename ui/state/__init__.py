"""State: people, their rights and their conversations, which `vouch serve` keeps in SQLite or PostgreSQL."""

from ui.state.conversations import (
    JUDGEMENTS,
    AnswerForm,
    Bounds,
    Conversation,
    ConversationStore,
    Feedback,
    FeedbackStore,
    JudgedAnswer,
    Judgement,
    StoredAnswer,
    anchors_of,
    named_by,
    placed,
    read_form,
    written_form,
)
from ui.state.database import StateStore, open_state
from ui.state.people import People
from ui.state.tables import METADATA

__all__ = [
    "JUDGEMENTS",
    "METADATA",
    "AnswerForm",
    "Bounds",
    "Conversation",
    "ConversationStore",
    "Feedback",
    "FeedbackStore",
    "JudgedAnswer",
    "Judgement",
    "People",
    "StateStore",
    "StoredAnswer",
    "anchors_of",
    "named_by",
    "open_state",
    "placed",
    "read_form",
    "written_form",
]
