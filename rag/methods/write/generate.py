"""A question and the views of the evidence -> drafted sentences with labels, one by one as a model writes them.

The model may name labels and nothing else: under a schema whose labels are an enumeration of those shown, or in markers
of which unknown ones are dropped. Evidence that does not fit into its context is left out from the lowest rank up, and
a note says so. A reply that cannot be read is asked for once more; of one that is cut off, the sentences that were
whole stand.
"""

from __future__ import annotations

import contextlib
from bisect import bisect_right
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import cast

from rag.errors import ImageRefused, PromptTooLong, ReplyCutOff, ReplyUnusable
from rag.llm import ChatModel, Reply
from rag.methods.write.prompt import WritingTask, messages_of, reader_of, schema_of
from rag.methods.write.reply import WrittenReply, WrittenSentence
from rag.types import EvidenceView
from rag.usage import NO_USAGE, Usage

Piece = tuple[int, WrittenSentence]
_ENDINGS = frozenset("{}\r\n")
"""The characters without which no sentence of a reply begins or ends."""
_READINGS = 200
"""The most beginnings of a reply that are read; a reply that is longer than any answer is then read at its end."""


@dataclass(frozen=True, slots=True)
class Written:
    """The end of an answer: the drafts that make it, their cost, and the notes that a reader should know."""

    drafts: tuple[WrittenSentence, ...]
    usage: Usage
    notes: tuple[str, ...]


def generate(model: ChatModel, task: WritingTask, exhibits: Sequence[EvidenceView]) -> Generator[Piece | Written]:
    """Yield numbered drafts (from 0) as they are written, then `Written`, without drafts if there is no answer.

    A number that comes again replaces the draft of that number and all after it: the reply was asked for once more.
    Closing the iterator ends the call. Raises ModelError.
    """
    if not exhibits:
        yield Written((), NO_USAGE, ())
        return
    task, shown = _fitting(model, task, exhibits)
    usage, again = NO_USAGE, False
    while True:
        try:
            said, cost = yield from _asked(model, task, shown, again)
        except PromptTooLong:  # the server counts more than we estimated
            if len(shown) == 1:
                raise
            shown = shown[: len(shown) * 3 // 4]
        except ReplyUnusable as error:
            usage += error.usage
            if again:
                raise ReplyUnusable(_advice(task, error), text=error.text, usage=usage) from None
            again = True
        else:
            notes = (*_not_shown(model, exhibits, shown), *_of_reply(said, task))
            yield Written(said.drafts[: task.settings.sentences], usage + cost, notes)
            return


def _asked(
    model: ChatModel, task: WritingTask, shown: Sequence[EvidenceView], again: bool
) -> Generator[Piece, None, tuple[WrittenReply, Usage]]:
    """Make one call: yield its drafts, then return the reply and its cost. Raises ReplyUnusable with that cost.

    Raises ReplyCutOff for one that was cut off before its first sentence was whole.
    """
    labels = labels_of(shown)
    read, most = reader_of(task), task.settings.sentences
    text, drafted, readings, reply = "", list[WrittenSentence](), 0, None
    stream = model.stream(messages_of(task, shown, again), schema=schema_of(task, labels))
    with contextlib.closing(cast("Generator[str | Reply]", stream)) as pieces:
        try:
            for piece in pieces:
                if isinstance(piece, Reply):
                    reply = piece
                    continue
                text += piece
                if len(drafted) < most and readings < _READINGS and not _ENDINGS.isdisjoint(piece):
                    readings += 1
                    drafts = read(text, frozenset(labels), False).drafts[:most]
                    yield from enumerate(drafts[len(drafted) :], len(drafted))
                    drafted[len(drafted) :] = drafts[len(drafted) :]
        except ReplyCutOff as error:
            said, usage = replace(read(error.text, frozenset(labels), False), cut_off=str(error)), error.usage
            if not said.drafts:
                raise
        else:
            said, usage = _whole(reply, task, labels)
    if list(said.drafts[: len(drafted)]) != drafted:
        raise ReplyUnusable("the model's reply takes back what it said", text=text, usage=usage)
    yield from enumerate(said.drafts[len(drafted) : most], len(drafted))
    return said, usage


def _whole(reply: Reply | None, task: WritingTask, labels: Sequence[str]) -> tuple[WrittenReply, Usage]:
    if reply is None:
        raise ReplyUnusable("the model's reply has no end")
    try:
        return reader_of(task)(reply.text, frozenset(labels), True), reply.usage
    except ReplyUnusable as error:
        raise ReplyUnusable(str(error), text=reply.text, usage=reply.usage) from None


def _fitting(
    model: ChatModel, task: WritingTask, exhibits: Sequence[EvidenceView]
) -> tuple[WritingTask, tuple[EvidenceView, ...]]:
    """Return the part of the task and of the views that the model has room for, best first, one view at least.

    Where there is no room for all pictures, those go first that only enlarge a part of another.
    Raises ImageRefused or PromptTooLong, which say what to change, when there is not even room for that.
    """
    images = model.capacity.images
    if task.picture is not None:
        task, images = (task, images - 1) if images else (replace(task, picture=None), 0)
    shown: list[EvidenceView] = []
    drawn = sorted((n for n, each in enumerate(exhibits) if each.image is not None), key=lambda n: exhibits[n].beside)
    with_image = set(drawn[:images])
    for n, exhibit in enumerate(exhibits):
        if exhibit.image is None or n in with_image:
            shown.append(exhibit)
        elif exhibit.text:
            shown.append(replace(exhibit, image=None))
    if not shown:
        raise ImageRefused(
            f"{model.name} takes no pictures of the evidence: ask in mode text, or raise rag.model.images in "
            "the profile if it is a vision model"
        )
    fits = bisect_right(
        range(1, len(shown) + 1), model.capacity.tokens, key=lambda n: model.tokens(messages_of(task, shown[:n]))
    )
    if not fits:
        raise PromptTooLong(
            "the question and the best piece of evidence alone take about "
            f"{model.tokens(messages_of(task, shown[:1]))} tokens, and only {model.capacity.tokens} fit: "
            "raise rag.model.context_tokens in the profile if the server allows, or lower "
            "rag.model.max_output_tokens or rag.writing.picture_side"
        )
    return task, tuple(shown[:fits])


def labels_of(exhibits: Sequence[EvidenceView]) -> list[str]:
    """Return the labels of the views, best first."""
    return [item.label for exhibit in exhibits for item in exhibit.evidence]


def _not_shown(model: ChatModel, exhibits: Sequence[EvidenceView], shown: Sequence[EvidenceView]) -> list[str]:
    notes = []
    there = set(labels_of(shown))
    left_out = [label for label in labels_of(exhibits) if label not in there]
    if left_out:
        notes.append(f"{model.name} was not shown {', '.join(left_out)}: there was no room for more")
    drawn = set(labels_of([e for e in shown if e.image is not None]))
    pictured = labels_of([e for e in exhibits if e.image is not None])
    as_text = [label for label in pictured if label in there and label not in drawn]
    if as_text:
        notes.append(f"{model.name} was shown the text alone of {', '.join(as_text)}: it had no room for more pictures")
    return notes


def _of_reply(said: WrittenReply, task: WritingTask) -> list[str]:
    notes = []
    if said.cut_off:
        notes.append(f"the answer is not whole: {said.cut_off}")
    if said.unknown:
        notes.append(f"{said.unknown} of the labels that the model named do not exist and were dropped")
    if said.repeated:
        notes.append(f"sentences that the model said again, which stand once: {said.repeated}")
    if said.unfinished:
        notes.append(
            f"sentences that reached the limit of {task.settings.sentence_chars} characters before their end, and were "
            f"left out (rag.writing.sentence_chars): {said.unfinished}"
        )
    if said.empty:
        notes.append("the model said that there is an answer, and wrote none")
    if len(said.drafts) > task.settings.sentences:
        notes.append(
            f"the model wrote {len(said.drafts)} sentences, of which the first {task.settings.sentences} stand"
        )
    return notes


def _advice(task: WritingTask, error: ReplyUnusable) -> str:
    """Say what to do when a model twice gave a reply that cannot be read."""
    if task.form == "schema":
        return f"{error}, twice; if the server cannot restrict replies to a schema, set rag.model.structured to markers"
    return f"{error}, twice: try method vanilla, or another model"
