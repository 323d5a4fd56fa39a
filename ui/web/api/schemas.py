"""The JSON schemas of the answers that programs get: their keys, and in which units and which space figures are."""

from __future__ import annotations

from typing import Any, get_args

# TODO(47): moves into the plugin when the API is one set of operations
from plugins.audit.auditing import ReferenceStatus
from rag import Followed, Verdict

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
COUNT: Schema = {"type": "integer"}


def _said(schema: Schema, description: str) -> Schema:
    """Return a schema with a description."""
    return schema | {"description": description}


def _object(required: dict[str, Schema], optional: dict[str, Schema] | None = None) -> Schema:
    """Return the schema of an object; further keys are allowed, as later versions may add some."""
    return {"type": "object", "properties": required | (optional or {}), "required": list(required)}


def _nullable(schema: Schema) -> Schema:
    """Return a schema that takes null, too."""
    return {"anyOf": [schema, {"type": "null"}]}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


_SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
_BOX: Schema = {"type": "array", "items": {"type": "number"}, "minItems": 4, "maxItems": 4} | {
    "description": "left, top, right, bottom, in fractions of the displayed page"
}
_PLACE: dict[str, Schema] = {
    "document": _said(TEXT, "the document's name"),
    "page": _said(COUNT, "the page, from 1"),
    "bbox": _BOX,
    "kind": _said(TEXT, "text, heading, table, figure and so on"),
    "element_id": TEXT,
}
_CITATION = _object(
    _PLACE
    | {
        "boxes": _said(_list(_BOX), "the lines or cells that are cited of it"),
        "context": _said(_list(_BOX), "the cells that explain them: head of the column, label of the row"),
        "quote": _said(TEXT, "the text of the document"),
        "doc_id": TEXT,
        "label": TEXT,
        "role": {"type": "string", "enum": ["proves", "unconfirmed", "contradicts"]}
        | {"description": "unconfirmed: the model points there, or it is the nearest place that was found"},
        "against": _said({"type": "boolean"}, "true for a place that contradicts the sentence"),
        "place": _said(TEXT, "the place in a file without pages of its own, such as lines 3-7; empty for others"),
    }
)
_CONFLICT = _object({"said": TEXT, "found": TEXT, "source": TEXT}) | {
    "description": "what a contradicted sentence says, what the place says instead, and the kind of the place"
}
_CITED = _object(
    {
        "mark": TEXT,
        "outcome": {"type": "string", "enum": list(get_args(Followed))},
        "entry": TEXT,
        "document": TEXT,
        "verdict": _nullable({"type": "string", "enum": list(get_args(Verdict))}),
        "fails": _said({"type": "boolean"}, "true if the document is here and does not say it"),
        "elsewhere": _list(TEXT),
    }
)
_EVIDENCE = _object(_PLACE | {"label": TEXT, "score": {"type": "number"}, "text": TEXT})
_SENTENCE = _object(
    {
        "text": TEXT,
        "verdict": {"type": "string", "enum": list(get_args(Verdict))},
        "checked_by": _said({"type": "string", "enum": ["", "words", "judge"]}, "who confirmed it"),
        "reason": _said(TEXT, "the reason for the verdict"),
        "answers": {"type": ["number", "null"], "minimum": 0, "maximum": 1}
        | {"description": "the probability that the sentence answers the question; null if not measured"},
        "beside": _said(
            {"type": "boolean"}, "true for a passage that is shown beside the answer and is not part of it"
        ),
        "short": {"type": ["string", "null"]}
        | {"description": "the number, date or value in the text that was clearly asked for"},
        "conflict": _nullable(_CONFLICT),
        "certainty": {"type": ["number", "null"], "minimum": 0, "maximum": 1}
        | {"description": "the probability of the verdict; null if not measured"},
        "sources": _said(_list(_CITED), "what was found about the sources that the sentence itself names"),
        "differs": _said(TEXT, "the words on the page, if they differ from the cited ones; otherwise empty"),
        "citations": _list(_CITATION),
    }
)
_ANSWER = _object(
    {
        "question": TEXT,
        "mode": TEXT,
        "method": TEXT,
        "model": _said(TEXT, "the name of the model that wrote it; empty for a quote"),
        "abstained": _said({"type": "boolean"}, "true if the documents do not seem to say"),
        "confidence": _SHARE,
        "proven_where_led": {"type": ["number", "null"], "minimum": 0, "maximum": 1}
        | {"description": "how many of its claims are proven in the places that the question finds; null for quotes"},
        "sentences": _list(_SENTENCE),
        "evidence": _said(_list(_EVIDENCE), "what was looked at, best first"),
        "notes": _list(TEXT),
    },
    {
        "nothing": _said(TEXT, "why nothing could be searched"),
        "missing": _said(TEXT, "what is not on the pages that the model was shown, in its words"),
    },
)
_RANKING = _object(
    {
        "question": TEXT,
        "mode": TEXT,
        "queries": _list(_object({"text": TEXT, "purpose": TEXT})),
        "evidence": _said(_list(_EVIDENCE), "best first"),
        "pages": _list({"type": "object"}),
        "notes": _list(TEXT),
    }
)
_FILE = _object(
    {
        "name": TEXT,
        "collection": TEXT,
        "state": _said(TEXT, "done or failed"),
        "pages": COUNT,
        "note": _said(TEXT, "why it failed, or other remarks"),
        "bytes": COUNT,
    }
)
_DOCUMENT = _object(
    {"id": TEXT, "name": TEXT, "title": TEXT, "n_pages": COUNT, "n_elements": COUNT}
    | {"brought_by": _said(TEXT, "the account that uploaded it; empty if none")}
)
_COLLECTION = _object(
    {
        "name": TEXT,
        "pages": COUNT,
        "elements": COUNT,
        "bytes": COUNT,
        "embedder": TEXT,
        "visual": TEXT,
        "trouble": _said(TEXT, "why it cannot be opened; empty if it can"),
        "documents": _list(_DOCUMENT),
    }
)
_FIELDS: Schema = {
    "type": "object",
    "description": "title, authors, venue, year, doi, arxiv, url, as far as they are given",
}
_COMPARED = _object(
    {
        "field": TEXT,
        "cited": _said(TEXT, "as the paper has it"),
        "found": _said(TEXT, "as the record has it"),
        "strict": _said({"type": "boolean"}, "the same characters"),
        "agrees": {"type": ["boolean", "null"], "description": "null if one of the two has no such field"},
        "note": TEXT,
    }
)
_AUDITED = _object(
    {
        "number": _said(COUNT, "the place in the bibliography, from 1"),
        "label": TEXT,
        "text": _said(TEXT, "the entry as printed"),
        "fields": _FIELDS,
        "places": _list(_object({"page": _said(COUNT, "the page, from 1"), "boxes": _list(_BOX)})),
        "status": {"type": "string", "enum": list(get_args(ReferenceStatus))},
        "reason": _said(TEXT, "why the status is so"),
        "record": {"type": ["object", "null"], "description": "the record that it was compared with"},
        "compared": _list(_COMPARED),
        "lookups": _said(_list({"type": "object"}), "the sources that were searched, what for, and the outcome"),
        "findings": _list(_object({"kind": TEXT, "text": TEXT})),
        "claims": _list({"type": "object"}),
    }
)
_COUNTS: Schema = {"type": "object", "additionalProperties": COUNT}
_AUDIT = _object(
    {
        "paper": TEXT,
        "references": _list(_AUDITED),
        "cited but missing": _said(_list(TEXT), "marks in the text that have no entry"),
        "notes": _list(TEXT),
        "seconds": {"type": "number"},
        "counts": _said(_COUNTS, "how many entries have each status"),
    }
)
_CHECKED = _ANSWER | {
    "properties": _ANSWER["properties"] | {"counts": _said(_COUNTS, "how many statements have each verdict")},
    "required": [*_ANSWER["required"], "counts"],
}
ANSWERS: dict[str, Schema] = {
    "ask": _ANSWER,
    "search": _RANKING,
    "check": _CHECKED,
    "audit": _AUDIT,
    "index": _object({"files": _list(_FILE)}),
    "collections": _object({"collections": _list(_COLLECTION)}),
}
"""The schema of each endpoint's answer, by its name; a list stands under a key of its own."""
