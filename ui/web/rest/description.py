"""The description of the API in OpenAPI 3.1, made of the route table and of the models that serve."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from ui.web.messages import STREAMED, ProblemRecord
from ui.web.rest.repeats import KEPT_SECONDS, MOST_KEYS
from ui.web.rest.route_table import PARTS, Operation
from ui.web.server import PROBLEM, REST
from ui.web.uploads import FILES, PASSWORD

if TYPE_CHECKING:
    from ui.settings import UiSettings

Schema = dict[str, Any]
_REFS = "#/components/schemas/{model}"
_EVERY = (400, 401, 403)
_OF_POSTS = (408, 413, 429, 503)
_SAYS = """\
Questions about documents, answered with every sentence cited and boxed on the page that proves it.

Refusals are problem+json (RFC 9457), with the next step in `next`. Answers to GET have an ETag: send it as
If-None-Match, and 304 says that nothing changed. Lists come in parts: `next_cursor` leads to what follows. A POST that
makes something takes an Idempotency-Key: the same request with the same key is done once, and its answer is given
again, for {minutes:.0f} minutes, the latest {keys} keys of a caller. Whatever is not known is refused: a key, a
parameter, a field of a form.

Limits of this server: a body of JSON has 1,000,000 bytes, that of an audit {call} MB more (max_call_mb); a file
{file} MB (max_file_mb); a caller's files that wait {files} (max_files) and {waiting} MB (max_waiting_mb), everybody's
{all_files} and {all_waiting} MB; a document {pages} pages (max_pages); a caller has {asks} questions, searches, checks
and audits at a time (max_asks), all callers {all_asks}.
"""
_VERSION = "1"
"""The version of the API, as in its address; strangers may read it, and are not told the version of Vouch."""


def described(operations: Sequence[Operation], limits: UiSettings) -> Schema:
    """Return the description as plain values."""
    references, schemas = _schemas(operations)
    paths: dict[str, Schema] = {}
    for operation in operations:
        paths.setdefault(f"{REST}{operation.path}", {})[operation.method.lower()] = _described(operation, references)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Vouch", "version": _VERSION, "description": _limits(limits)},
        "paths": paths,
        "components": {"schemas": schemas},
    }


def _limits(limits: UiSettings) -> str:
    return _SAYS.format(
        minutes=KEPT_SECONDS / 60,
        keys=MOST_KEYS,
        call=limits.max_call_mb,
        file=limits.max_file_mb,
        files=limits.max_files,
        waiting=limits.max_waiting_mb,
        all_files=limits.max_all_files,
        all_waiting=limits.max_all_waiting_mb,
        pages=limits.max_pages,
        asks=limits.max_asks,
        all_asks=limits.max_all_asks,
    )


Models = dict[tuple[type[BaseModel], JsonSchemaMode], Schema]


def _schemas(operations: Iterable[Operation]) -> tuple[Models, Schema]:
    """Return the reference to the schema of each model, and the schemas by their names."""
    wanted: dict[tuple[type[BaseModel], JsonSchemaMode], None] = {(ProblemRecord, "serialization"): None}
    for operation in operations:
        if operation.takes:
            wanted[operation.takes, "validation"] = None
        if operation.gives:
            wanted[operation.gives, "serialization"] = None
    wanted |= {(model, "serialization"): None for model in STREAMED.values()}
    references, found = models_json_schema(list(wanted), ref_template=_REFS)
    return {one: references[one] for one in wanted}, dict(found["$defs"])


def _described(operation: Operation, references: Models) -> Schema:
    said: Schema = {
        "operationId": operation.name,
        "tags": [operation.tag],
        "summary": operation.says.partition(". ")[0].partition(": ")[0].rstrip("."),
        "description": operation.says + (f" Least role: {operation.least}." if operation.least else ""),
        "parameters": [*_of_path(operation), *_of_query(operation.query), *_of_headers(operation)],
        "responses": _responses(operation, references),
    }
    if operation.takes:
        content = {"application/json": {"schema": references[operation.takes, "validation"]}}
        said["requestBody"] = {"required": True, "content": content}
    if operation.uploads:
        said["requestBody"] = {"required": True, "content": _FILES_SENT}
    if operation.least:
        said["x-least-role"] = operation.least
    return said


_FILES_SENT: Schema = {
    "multipart/form-data": {
        "schema": {
            "type": "object",
            "properties": {
                FILES: {
                    "type": "array",
                    "items": {"type": "string", "contentMediaType": "application/octet-stream"},
                    "minItems": 1,
                    "description": "the files, each with its name",
                },
                PASSWORD: {"type": "string", "maxLength": 1024, "description": "the password of locked files"},
            },
            "required": [FILES],
            "additionalProperties": False,
        }
    },
    "application/octet-stream": {
        "schema": {"type": "string", "contentMediaType": "application/octet-stream"},
    },
}


def _of_path(operation: Operation) -> Iterable[Schema]:
    for name in operation.names:
        schema = TypeAdapter(PARTS[name]).json_schema()
        about = schema.pop("description", "")
        yield {"name": name, "in": "path", "required": True, "description": about, "schema": schema}


def _of_query(query: type[BaseModel] | None) -> Iterable[Schema]:
    if query is None:
        return
    whole = query.model_json_schema()
    for name, found in whole["properties"].items():
        schema = dict(found)
        about = schema.pop("description", "")
        choices = [one for one in schema.pop("anyOf", []) if one.get("type") != "null"]
        if choices:  # a parameter that is left out is no null
            schema.update(choices[0])
            schema.pop("default", None)
        required = name in whole.get("required", ())
        yield {"name": name, "in": "query", "required": required, "description": about, "schema": schema}


def _of_headers(operation: Operation) -> Iterable[Schema]:
    text = {"type": "string"}
    if operation.cached:
        about = "the ETag of an earlier answer"
        yield {"name": "If-None-Match", "in": "header", "required": False, "description": about, "schema": text}
    if operation.repeatable:
        about = "a random key that identifies a repeated request; not with text/event-stream"
        schema = {"type": "string", "minLength": 1, "maxLength": 128, "pattern": "^[!-~]+$"}
        yield {"name": "Idempotency-Key", "in": "header", "required": False, "description": about, "schema": schema}


def _responses(operation: Operation, references: Models) -> Schema:
    problem = {PROBLEM: {"schema": references[ProblemRecord, "serialization"]}}
    found: Schema = {str(operation.status): _success(operation, references)}
    if operation.cached:
        found["304"] = {"description": "Not modified."}
    refusals = set(_EVERY) | set(operation.refusals)
    if operation.method == "POST":
        refusals |= set(_OF_POSTS)
    if operation.takes or operation.uploads:
        refusals |= {415, 422}
    if operation.names:
        refusals |= {404}
    for status in sorted(refusals):
        found[str(status)] = {"description": f"{HTTPStatus(status).phrase}.", "content": problem}
    found["default"] = {"description": "Any other error.", "content": problem}
    return found


def _success(operation: Operation, references: Models) -> Schema:
    content: Schema = {}
    if operation.gives:
        content["application/json"] = {"schema": references[operation.gives, "serialization"]}
    for media in operation.media:
        content[media] = {"schema": {"type": "string"}}
    if operation.name == "describe":
        content["application/json"] = {"schema": {"type": "object"}}
    said: Schema = {"description": operation.says.partition(". ")[0].rstrip(".") + "."}
    if content:
        said["content"] = content
    if "text/event-stream" in content:
        named = {name: references[model, "serialization"] for name, model in STREAMED.items()}
        content["text/event-stream"] |= {"x-events": named}
    headers = {"ETag"} if operation.cached else set()
    headers |= {"Location"} if operation.status in (201, 202) else set()
    if headers:
        said["headers"] = {name: {"schema": {"type": "string"}} for name in sorted(headers)}
    return said
