"""Store the answers given to each visitor, the links to them, and the feedback on them."""

from ui.state.conversations.feedback import JUDGEMENTS, Feedback, FeedbackStore, JudgedAnswer, Judgement
from ui.state.conversations.form import AnswerForm, read_form, written_form
from ui.state.conversations.places import anchors_of, relocate_citations
from ui.state.conversations.store import Bounds, Conversation, ConversationStore, StoredAnswer, name_from

__all__ = [
    "JUDGEMENTS",
    "AnswerForm",
    "Bounds",
    "Conversation",
    "ConversationStore",
    "Feedback",
    "FeedbackStore",
    "JudgedAnswer",
    "Judgement",
    "StoredAnswer",
    "anchors_of",
    "name_from",
    "read_form",
    "relocate_citations",
    "written_form",
]
