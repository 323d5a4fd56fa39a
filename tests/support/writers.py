"""A model that writes a test's replies, piece by piece, and the form of a reply."""

import json
from collections import deque
from collections.abc import Iterator, Sequence

from rag.errors import RagError
from rag.llm.chat import Capacity, Message, Reply, Schema
from rag.llm.images import images_of
from rag.usage import Usage
from tests.support.fakes import ScriptedModel

PICTURE_TOKENS = 100


class Writer(ScriptedModel):
    """A model that says the replies in their order, `piece` characters at a time; an error among them is raised.

    `hung_up` is true when a stream was closed before its end. Its tokens are four characters each, a picture 100.
    """

    def __init__(self, *replies: str | RagError, piece: int = 7, tokens: int = 8192, images: int = 8) -> None:
        queue = deque(replies)
        super().__init__(lambda _: queue.popleft(), "writer", images)
        self.capacity = Capacity(tokens, images)
        self.hung_up = False
        self.told = 0
        self._piece = piece

    def stream(
        self, messages: Sequence[Message], *, schema: Schema | None = None, max_tokens: int | None = None
    ) -> Iterator[str | Reply]:
        reply = self.complete(messages, schema=schema, max_tokens=max_tokens)
        try:
            for start in range(0, len(reply.text), self._piece):
                self.told += 1
                yield reply.text[start : start + self._piece]
        except GeneratorExit:
            self.hung_up = True
            raise
        yield reply

    def tokens(self, messages: Sequence[Message]) -> int:
        return super().tokens(messages) + PICTURE_TOKENS * len(images_of(messages))


def said(*sentences: tuple[str, Sequence[str]], answerable: bool = True, **steps: object) -> str:
    """Return a reply under the schema: sentences with their labels, after the steps of method cot."""
    written = [{"text": text, "labels": list(labels)} for text, labels in sentences]
    return json.dumps({**steps, "answerable": answerable, "sentences": written})


USAGE = Usage(10, 5, 0, 1)
"""The cost of a call of the writer, pictures apart."""
