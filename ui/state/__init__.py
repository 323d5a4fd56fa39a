"""Store what `vouch serve` keeps (people, rights, conversations, audit log) in SQLite or PostgreSQL."""

from ui.state.audit import AuditEntry, AuditLog, audit_entries
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
    name_from,
    read_form,
    relocate_citations,
    written_form,
)
from ui.state.database import StateStore, is_kept, open_state
from ui.state.given_answers import MOST_ALL_ANSWERS, MOST_ANSWERS, GivenAnswer, GivenAnswerStore
from ui.state.jobs import JobStore, StoredJob, StoredJobFile
from ui.state.people import People
from ui.state.tables import METADATA

__all__ = [
    "JUDGEMENTS",
    "METADATA",
    "MOST_ALL_ANSWERS",
    "MOST_ANSWERS",
    "AnswerForm",
    "AuditEntry",
    "AuditLog",
    "Bounds",
    "Conversation",
    "ConversationStore",
    "Feedback",
    "FeedbackStore",
    "GivenAnswer",
    "GivenAnswerStore",
    "JobStore",
    "JudgedAnswer",
    "Judgement",
    "People",
    "StateStore",
    "StoredAnswer",
    "StoredJob",
    "StoredJobFile",
    "anchors_of",
    "audit_entries",
    "is_kept",
    "name_from",
    "open_state",
    "read_form",
    "relocate_citations",
    "written_form",
]
