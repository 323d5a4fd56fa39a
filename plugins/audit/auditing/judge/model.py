"""A language model as the arbiter of what fields leave open: a venue that was renamed, a title in other words.

Its yes makes two names of a venue one where title and authors agree, or makes an entry with other words in its title
"real with errors". It can never make a record agree against title, authors or year.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

from pydantic import Field

from plugins.audit.auditing.types import Record
from rag import ModelError
from rag.llm import ChatModel, Form, Message, complete_as, fence, load_prompt

_RULES = load_prompt("plugins.audit:audit")
_VENUE = load_prompt("plugins.audit:audit_venue", "cited", "found")
_WORK = load_prompt("plugins.audit:audit_work", "cited", "found")
_MAX_TOKENS = 160
_MOST_CHARACTERS = 1_500


class _Answer(Form):
    reason: str = Field(max_length=240)
    same: Literal["yes", "no", "unclear"]


class ModelArbiter:
    """An arbiter for one audit, at temperature 0; it asks nothing twice. Safe to use from several threads.

    `failures` are the reasons why it could not say.
    """

    def __init__(self, model: ChatModel) -> None:
        """Keep the model."""
        self._model = model
        self._asked = cache(self._ask)
        self.failures: list[str] = []

    def same_venue(self, cited: str, found: str) -> bool:
        """Return True where both are names of one venue, as far as it can tell."""
        return self._asked(_VENUE.fill(cited=_quoted(cited), found=_quoted(found)))

    def same_work(self, reference: str, record: Record) -> bool:
        """Return True where the title that is cited is another wording of the record's, as far as it can tell."""
        fields = record.fields
        found = ". ".join(
            part for part in ("; ".join(fields.authors[:20]), fields.title, fields.venue, fields.year) if part
        )
        return self._asked(_WORK.fill(cited=_quoted(reference), found=_quoted(found)))

    def _ask(self, question: str) -> bool:
        messages = (Message("system", (_RULES.fill(),)), Message("user", (question,)))
        try:
            answer, _ = complete_as(self._model, messages, _Answer, _MAX_TOKENS, temperature=0.0)
        except ModelError as error:
            self.failures.append(f"the model was not asked about an entry: {error}")
            return False
        return answer.same == "yes"


def _quoted(text: str) -> str:
    return fence(text[:_MOST_CHARACTERS] or "(nothing)")
