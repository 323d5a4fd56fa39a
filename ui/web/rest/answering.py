"""Answering: a question is answered or searched for, a text is checked, references are audited, an answer exported."""

from __future__ import annotations

import logging
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Generator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import anyio
import anyio.to_thread
from sqlalchemy.exc import SQLAlchemyError
from starlette.responses import Response

from rag import Question
from ui.errors import ApiRefusal, KeptUnreadable
from ui.show import verdict_numbers
from ui.state import MOST_ALL_ANSWERS, MOST_ANSWERS, AnswerForm, GivenAnswerStore, anchors_of, read_form
from ui.web.api import SentFile, audit_of, written_statements
from ui.web.ask import FORMS, AskRequest, Turn
from ui.web.hangups import last_answer, waiting_caller
from ui.web.messages import (
    AnswerRecord,
    AskBody,
    AuditBody,
    AuditRecord,
    CheckBody,
    CheckRecord,
    RankingRecord,
    SearchBody,
    told_as,
)
from ui.web.rest.event_stream import AnswerStream
from ui.web.rest.route_table import ApiCall, Desk, Operation, told

if TYPE_CHECKING:
    from rag import Answer, Event, SearchOptions
    from ui.state import StateStore

_LOG = logging.getLogger(__name__)
_FORMS = {"md": "markdown", "bib": "bibtex"}
_STREAM = "text/event-stream"


@dataclass(frozen=True, slots=True)
class AskedAnswer:
    """An answer that can be exported: whose it is, its collection, and as its caller was told it."""

    who: str
    collection: str
    answer: Answer
    record: AnswerRecord


class KeptAnswers:
    """The latest answers of all callers, in memory and in the state. Every method may be called from any thread."""

    def __init__(self, state: StateStore | None) -> None:
        """Start with what the state has, if there is one; without it a restart forgets all."""
        self._store = GivenAnswerStore(state) if state is not None else None
        self._kept: OrderedDict[str, AskedAnswer] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, who: str, collection: str, answer: Answer, record: AnswerRecord) -> AnswerRecord:
        """Remember an answer; return it as it is told, with its id."""
        known_as = secrets.token_hex(16)
        record = record.model_copy(update={"id": known_as})
        if self._store is not None:
            form = AnswerForm(collection, Question(answer.question, mode=answer.mode), answer, ())
            try:
                self._store.keep(who, known_as, record.model_dump_json(), form, datetime.now(UTC))
            except (KeptUnreadable, SQLAlchemyError) as error:
                _LOG.warning("an answer will not outlive the server: %s", type(error).__name__)
        with self._lock:
            self._kept[known_as] = AskedAnswer(who, collection, answer, record)
            mine = [one for one, kept in self._kept.items() if kept.who == who]
            for old in mine[:-MOST_ANSWERS]:
                del self._kept[old]
            while len(self._kept) > MOST_ALL_ANSWERS:
                self._kept.popitem(last=False)
        return record

    def one(self, who: str, known_as: str) -> AskedAnswer:
        """Return an answer. Raises ApiRefusal, 404: also for somebody else's."""
        with self._lock:
            kept = self._kept.get(known_as)
        kept = kept or self._earlier(who, known_as)
        if kept is None or kept.who != who:
            why = f"you have no such answer: only the latest {MOST_ANSWERS} are kept"
            raise ApiRefusal(404, "no-such-answer", why, "ask again")
        return kept

    def _earlier(self, who: str, known_as: str) -> AskedAnswer | None:
        """Return an answer of the caller that an earlier server, or another one of the same state, has given."""
        given = self._store.one(who, known_as) if self._store is not None else None
        if given is None:
            return None
        record = AnswerRecord.model_validate_json(given.record)
        return AskedAnswer(who, given.collection, read_form(given.form).answer, record)


async def ask(desk: Desk, call: ApiCall) -> Response:
    """Answer a question, as JSON or as events."""
    body, name = call.sent(AskBody), call.parts["collection"]
    options: Any = {"method": body.method, "extract": body.extract, "model": body.model}
    turn = Turn(AskRequest.of(name, body.question, **_options(body), **options))
    metrics = desk.asking.open_collections.metrics
    events = metrics.watched("api_ask", desk.asking.events(turn))
    finish = partial(_kept, desk, call.who, name)
    if _STREAM in call.request.headers.get("accept", ""):
        if "idempotency-key" in call.request.headers:
            why = "an answer sent as events cannot be repeated: Idempotency-Key is for JSON only"
            raise ApiRefusal(400, "unfit-key", why, "leave it out, or ask for application/json")
        return AnswerStream(events, turn.stop, finish, desk.threads.of("ask"))
    async with waiting_caller(call.request.receive, turn.stop):
        made = partial(_answered, events, finish)
        return await anyio.to_thread.run_sync(made, limiter=desk.threads.of("ask"))


def _answered(events: Generator[Event], finish: Callable[[Answer], AnswerRecord]) -> Response:
    return told(finish(last_answer(events)))


def _kept(desk: Desk, who: str, name: str, answer: Answer) -> AnswerRecord:
    """Remember an answer, and return it as it is told."""
    record = told_as(AnswerRecord, {"collection": name, **_with_anchors(desk, name, answer)})
    return desk.answers.keep(who, name, answer, record)


def _with_anchors(desk: Desk, name: str, answer: Answer) -> dict[str, Any]:
    """Return an answer as plain values, each citation with its anchor."""
    said = answer.to_json()
    with desk.asking.open_collections.opened(name) as (collection, _):
        anchors = dict(zip(answer.citations, anchors_of(answer, collection), strict=True))
    for sentence, its in zip(answer.sentences, said["sentences"], strict=True):
        for citation, told_of in zip(sentence.citations, its["citations"], strict=True):
            told_of["anchor"] = anchors[citation] or None  # its document was removed meanwhile
    return said


def _options(body: SearchBody | CheckBody) -> SearchOptions:
    """Return the options of a search."""
    options: SearchOptions = {"documents": tuple(body.documents), "where": body.where}
    if isinstance(body, SearchBody):
        options |= {"mode": body.mode, "queries": body.queries, "top_k": body.top_k}
    return options


def search(desk: Desk, call: ApiCall) -> Response:
    """Find passages."""
    body, name = call.sent(SearchBody), call.parts["collection"]
    with desk.asking.open_collections.warmed(name, "search", question=body.question) as (_, pipeline):
        planned, found = pipeline.retrieve(body.question, **_options(body))
    facts = {"collection": name, "question": body.question, "mode": found.mode, "queries": planned.to_json()}
    ranked = {"evidence": [e.to_json() for e in found.evidence], "pages": [asdict(p) for p in found.pages]}
    return told(told_as(RankingRecord, {**facts, **ranked, "notes": list(found.notes)}))


async def check(desk: Desk, call: ApiCall) -> Response:
    """Check a text."""
    async with waiting_caller(call.request.receive):
        return await anyio.to_thread.run_sync(partial(_checked, desk, call), limiter=desk.threads.of("slow"))


def _checked(desk: Desk, call: ApiCall) -> Response:
    body, name = call.sent(CheckBody), call.parts["collection"]
    with desk.asking.open_collections.warmed(name, "check", question=body.question) as (_, pipeline):
        events = pipeline.stream_check(written_statements(body.text), body.question, **_options(body))
        answer = last_answer(desk.asking.open_collections.metrics.watched("api_check", events))
    said = {"collection": name, **_with_anchors(desk, name, answer), "counts": verdict_numbers(answer)}
    return told(desk.answers.keep(call.who, name, answer, told_as(CheckRecord, said)))


def audit(desk: Desk, call: ApiCall) -> Response:
    """Audit references."""
    body = call.sent(AuditBody)
    if (body.file is None) == (not body.entries.strip()):
        then = "give either a file or entries"
        raise ApiRefusal(422, "unfit-request", "give a file or entries, not both or neither", then)
    with ExitStack() as held:
        if body.collection is not None:
            call.require("reader", body.collection)
            held.enter_context(desk.asking.open_collections.opened(body.collection))
        file = SentFile(name=body.file.name, base64=body.file.base64) if body.file is not None else None
        audited = audit_of(desk.asking.open_collections, desk.uploads)
        return told(told_as(AuditRecord, audited(file, body.entries, body.collection or "")))


def answer(desk: Desk, call: ApiCall) -> Response:
    """Tell an answer again."""
    kept = _mine(desk, call)
    desk.asking.open_collections.audit.note("open", kept.collection, f"answer {kept.record.id}")
    return told(kept.record)


def export(desk: Desk, call: ApiCall) -> Response:
    """Export an answer."""
    kept, form = _mine(desk, call), call.parts["form"]
    made = desk.asking.exported(kept.collection, kept.answer, _FORMS.get(form, form))
    assert made is not None  # noqa: S101 - the forms are those that there are
    name, content, media = made
    disposition = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    return Response(content, media_type=media, headers={"content-disposition": disposition})


def _mine(desk: Desk, call: ApiCall) -> AskedAnswer:
    """Return the answer of a call, if its caller may read its collection still."""
    kept = desk.answers.one(call.who, call.parts["answer"])
    call.require("reader", kept.collection)
    return kept


_FILES = (*dict.fromkeys(media for _, media in FORMS.values()), "application/zip")
OPERATIONS = (
    Operation(
        "ask", "POST", "/collections/{collection}/ask", "reader", ask,
        "Answer a question, as JSON or, if the client accepts them, as server-sent events, one for each step and each "
        "sentence. Closing the connection cancels the work.",
        AnswerRecord, takes=AskBody, media=(_STREAM,), repeatable=True, slow=True, refusals=(404, 409, 502),
        deed="ask",
    ),
    Operation(
        "search", "POST", "/collections/{collection}/search", "reader", search,
        "Find passages, tables and figures without answering.", RankingRecord, takes=SearchBody, slow=True,
        refusals=(404, 409, 502), deed="search",
    ),
    Operation(
        "check", "POST", "/collections/{collection}/check", "reader", check,
        "Check a text against a collection. Closing the connection cancels the work.", CheckRecord, takes=CheckBody,
        slow=True, repeatable=True, refusals=(404, 502), deed="check",
    ),
    Operation(
        "audit", "POST", "/audit", "reader", audit,
        "Check that the references of a paper exist and are what they say they are.", AuditRecord,
        takes=AuditBody, slow=True, refusals=(404,), deed="audit",
    ),
    Operation(
        "get_answer", "GET", "/answers/{answer}", "reader", answer,
        f"Return an answer or a check again, to whoever asked; the latest {MOST_ANSWERS} are kept, for a month.",
        AnswerRecord,
        cached=True, refusals=(404,),
    ),
    Operation(
        "export_answer", "GET", "/answers/{answer}/export/{form}", "reader", export,
        "Export an answer or a check; several files come as a ZIP.", None, media=_FILES, refusals=(404, 409, 423),
        deed="export",
    ),
)  # fmt: skip
"""The operations that answer."""
