"""Store what `vouch serve` keeps (conversations, jobs, answers; accounts by a plugin) in SQLite or PostgreSQL."""

from ui.state.answer_form import AnswerForm, read_form, written_form
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
