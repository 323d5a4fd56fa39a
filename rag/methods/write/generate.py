"""Draft the sentences of an answer: a model is shown pages and writes, and each sentence is given out as it comes.

The model may name labels and nothing else: under a schema whose labels are an enumeration of those shown, or in markers
of which unknown ones are dropped. What does not fit into its context is left out, enlarged pieces first, then pages
from the lowest rank up, and a note says so. A reply that cannot be read is asked for once more; of one that is cut off,
the sentences that were whole stand.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

from rag.errors import ImageRefused, PromptTooLong, ReplyCutOff, ReplyUnusable
from rag.llm import ChatModel, Reply
from rag.methods.write.pages import MOST_LABELS, PageView
from rag.methods.write.prompt import WritingTask, messages_of, reader_of, schema_of
from rag.methods.write.reply import WrittenReply, WrittenSentence
from rag.usage import NO_USAGE, Usage

Piece = tuple[int, WrittenSentence]
_ENDINGS = frozenset("{}\r\n")
"""The characters without which no sentence of a reply begins or ends."""
MOST_NAMED = 8
"""The most pages that a note names one by one."""
_READINGS = 200
"""The most beginnings of a reply that are read; a reply that is longer than any answer is then read at its end."""


@dataclass(frozen=True, slots=True)
class Written:
    """The end of an answer: the drafts that make it, their cost, and the notes that a reader should know.

    `missing` is what the model says the pages do not show, `look` are the places (document, page) that it would see
    next, `shown` the pages for which there was room.
    """

    drafts: tuple[WrittenSentence, ...]
    usage: Usage
    notes: tuple[str, ...]
    missing: str = ""
    look: tuple[tuple[str, int], ...] = ()
    shown: tuple[PageView, ...] = ()


def generate(model: ChatModel, task: WritingTask, views: Sequence[PageView]) -> Generator[Piece | Written]:
    """Yield numbered drafts (from 0) as they are written, then `Written`, without drafts if there is no answer.

    A number that comes again replaces the draft of that number and all after it: the reply was asked for once more.
    Closing the iterator ends the call. Raises ModelError.
    """
    if not views:
        yield Written((), NO_USAGE, ())
        return
    task, shown = _fitting(model, task, views)
    usage, again = NO_USAGE, False
    while True:
        try:
            said, cost = yield from _asked(model, task, shown, again)
        except PromptTooLong:  # the server counts more than we estimated
            if len(shown) == 1:
                raise
            shown = _best(shown, len(shown) * 3 // 4)
        except ReplyUnusable as error:
            usage += error.usage
            if again:
                raise ReplyUnusable(_advice(task, error), text=error.text, usage=usage) from None
            again = True
        else:
            notes = (*_not_shown(model, views, shown), *_of_reply(said, task))
            look = tuple(_places_named(said.look, shown))
            yield Written(said.drafts[: task.settings.sentences], usage + cost, notes, said.missing, look, shown)
            return


def _places_named(sheets: Sequence[tuple[int, int]], shown: Sequence[PageView]) -> Iterator[tuple[str, int]]:
    """Yield sheets by the ids of their documents, which were numbered as they came; others are left out."""
    ids = list(dict.fromkeys(view.of.id for view in shown))
    return ((ids[document - 1], page) for document, page in sheets if 1 <= document <= len(ids))


def _asked(
    model: ChatModel, task: WritingTask, shown: Sequence[PageView], again: bool
) -> Generator[Piece, None, tuple[WrittenReply, Usage]]:
    """Make one call: yield its drafts, then return the reply and its cost. Raises ReplyUnusable with that cost.

    Raises ReplyCutOff for one that was cut off before its first sentence was whole.
    """
    labels = labels_of(shown)
    read, most = reader_of(task), task.settings.sentences
    text, drafted, readings, reply = "", list[WrittenSentence](), 0, None
    stream = model.stream(
        messages_of(task, shown, again), schema=schema_of(task, labels, len({v.of.id for v in shown}))
    )
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
    model: ChatModel, task: WritingTask, views: Sequence[PageView]
) -> tuple[WritingTask, tuple[PageView, ...]]:
    """Return the part of the task and of the pages that the model has room for: the best, one at least.

    Where there is no room for all images, enlarged pieces go first, then the pictures of the lowest ranks.
    Raises ImageRefused or PromptTooLong, which say what to change, when there is not even room for one page.
    """
    images = model.capacity.images
    if task.picture is not None:
        task, images = (task, images - 1) if images else (replace(task, picture=None), 0)
    shown = _pictured(views, images)
    if not shown:
        raise ImageRefused(
            f"{model.name} takes no pictures of the evidence: ask in mode text, or raise rag.model.images in "
            "the profile if it is a vision model"
        )
    room = model.capacity.tokens
    while (needed := model.tokens(messages_of(task, shown))) > room:
        if any(view.enlarged for view in shown):
            shown = _pictured(shown, sum(view.image is not None for view in shown))
        elif len(shown) > 1:
            shown = _best(shown, len(shown) - 1)
        else:
            raise PromptTooLong(
                f"the question and the best page alone take about {needed} tokens, and only {room} fit: raise "
                "rag.model.context_tokens in the profile if the server allows, or lower rag.model.max_output_tokens "
                "or rag.writing.page_side"
            )
    return task, shown


def _pictured(views: Sequence[PageView], images: int) -> tuple[PageView, ...]:
    """Return the pages with so many images at most: those of whole pages first, then the enlarged pieces, by rank.

    A page without its image is shown as text, where text is to be shown.
    """
    by_rank = sorted(views, key=lambda view: view.rank)
    drawn = {view.rank for view in [view for view in by_rank if view.image is not None][:images]}
    left = images - len(drawn)
    kept = {view.rank: view.enlarged for view in by_rank}
    for view in by_rank:
        kept[view.rank] = view.enlarged[: max(0, left)] if view.rank in drawn else ()
        left -= len(kept[view.rank])
    return tuple(
        replace(view, image=view.image if view.rank in drawn else None, enlarged=kept[view.rank])
        for view in views
        if view.rank in drawn or view.text
    )


def _best(views: Sequence[PageView], number: int) -> tuple[PageView, ...]:
    """Return the pages of the best ranks, in their order."""
    ranks = {view.rank for view in sorted(views, key=lambda view: view.rank)[: max(1, number)]}
    return tuple(view for view in views if view.rank in ranks)


def labels_of(views: Sequence[PageView]) -> list[str]:
    """Return the labels that can be named, in the order in which they are shown."""
    return [label for view in views for label in view.labels][:MOST_LABELS]


def _not_shown(model: ChatModel, views: Sequence[PageView], shown: Sequence[PageView]) -> list[str]:
    notes, there = [], {view.rank: view for view in shown}
    if left_out := [view for view in views if view.rank not in there]:
        notes.append(f"{model.name} was not shown {_places(left_out)}: there was no room for more")
    if as_text := [view for view in views if view.image and view.rank in there and not there[view.rank].image]:
        notes.append(f"{model.name} was shown the text alone of {_places(as_text)}: it had no room for more pictures")
    return notes


def _places(views: Sequence[PageView]) -> str:
    named = [f"page {view.page.number} of {view.of.name}" for view in views[:MOST_NAMED]]
    more = [f"{len(views) - MOST_NAMED} more pages"] if len(views) > MOST_NAMED else []
    return ", ".join([*named, *more])


def _of_reply(said: WrittenReply, task: WritingTask) -> list[str]:
    notes = []
    if said.reading:
        notes.append(f"the model took the question so: {said.reading}")
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
