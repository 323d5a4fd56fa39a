"""Draft the sentences of an answer: a model sees pages and writes, and each sentence is yielded as it comes.

The model can cite only by labels: under a schema that enumerates the labels shown, or with markers, of which unknown
ones are dropped. What does not fit into its context is left out, enlarged elements first, then pages from the lowest
rank up, with a note. The request is repeated once if a reply cannot be parsed; of a truncated reply the complete
sentences are kept.
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
    next, `views` the pages for which there was room. `is_whole` is False where the reply was cut off, or has as many
    sentences as one may have.
    """

    drafts: tuple[WrittenSentence, ...]
    usage: Usage
    notes: tuple[str, ...]
    missing: str = ""
    look: tuple[tuple[str, int], ...] = ()
    views: tuple[PageView, ...] = ()
    is_whole: bool = True


def generate(model: ChatModel, task: WritingTask, views: Sequence[PageView]) -> Generator[Piece | Written]:
    """Yield numbered drafts (from 0) as they are written, then `Written`, without drafts if there is no answer.

    A repeated number means that the request was repeated: the draft replaces that one and all after it. Closing the
    iterator ends the call. Raises ModelError.
    """
    if not views:
        yield Written((), NO_USAGE, ())
        return
    task, selection = _fitting(model, task, views)
    usage, again = NO_USAGE, False
    while True:
        try:
            reply, cost = yield from _request(model, task, selection, again)
        except PromptTooLong:  # the server counts more than we estimated
            if len(selection) == 1:
                raise
            selection = _best(selection, len(selection) * 3 // 4)
        except ReplyUnusable as error:
            usage += error.usage
            if again:
                raise ReplyUnusable(_advice(task, error), text=error.text, usage=usage) from None
            again = True
        else:
            notes = (*_notes_on_omissions(model, views, selection), *_notes_on_reply(reply, task))
            look = tuple(_places_named(reply.look, selection))
            most = task.settings.sentences
            is_whole = not reply.cut_off and len(reply.drafts) < most
            yield Written(reply.drafts[:most], usage + cost, notes, reply.missing, look, selection, is_whole)
            return


def _places_named(sheets: Sequence[tuple[int, int]], views: Sequence[PageView]) -> Iterator[tuple[str, int]]:
    """Yield (document id, page) for sheets (number of a document in `views`, page); unknown documents are left out."""
    ids = list(dict.fromkeys(view.of.id for view in views))
    return ((ids[document - 1], page) for document, page in sheets if 1 <= document <= len(ids))


def _request(
    model: ChatModel, task: WritingTask, views: Sequence[PageView], again: bool
) -> Generator[Piece, None, tuple[WrittenReply, Usage]]:
    """Make one call: yield its drafts as they arrive, then return the reply and its cost. Raises ReplyUnusable.

    Raises ReplyCutOff for a reply that was cut off before the end of its first sentence.
    """
    labels = labels_of(views)
    reader, most = reader_of(task), task.settings.sentences
    text, earlier, readings, reply = "", list[WrittenSentence](), 0, None
    stream = model.stream(
        messages_of(task, views, again), schema=schema_of(task, labels, len({v.of.id for v in views}))
    )
    with contextlib.closing(cast("Generator[str | Reply]", stream)) as pieces:
        try:
            for piece in pieces:
                if isinstance(piece, Reply):
                    reply = piece
                    continue
                text += piece
                if len(earlier) < most and readings < _READINGS and not _ENDINGS.isdisjoint(piece):
                    readings += 1
                    drafts = reader(text, frozenset(labels), False).drafts[:most]
                    yield from enumerate(drafts[len(earlier) :], len(earlier))
                    earlier[len(earlier) :] = drafts[len(earlier) :]
        except ReplyCutOff as error:
            result, usage = replace(reader(error.text, frozenset(labels), False), cut_off=str(error)), error.usage
            if not result.drafts:
                raise
        else:
            result, usage = _parse_complete(reply, task, labels)
    if list(result.drafts[: len(earlier)]) != earlier:
        raise ReplyUnusable("the model's reply takes back what it said", text=text, usage=usage)
    yield from enumerate(result.drafts[len(earlier) : most], len(earlier))
    return result, usage


def _parse_complete(reply: Reply | None, task: WritingTask, labels: Sequence[str]) -> tuple[WrittenReply, Usage]:
    """Return a complete reply, parsed, and its cost. Raises ReplyUnusable for none, or one that cannot be parsed."""
    if reply is None:
        raise ReplyUnusable("the model's reply has no end")
    try:
        return reader_of(task)(reply.text, frozenset(labels), True), reply.usage
    except ReplyUnusable as error:
        raise ReplyUnusable(str(error), text=reply.text, usage=reply.usage) from None


def _fitting(
    model: ChatModel, task: WritingTask, views: Sequence[PageView]
) -> tuple[WritingTask, tuple[PageView, ...]]:
    """Return the task, without its picture if the model takes none, and the best pages that fit; at least one.

    If there is no room for all images, enlarged elements are dropped first, then the images of the lowest ranks.
    Raises ImageRefused or PromptTooLong, which say what to change, if not even one page fits.
    """
    images = model.capacity.images
    if task.picture is not None:
        task, images = (task, images - 1) if images else (replace(task, picture=None), 0)
    selection = _limit_images(views, images)
    if not selection:
        raise ImageRefused(
            f"{model.name} takes no pictures of the evidence: ask in mode text, or raise rag.model.images in "
            "the profile if it is a vision model"
        )
    room = model.capacity.tokens
    while (tokens := model.tokens(messages_of(task, selection))) > room:
        if any(view.enlargements for view in selection):
            selection = _limit_images(selection, sum(view.image is not None for view in selection))
        elif len(selection) > 1:
            selection = _best(selection, len(selection) - 1)
        else:
            raise PromptTooLong(
                f"the question and the best page alone take about {tokens} tokens, and only {room} fit: raise "
                "rag.model.context_tokens in the profile if the server allows, or lower rag.model.max_output_tokens "
                "or rag.writing.page_side"
            )
    return task, selection


def _limit_images(views: Sequence[PageView], images: int) -> tuple[PageView, ...]:
    """Return the pages with at most `images` images: those of the pages first, then enlarged elements, by rank.

    A page without its image is kept if it has text to show.
    """
    by_rank = sorted(views, key=lambda view: view.rank)
    with_image = {view.rank for view in [view for view in by_rank if view.image is not None][:images]}
    room = images - len(with_image)
    extras = {view.rank: view.enlargements for view in by_rank}
    for view in by_rank:
        extras[view.rank] = view.enlargements[: max(0, room)] if view.rank in with_image else ()
        room -= len(extras[view.rank])
    return tuple(
        replace(view, image=view.image if view.rank in with_image else None, enlargements=extras[view.rank])
        for view in views
        if view.rank in with_image or view.text
    )


def _best(views: Sequence[PageView], number: int) -> tuple[PageView, ...]:
    """Return the pages of the best ranks, in their order."""
    ranks = {view.rank for view in sorted(views, key=lambda view: view.rank)[: max(1, number)]}
    return tuple(view for view in views if view.rank in ranks)


def labels_of(views: Sequence[PageView]) -> list[str]:
    """Return the labels that the model can cite, in the order in which they are shown, at most MOST_LABELS."""
    return [label for view in views for label in view.labels][:MOST_LABELS]


def _notes_on_omissions(model: ChatModel, views: Sequence[PageView], selection: Sequence[PageView]) -> list[str]:
    """Return notes on pages that the model was not shown, and on those of which it was shown the text alone."""
    notes, there = [], {view.rank: view for view in selection}
    if left_out := [view for view in views if view.rank not in there]:
        notes.append(f"{model.name} was not shown {_name_pages(left_out)}: there was no room for more")
    if as_text := [view for view in views if view.image and view.rank in there and not there[view.rank].image]:
        notes.append(
            f"{model.name} was shown the text alone of {_name_pages(as_text)}: it had no room for more pictures"
        )
    return notes


def _name_pages(views: Sequence[PageView]) -> str:
    """Return "page 3 of report.pdf, ..." for the first MOST_NAMED pages, and how many more there are."""
    names = [f"page {view.page.number} of {view.of.name}" for view in views[:MOST_NAMED]]
    more = [f"{len(views) - MOST_NAMED} more pages"] if len(views) > MOST_NAMED else []
    return ", ".join([*names, *more])


def _notes_on_reply(reply: WrittenReply, task: WritingTask) -> list[str]:
    """Return notes for the reader on faults of a reply, and on how it took the question."""
    notes = []
    if reply.reading:
        notes.append(f"the model took the question so: {reply.reading}")
    if reply.cut_off:
        notes.append(f"the answer is not whole: {reply.cut_off}")
    if reply.unknown:
        notes.append(f"{reply.unknown} of the labels that the model named do not exist and were dropped")
    if reply.repeated:
        notes.append(f"sentences that the model said again, which stand once: {reply.repeated}")
    if reply.unfinished:
        notes.append(
            f"sentences that reached the limit of {task.settings.sentence_chars} characters before their end, and were "
            f"left out (rag.writing.sentence_chars): {reply.unfinished}"
        )
    if reply.empty:
        notes.append("the model said that there is an answer, and wrote none")
    if len(reply.drafts) > task.settings.sentences:
        notes.append(
            f"the model wrote {len(reply.drafts)} sentences, of which the first {task.settings.sentences} stand"
        )
    return notes


def _advice(task: WritingTask, error: ReplyUnusable) -> str:
    """Return the error with advice for a model that twice gave a reply that cannot be parsed."""
    if task.form == "schema":
        return f"{error}, twice; if the server cannot restrict replies to a schema, set rag.model.structured to markers"
    return f"{error}, twice: try method vanilla, or another model"
