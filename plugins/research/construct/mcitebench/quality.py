"""The quality of a question as a model sees it: relevance, clarity, and alignment of answer and evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from evaluation.harness import rubric_prompt
from plugins.research.construct.mcitebench.paper import PaperPart
from plugins.research.construct.mcitebench.replies import KeptReplies
from rag.llm import Form, fenced, in_line

if TYPE_CHECKING:
    from PIL import Image

REPLY_TOKENS = 400
Label = Literal["high", "medium", "low"]


class QuestionQuality(Form):
    """The labels of a question with its answer and evidence, and the reason for them."""

    reason: str = Field(max_length=400)
    relevance: Label
    clarity: Label
    alignment: Label

    @property
    def lowest(self) -> str:
        """The first of its labels that is low, by its name; empty where none is."""
        named = {"relevance": self.relevance, "clarity": self.clarity, "alignment": self.alignment}
        return next((name for name, label in named.items() if label == "low"), "")


def quality(
    replies: KeptReplies, asked: tuple[str, str], evidence: Sequence[PaperPart], pictures: Sequence[Image.Image]
) -> QuestionQuality:
    """Return the labels of a question and its answer beside their evidence. Raises ModelError.

    `pictures` are those of its figures and tables, as far as the model sees any.
    """
    said = "\n".join(fenced("\n".join(filter(None, (part.name, part.caption, part.text)))) for part in evidence)
    question, answer = asked
    prompt = rubric_prompt("plugins.research:mcite_quality").filled(
        question=fenced(question), answer=in_line(answer), evidence=said
    )
    return replies.ask((prompt, *pictures), QuestionQuality, REPLY_TOKENS)
