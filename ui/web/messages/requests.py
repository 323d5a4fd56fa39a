"""The requests that programs send: bodies of JSON, and the queries of an address."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from configs import exports, known_name
from indexing import COLLECTION_NAME, Mode
from rag import MethodName
from vouch.hooks import OptionValue

MOST_SHOWN = 200
"""The most things of a list that are told at a time."""
MOST_CHARS = 400_000
"""The most characters of a text to be checked, and of entries to be audited."""


def _whole(value: object) -> object:
    """Return 3 for 3.0, which is the same number in JSON."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


_Whole = Annotated[int, BeforeValidator(_whole)]


class ApiRequest(BaseModel):
    """A body that programs send: an unknown key, or a value of another type, is refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class _Asked(BaseModel):
    """A query of an address, which is text."""

    model_config = ConfigDict(extra="forbid")


_Where = Annotated[
    str | None,
    Field(min_length=1, max_length=2000, description="a filter that documents must match, such as kind=pdf"),
]
_Documents = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=1000)]],
    Field(max_length=100, description="only these documents, by name or id; all when empty"),
]


class ListingQuery(_Asked):
    """The part of a list that is asked for."""

    limit: int = Field(50, ge=1, le=MOST_SHOWN, description="the most items to return")
    cursor: str | None = Field(None, max_length=500, description="the `next_cursor` of the previous answer")


class DocumentsQuery(ListingQuery):
    """The documents that are asked for."""

    where: _Where = None


class ImageQuery(_Asked):
    """The size of an image of a page."""

    width: int = Field(
        1280, ge=1, le=3840, description="the width in pixels, rounded up to 160, 640, 960, 1280, 1920, 2560 or 3840"
    )


class UploadQuery(_Asked):
    """The name of a file that comes as the body itself."""

    name: str | None = Field(None, min_length=1, max_length=255, description="the name of the document")


class NewCollection(ApiRequest):
    """A collection to be made, empty."""

    name: str = Field(pattern=f"^{COLLECTION_NAME}$", description="letters, digits, dots, dashes and underscores")


class SearchBody(ApiRequest):
    """A question to be searched for."""

    question: str = Field(
        min_length=1,
        max_length=10_000,
        description="the question; the server's profile may take less (max_question_chars)",
        examples=["How many departures were cancelled?"],
    )
    documents: _Documents = []
    where: _Where = None
    mode: Mode | None = Field(None, description="the search mode; null for the server's choice")
    queries: _Whole | None = Field(None, ge=1, le=20, description="the most queries to make from the question")
    top_k: _Whole | None = Field(None, ge=1, le=100, description="the most passages to look at")


class AskBody(SearchBody):
    """A question to be answered."""

    method: MethodName | None = Field(
        None, description="quote: the documents, word for word; vanilla, cot, visa: a model; null: the server's choice"
    )
    extract: bool | None = Field(
        None,
        description="true: a model first takes notes without seeing the question, and answers from them (vanilla, cot)",
    )
    model: str | None = Field(
        None, min_length=1, max_length=200, description="the name of a model in the profile; null for the first"
    )
    method_options: dict[str, OptionValue] = Field({}, description="values of options that the method itself has")


class CheckBody(ApiRequest):
    """A text that somebody else wrote, to be held against a collection."""

    text: str = Field(
        min_length=1,
        max_length=MOST_CHARS,
        description="the text, plain or Markdown",
        examples=["1,236 departures were cancelled."],
    )
    question: str = Field("", max_length=10_000, description="the question that the text answers, if any")
    documents: _Documents = []
    where: _Where = None


class PaperFile(ApiRequest):
    """A file in a body of JSON."""

    name: str = Field(min_length=1, max_length=255, description="the name of the file, such as paper.pdf")
    base64: str = Field(min_length=1, description="the bytes of the file in base64; at most max_call_mb")


class AuditBody(ApiRequest):
    """References to be audited: a paper or a bibliography as a file, or entries as text."""

    file: PaperFile | None = Field(None, description="a paper or a bibliography; null if entries are given")
    entries: str = Field(
        "",
        max_length=MOST_CHARS,
        description="entries as BibTeX or one per line; empty if a file is given",
        examples=["@book{falk, author={B. Falk}, title={Cider in barrels}, year={2001}}"],
    )
    collection: str | None = Field(
        None, min_length=1, max_length=64, description="a collection whose documents are searched, too"
    )


_FORMS = tuple(one.suffixes[0].removeprefix(".") for one in exports() if one.offered)
Form = Annotated[
    str, AfterValidator(lambda name: known_name(name, _FORMS)), WithJsonSchema({"type": "string", "enum": list(_FORMS)})
]
"""The form of an export, by the suffix of its files."""
