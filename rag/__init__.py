"""A question -> an answer whose every sentence cites its evidence. The public face."""

from rag.errors import EmptyQuestion, ProfileError, QuestionTooLong, RagError
from rag.pipeline import Pipeline
from rag.settings import Profile, RagSettings, load_profile
from rag.types import Answer, Citation, Evidence, Mode, Sentence, Verdict

__all__ = [
    "Answer",
    "Citation",
    "EmptyQuestion",
    "Evidence",
    "Mode",
    "Pipeline",
    "Profile",
    "ProfileError",
    "QuestionTooLong",
    "RagError",
    "RagSettings",
    "Sentence",
    "Verdict",
    "load_profile",
]
