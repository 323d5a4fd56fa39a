"""The operation `check` of the HTTP API, which is also a tool of `vouch serve --mcp`."""

from __future__ import annotations

from pydantic import Field

from plugins.audit.manuscripts import written_statements
from ui.show import verdict_numbers
from ui.web.api import ApiCall, CollectionName, CurrentCall, OperationRouter, Rules, last_answer, stored_record
from ui.web.messages import CheckBody, CheckRecord

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
