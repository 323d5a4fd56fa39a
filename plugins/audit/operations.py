"""The operations `check` and `audit` of the HTTP API, which are also tools of `vouch serve --mcp`."""

from __future__ import annotations

from contextlib import ExitStack

from pydantic import Field

from indexing import IndexingError
from plugins.audit.auditing import Audited, audit_paper, pasted_name
from plugins.audit.export import status_counts
from plugins.audit.manuscripts import written_statements
from rag import RagError
from ui import ApiRefusal, BadRequest, UploadError
from ui.show import public_words, verdict_numbers
from ui.web.api import (
    ApiCall,
    CollectionName,
    CurrentCall,
    OperationRouter,
    Rules,
    decode_files,
    last_answer,
    stored_record,
)
from ui.web.messages import AuditBody, AuditRecord, CheckBody, CheckRecord, record_of

router = OperationRouter()


@router.operation(
    "POST",
    "/collections/{collection}/check",
    Rules("reader", deed="check", slow=True, refusals=(502,)),
    name="check",
)
def check_text(call: CurrentCall, collection: CollectionName, body: CheckBody) -> CheckRecord:
    """Check a text against a collection. Closing the connection cancels the work."""
    open_collections = call.server.asking.open_collections
    with open_collections.open_warm(collection, "check", question=body.question) as (_, pipeline):
        statements = written_statements(body.text)
        events = pipeline.stream_check(statements, body.question, documents=tuple(body.documents), where=body.where)
        answer = last_answer(open_collections.metrics.observe_answer("api_check", events))
    return stored_record(call, CheckRecord, collection, answer, counts=verdict_numbers(answer))


class CheckArguments(CheckBody):
    """A text, and the collection that it is checked against."""

    collection: str = Field("default", description="the name of the collection to check it against")


def check(call: ApiCall, body: CheckArguments) -> CheckRecord:
    """Check a text that somebody else wrote, such as a report or a model's answer, against a collection.

    Every statement gets a verdict: confirmed, unconfirmed (nothing was found that proves it), contradicted (a place
    says otherwise), or remark (it claims nothing); the reason in words; and citations: document, page, boxes in
    fractions of the displayed page, the quoted words, and the `role`, as only a place that proves is a proof. `counts`
    says how many statements have each verdict, `sources` whether each one that a statement cites says it.
    """
    return check_text(call, body.collection, body)


@router.operation("POST", "/audit", Rules("reader", deed="audit", slow=True, refusals=(404,)), name="audit")
def audit_references(call: CurrentCall, body: AuditBody) -> AuditRecord:
    """Check that the references of a paper exist and are what they say they are."""
    if (body.file is None) == (not body.entries.strip()):
        then = "give either a file or entries"
        raise ApiRefusal(422, "unfit-request", "give a file or entries, not both or neither", then)
    uploads, open_collections = call.server.uploads, call.server.asking.open_collections
    if body.file is not None:
        ((name, content),) = decode_files([body.file], uploads.settings.max_call_mb)
    else:
        name, content = pasted_name(body.entries), body.entries.encode(errors="replace")
    with ExitStack() as stack:
        if body.collection is None:
            open_collections.ask_of_none("audit")
            collection = None
        else:
            call.require("reader", body.collection, "audit")
            collection = stack.enter_context(open_collections.open_collection(body.collection, "audit"))[0]
        try:
            name, path = uploads.take_bytes(name, content)
            stack.callback(uploads.folder.release, path)
            events = audit_paper(
                path, open_collections.profile, name=name, collection=collection, home=open_collections.home
            )
            (result,) = [event.audit for event in events if isinstance(event, Audited)]
        except (IndexingError, RagError, UploadError, OSError) as error:
            raise BadRequest(public_words(error)) from None
    return record_of(AuditRecord, result.to_json() | {"counts": status_counts(result)})


def audit(call: ApiCall, body: AuditBody) -> AuditRecord:
    """Audit the references of a paper: does each exist, and is it what it says it is?

    Every entry has a status (real; errors: the work exists and fields differ; questionable: one sign speaks against it;
    invented: two do; unknown: no source covers it, which does not mean that it is fake), the reason in words, the
    fields as the paper and as the record have them, what was searched, and its boxes in fractions of the page.
    """
    return audit_references(call, body)
