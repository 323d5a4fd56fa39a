"""Store what `vouch serve` keeps (conversations, jobs, answers; accounts by a plugin) in SQLite or PostgreSQL."""

from ui.state.answer_form import AnswerForm, anchors_of, read_form, relocate_citations, written_form
from ui.state.conversations import (
    JUDGEMENTS,
    Bounds,
    Conversation,
    ConversationStore,
    Feedback,
    FeedbackStore,
    JudgedAnswer,
    Judgement,
    MovedBox,
    StoredAnswer,
)
from ui.state.database import StateStore, is_kept, open_state
from ui.state.programs import (
    MOST_ALL_ANSWERS,
    MOST_ANSWERS,
    GivenAnswer,
    GivenAnswerStore,
    JobStore,
    StoredJob,
    StoredJobFile,
)
