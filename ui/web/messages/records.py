"""The base of the records in responses, and the problem that a failed request returns."""

from __future__ import annotations

import json
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field

Box = Annotated[
    list[float], Field(min_length=4, max_length=4, description="left, top, right, bottom in fractions of the page")
]


class ApiRecord(BaseModel):
    """A part of a response; a later version may have more fields."""

    model_config = ConfigDict(extra="allow")


class ListPart(ApiRecord):
    """A part of a list."""

    next_cursor: str | None = Field(description="the cursor of the next part; null at the end")


_Record = TypeVar("_Record", bound=BaseModel)


def record_of(model: type[_Record], value: object) -> _Record:
    """Return plain values as a record; a lone surrogate becomes a question mark."""
    return model.model_validate_json(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


class FaultRecord(ApiRecord):
    """A fault of a request."""

    at: str = Field(description="the place of the fault: a key, a parameter")
    says: str = Field(description="the fault, in words")


class ProblemRecord(ApiRecord):
    """A problem, as RFC 9457 has it, with the next step."""

    type: str = Field(description="the kind of the problem, as a URN")
    title: str = Field(description="the kind of the problem, in words")
    status: int = Field(description="the status of the answer")
    detail: str = Field(description="the reason")
    next: str = Field(description="the next step")
    errors: list[FaultRecord] = Field([], description="the single faults of the request, each with its place")


class StartRecord(ApiRecord):
    """The start of the API."""

    version: str | None = Field(description="the version of Vouch; null for who has not logged in")
    description: str = Field(description="the address of the description, OpenAPI 3.1")
    collections: str
    jobs: str
