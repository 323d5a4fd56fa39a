"""Answering: a question is answered or searched for, an answer exported."""

from __future__ import annotations

import base64
import binascii
import logging
import secrets
from collections.abc import Generator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

import anyio
import anyio.to_thread
from sqlalchemy.exc import SQLAlchemyError
from starlette.responses import Response

from configs import exports
from rag import AnswerOptions, Question
from ui.errors import ApiRefusal, BadRequest, KeptUnreadable
from ui.state import MOST_ANSWERS, AnswerForm, anchors_of, read_form
from ui.web.api.routing import (
    STREAM,
    AnswerId,
    AnswerStream,
    ApiCall,
    CollectionName,
    CurrentCall,
    ExportForm,
    OperationRouter,
    Rules,
    interrupt_on_disconnect,
    last_answer,
)
from ui.web.ask import AskRequest, Turn
from ui.web.messages import (
    STREAMED,
    AnswerRecord,
    AskBody,
    PaperFile,
    RankingRecord,
    SearchBody,
    record_of,
)
from ui.web.uploads import MB

if TYPE_CHECKING:
    from rag import Answer, Event
    from ui.access import Deed
    from ui.state import GivenAnswer

_LOG = logging.getLogger(__name__)
_EVENTS = {name: {"$ref": f"#/components/schemas/{model.__name__}"} for name, model in STREAMED.items()}
R = TypeVar("R", bound=AnswerRecord)
router = OperationRouter()


@router.operation(
    "POST",
    "/collections/{collection}/ask",
    Rules("reader", deed="ask", refusals=(409, 502)),
    name="ask",
    gives=AnswerRecord,
    content={STREAM: {"schema": {"type": "string"}, "x-events": _EVENTS}},
)
async def ask_over_http(call: CurrentCall, collection: CollectionName, body: AskBody) -> Response | AnswerRecord:
    """Answer a question: as JSON or, if the client accepts them, as server-sent events, one for each step and each
    sentence. Closing the connection cancels the work.
    """
    turn, events = _begin_turn(call, collection, body)
    finish, limiter, receive = partial(_answer_record, call, collection), call.server.asks, call.request.receive
    if STREAM in call.request.headers.get("accept", ""):
        return await AnswerStream(events, turn.stop, finish, limiter).begin(receive)
    async with interrupt_on_disconnect(receive, turn.stop):
        return await anyio.to_thread.run_sync(lambda: finish(last_answer(events)), limiter=limiter)


def ask(call: ApiCall, collection: str, body: AskBody) -> AnswerRecord:
    """Answer a question."""
    return _answer_record(call, collection, last_answer(_begin_turn(call, collection, body)[1]))


def _begin_turn(call: ApiCall, collection: str, body: AskBody) -> tuple[Turn, Generator[Event]]:
    turn = Turn(AskRequest.of(collection, body.question, **_options(body)))
    asking = call.server.asking
    return turn, asking.open_collections.metrics.observe_answer("api_ask", asking.events(turn))


def _answer_record(call: ApiCall, collection: str, answer: Answer) -> AnswerRecord:
    return stored_record(call, AnswerRecord, collection, answer)


def stored_record(call: ApiCall, model: type[R], collection: str, answer: Answer, **more: object) -> R:
    """Store an answer for its caller, and return its record with its id; without id if it cannot be stored.

    `more` are the fields that the record has beside those of an answer.
    """
    record = record_of(model, {"collection": collection, **_with_anchors(call, collection, answer), **more})
    known_as = secrets.token_hex(16)
    with_id = record.model_copy(update={"id": known_as})
    form = AnswerForm(collection, Question(answer.question, mode=answer.mode), answer, ())
    try:
        call.server.answers.keep(call.who, known_as, with_id.model_dump_json(), form, datetime.now(UTC))
    except (KeptUnreadable, SQLAlchemyError) as error:
        _LOG.warning("an answer could not be stored, and cannot be exported: %s", type(error).__name__)
        return record
    return with_id


def _with_anchors(call: ApiCall, name: str, answer: Answer) -> dict[str, Any]:
    """Return an answer as plain values, each citation with its anchor, None if its document is gone."""
    values = answer.to_json()
    with call.server.asking.open_collections.open_collection(name) as (collection, _):
        anchors = dict(zip(answer.citations, anchors_of(answer, collection), strict=True))
    for sentence, sentence_values in zip(answer.sentences, values["sentences"], strict=True):
        for citation, citation_values in zip(sentence.citations, sentence_values["citations"], strict=True):
            citation_values["anchor"] = anchors[citation] or None
    return values


def _options(body: SearchBody) -> Any:
    """Return the fields of a body that are options of `Pipeline.stream` and `Pipeline.retrieve`, by name."""
    return body.model_dump(include=set(AnswerOptions.__annotations__))


@router.operation(
    "POST", "/collections/{collection}/search", Rules("reader", deed="search", slow=True, refusals=(409, 502))
)
def search(call: CurrentCall, collection: CollectionName, body: SearchBody) -> RankingRecord:
    """Find passages, tables and figures without answering."""
    with call.server.asking.open_collections.open_warm(collection, "search", question=body.question) as (_, pipeline):
        queries, results = pipeline.retrieve(body.question, **_options(body))
    facts = {"collection": collection, "question": body.question, "mode": results.mode, "queries": queries.to_json()}
    ranking = {"evidence": [e.to_json() for e in results.evidence], "pages": [asdict(p) for p in results.pages]}
    return record_of(RankingRecord, {**facts, **ranking, "notes": list(results.notes)})


def decode_files(files: Sequence[PaperFile], most_mb: int) -> list[tuple[str, bytes]]:
    """Return (name, bytes) of each file. Raises BadRequest for over `most_mb` megabytes together, or no base64."""
    if sum(len(file.base64) for file in files) * 3 // 4 > most_mb * MB:
        raise BadRequest(f"the files of one call may have {most_mb:,} MB in all (max_call_mb): send fewer at a time")
    contents = []
    for file in files:
        try:
            contents.append((file.name, base64.b64decode(file.base64, validate=True)))
        except (binascii.Error, ValueError):
            raise BadRequest(f"{file.name} is not base64: send the bytes of the file, not a path or address") from None
    return contents


@router.operation("GET", "/answers/{answer}", Rules("reader"))
def get_answer(call: CurrentCall, answer: AnswerId) -> AnswerRecord:
    """Return an answer or a check again, to whoever asked; the latest are kept, for a month."""
    stored_answer = _mine(call, answer)
    call.server.asking.open_collections.access.note("open", stored_answer.collection, f"answer {answer}")
    return AnswerRecord.model_validate_json(stored_answer.record)


_FILES = (*dict.fromkeys(one.media_type for one in exports()), "application/zip")


@router.operation(
    "GET",
    "/answers/{answer}/export/{form}",
    Rules("reader", deed="export", refusals=(409, 423)),
    content={media: {"schema": {"type": "string"}} for media in _FILES},
)
def export_answer(call: CurrentCall, answer: AnswerId, form: ExportForm) -> Response:
    """Export an answer or a check; several files come as a ZIP."""
    stored_answer = _mine(call, answer, "export")
    export = call.server.asking.export_answer(stored_answer.collection, read_form(stored_answer.form).answer, form)
    assert export is not None  # noqa: S101 - the forms are those that there are
    name, content, media = export
    disposition = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    return Response(content, media_type=media, headers={"content-disposition": disposition})


def _mine(call: ApiCall, answer: str, deed: Deed = "open") -> GivenAnswer:
    """Return the caller's answer, if they may still read its collection. Raises ApiRefusal, 404 or 403."""
    stored_answer = call.server.answers.one(call.who, answer)
    if stored_answer is None:
        why = f"you have no such answer: only the latest {MOST_ANSWERS} are kept"
        raise ApiRefusal(404, "no-such-answer", why, "ask again")
    call.require("reader", stored_answer.collection, deed)
    return stored_answer
