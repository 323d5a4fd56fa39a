"""Rewording: titles that a model writes: a paraphrase, or a new title on the same topic."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from pydantic import Field

from evaluation import ConstructedRows
from plugins.audit.evaluation.construct.taxonomy import FieldChange, Wrong
from plugins.audit.evaluation.construct.works import Work
from rag import ModelError
from rag.llm import ChatModel, Form, Message, complete_as, fenced, load_prompt

REPLY_TOKENS = 200
MOST_TITLE = 300
WAYS = {
    "paraphrase": load_prompt("plugins.audit:construct_title_paraphrase", "title"),
    "topic synthesis": load_prompt("plugins.audit:construct_title_topic", "title"),
}


class _Title(Form):
    title: str = Field(max_length=MOST_TITLE)


def reworded(work: Work, model: ChatModel, rng: Random, made: ConstructedRows) -> Wrong | None:
    """Return the work with a title by the model; None where its reply cannot be used or is the title itself.

    Replies that failed are counted in `made`. Raises the errors of `HOPELESS`.
    """
    error = rng.choice(sorted(WAYS))
    prompt = WAYS[error].filled(title=fenced(work.title))
    try:
        reply, _ = complete_as(model, [Message("user", (prompt,))], _Title, REPLY_TOKENS)
    except ModelError as failed:
        made.skip(failed)
        return None
    title = " ".join(reply.title.split()).rstrip(".")
    if not title or _words(title) == _words(work.title):
        return None
    return replace(work, title=title), FieldChange("title", work.title, title, error)


def _words(title: str) -> list[str]:
    return "".join(c.lower() if c.isalnum() else " " for c in title).split()
