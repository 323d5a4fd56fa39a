"""Store what `vouch serve` keeps (people, rights, conversations, audit log) in SQLite or PostgreSQL."""

from ui.state.answer_form import AnswerForm, read_form, written_form
from ui.state.audit import AuditEntry, AuditLog, audit_entries
from ui.state.conversations import (
    JUDGEMENTS,
    Bounds,
    Conversation,
    ConversationStore,
    Feedback,
    FeedbackStore,
    JudgedAnswer,
    Judgement,
    StoredAnswer,
    name_from,
)
from ui.state.database import StateStore, is_kept, open_state
from ui.state.people import People
from ui.state.places import anchors_of, relocate_citations
from ui.state.programs import (
    MOST_ALL_ANSWERS,
    MOST_ANSWERS,
    GivenAnswer,
    GivenAnswerStore,
    JobStore,
    StoredJob,
    StoredJobFile,
)
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
