"""Ask a model to write down what an element says, and format its reply as lines (MAVIS, 3.1).

There are two kinds of call: with the image of a figure, or of a table that code cannot read, and with the text of a
passage. Neither contains a question, and all lists and strings of a reply have limits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from indexing import Element
from rag.knowledge.tables import facts_of_table, has_sure_head
from rag.llm import ChatModel, Form, Message, around, complete_as, fenced, load_prompt, visible
from rag.usage import NO_USAGE, Usage

if TYPE_CHECKING:
    from PIL import Image

Way = Literal["tell", "look", "read"]
"""The ways to knowledge: code reads a table, the model looks at a picture, or reads a text."""
_LOOK_RULES, _LOOK = load_prompt("extract"), load_prompt("extract_picture", "around", "words")
_READ_RULES, _READ = load_prompt("extract_text"), load_prompt("extract_passage", "around", "passage")
VERSIONS: dict[Way, str] = {
    "look": f"{_LOOK_RULES.version}-{_LOOK.version}",
    "read": f"{_READ_RULES.version}-{_READ.version}",
}
"""The versions of the prompts, under which what a model said is kept."""
_MAX_TOKENS = 1200
_WORDS = 4000
"""The most characters of recognised words that go with a picture."""
_CHARS_A_FACT, _MOST_FACTS = 40, 40
"""A passage has a fact in so many characters at most, and so many at most: small models fill lists without end."""


class _Fact(Form):
    series: str = Field(max_length=80)
    at: str = Field(max_length=80)
    value: str = Field(max_length=60)


class _Picture(Form):
    kind: Literal["chart", "table", "diagram", "map", "photograph", "other"]
    shows: str = Field(max_length=400)
    axes: str = Field(max_length=200)
    facts: list[_Fact] = Field(max_length=60)
    seen: list[Annotated[str, Field(max_length=240)]] = Field(max_length=20)


class _Passage(Form):
    facts: list[Annotated[str, Field(max_length=300)]] = Field(min_length=1, max_length=_MOST_FACTS)


def needs_model(element: Element) -> bool:
    """Return True for a figure, and for a table that code cannot surely tell: one without a sure head, or off pixels.

    True as well for what has no text at all, whatever it is.
    """
    return element.kind == "picture" or not element.text.strip() or (element.kind == "table" and not _sure(element))


def way_of(element: Element, inside: frozenset[str], sees: bool) -> Way | None:
    """Return the way to an element's knowledge; `inside` are the kinds of its parts. None: only a model that sees can.

    A model that `sees` looks at figures and at unsure tables, and at groups that have either of a figure and a table.
    One that does not reads what there is of text, pictures apart, of which text tells too little.
    """
    if element.kind == "table" and _sure(element):
        return "tell"
    looks = needs_model(element) or not inside.isdisjoint(("picture", "table"))
    if looks and sees:
        return "look"
    return None if element.kind == "picture" or not element.text.strip() else "read"


def look_at(model: ChatModel, element: Element, picture: Image.Image) -> tuple[str, Usage]:
    """Ask the model what a picture shows; return a line for each fact. Raises ModelError."""
    words = facts_of_table(element) if element.kind == "table" else element.text
    prompt = _LOOK.filled(around=around(element), words=fenced(words[:_WORDS]) or "none")
    messages = (Message("system", (_LOOK_RULES.filled(),)), Message("user", (picture, prompt)))
    reply, usage = complete_as(model, messages, _Picture, _MAX_TOKENS)
    return _format_picture(reply), usage


def extract_facts(model: ChatModel, element: Element, picture: Image.Image | None) -> tuple[str, Usage]:
    """Ask the model for the facts in a text; return a line for each. `picture` is the image that OCR read it from.

    The model is not asked about a text without visible characters. Raises ModelError.
    """
    lines = fenced(facts_of_table(element) if element.kind == "table" else element.text)
    if not lines:
        return "", NO_USAGE
    prompt = _READ.filled(around=around(element), passage=lines)
    parts = (prompt,) if picture is None else (picture, prompt)
    messages = (Message("system", (_READ_RULES.filled(),)), Message("user", parts))
    most = {"facts": min(_MOST_FACTS, 2 + len(lines) // _CHARS_A_FACT)}
    reply, usage = complete_as(model, messages, _Passage, _MAX_TOKENS, most=most)
    return "\n".join(f"- {fact}" for fact in dict.fromkeys(map(visible, reply.facts)) if fact), usage


def _sure(element: Element) -> bool:
    return element.source == "layer" and has_sure_head(element)


def _format_picture(picture: _Picture) -> str:
    """Return the model's reply about a picture as lines of text; empty if it gives only the kind of picture."""
    lines = [f"{picture.kind}: {shows}"] if (shows := visible(picture.shows)) else []
    if axes := visible(picture.axes):
        lines.append(f"axes: {axes}")
    facts = dict.fromkeys((visible(f.series), visible(f.at), visible(f.value)) for f in picture.facts)
    lines += [f"{', '.join(p for p in (series, at) if p)}: {value}" for series, at, value in facts if value]
    lines += [f"- {text}" for text in dict.fromkeys(map(visible, picture.seen)) if text]
    return "\n".join(lines)
