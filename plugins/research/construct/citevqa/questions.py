"""Questions about an evidence package: written by a template, said in other words, and checked.

What is asked must be answered by screenshots of the package, without its text, and must not be answered without any
document. A paraphrase takes the place of the question when the screenshots give it the same answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from evaluation.harness import RubricJudge, rubric_prompt
from evaluation.tasks import Rubric
from indexing import Element
from plugins.research.construct.citevqa.packages import listed, pictures
from plugins.research.construct.citevqa.templates import QuestionPattern, placeholders
from plugins.research.construct.wording import words
from plugins.research.errors import LeftOut, Unjudged
from rag import Crops
from rag.llm import ChatModel, Form, Message, complete_as, fenced, in_line

REPLY_TOKENS = 400


class _Asked(Form):
    question: str = Field(max_length=400)
    answer: str = Field(max_length=400)


class _Paraphrased(Form):
    question: str = Field(max_length=400)


class _Said(Form):
    answerable: bool
    answer: str = Field(max_length=400)


class AnnotationQuality(Form):
    """The scores of an annotation, 1 to 5: is the question clear, the answer right, the evidence fit and whole?

    `difficulty`, 0 to 5, says how hard the question is, not how good.
    """

    reason: str = Field(max_length=300)
    question: int = Field(ge=1, le=5)
    answer: int = Field(ge=1, le=5)
    evidence: int = Field(ge=1, le=5)
    difficulty: int = Field(ge=0, le=5)


@dataclass(frozen=True, slots=True)
class CheckedQuestion:
    """A question in its final words, its answer, and the words in which it was first written."""

    text: str
    answer: str
    first: str

    def to_json(self) -> dict[str, Any]:
        """Return the keys of a row of the benchmark; `Question_Written` is our own."""
        return {"Question": self.text, "Standard_Answer": self.answer, "Question_Written": self.first}


def question_of(
    model: ChatModel, crops: Crops, package: Sequence[Element], template: QuestionPattern
) -> CheckedQuestion:
    """Return a question about a package that has passed all checks.

    Raises LeftOut for one that has not, Unjudged, ModelError, IndexingError.
    """
    asked = _written(model, crops, package, template)
    if not answers(model, crops, package, asked.question, asked.answer):
        raise LeftOut("the screenshots do not answer it")
    prompt = rubric_prompt("plugins.research:construct_paraphrase").filled(
        question=in_line(asked.question), answer=in_line(asked.answer)
    )
    said, _ = complete_as(model, [Message("user", (prompt,))], _Paraphrased, REPLY_TOKENS)
    text = said.question.strip()
    if not words(text) or words(text) == words(asked.question):
        raise LeftOut("its paraphrase says it in the same words")
    if not answers(model, crops, package, text, asked.answer):
        raise LeftOut("its paraphrase has another answer")
    if known(model, text, asked.answer):
        raise LeftOut("it is answered without a document")
    return CheckedQuestion(text, asked.answer, asked.question)


def _written(model: ChatModel, crops: Crops, package: Sequence[Element], template: QuestionPattern) -> _Asked:
    """Return the question that a model writes, with its answer. Raises LeftOut for one that cannot be used."""
    prompt = rubric_prompt("plugins.research:construct_templated").filled(
        category=template.category, template=in_line(template.text), elements=listed(package)
    )
    reply, _ = complete_as(model, [Message("user", (*pictures(package, crops), prompt))], _Asked, REPLY_TOKENS)
    asked = _Asked(question=reply.question.strip(), answer=reply.answer.strip())
    if not words(asked.question) or not words(asked.answer):
        raise LeftOut("nothing to ask about")
    if placeholders(asked.question):
        raise LeftOut("a placeholder is left in the question")
    return asked


def answers(model: ChatModel, crops: Crops, package: Sequence[Element], question: str, gold: str) -> bool:
    """Return True if a model that sees pictures of the elements, and none of their text, gives the gold answer.

    Raises Unjudged when that cannot be said, ModelError, IndexingError.
    """
    prompt = rubric_prompt("plugins.research:construct_answer").filled(question=in_line(question))
    return _right(model, (*map(crops, package), prompt), question, gold)


def known(model: ChatModel, question: str, gold: str) -> bool:
    """Return True if a model gives the gold answer without any document. Raises Unjudged, ModelError."""
    prompt = rubric_prompt("plugins.research:construct_closed").filled(question=in_line(question))
    return _right(model, (prompt,), question, gold)


def quality_of(model: ChatModel, package: Sequence[Element], crops: Crops, asked: CheckedQuestion) -> AnnotationQuality:
    """Return the quality of an annotation, as a model that sees its evidence rates it. Raises ModelError."""
    prompt = rubric_prompt("plugins.research:construct_quality").filled(
        question=in_line(asked.text), answer=fenced(asked.answer)
    )
    found, _ = complete_as(model, [Message("user", (*map(crops, package), prompt))], AnnotationQuality, REPLY_TOKENS)
    return found


def _right(model: ChatModel, shown: tuple[Any, ...], question: str, gold: str) -> bool:
    said, _ = complete_as(model, [Message("user", shown)], _Said, REPLY_TOKENS)
    if not said.answerable or not said.answer.strip():
        return False
    values = {"question": question, "gold": gold, "said": said.answer}
    score = RubricJudge(model).judge(Rubric("same", "plugins.research:construct_same", values, (0.0, 1.0))).score
    if score is None:
        raise Unjudged
    return score == 1
