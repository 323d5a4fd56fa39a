"""Parse a model's reply, complete or partial, into drafted sentences with the labels that they cite.

There are two forms: JSON under a schema (`answerable`, `sentences` with `text` and `labels`), of which pydantic-core
parses partial text; and, for servers without schemas, one sentence a line with markers of exactly the form `[E3]` or
`[E1, E2]`. Labels that were not shown are dropped and counted. Nothing is repaired by guessing.
"""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from indexing.language import sentence_spans
from rag.errors import ReplyUnusable
from rag.llm import json_value, read_form, visible

NOTHING, ANSWER, MISSING = "NONE", "ANSWER:", "MISSING:"
"""The words of a reply in markers: all of a reply that finds no answer, the line's opening after its thinking, and that
of the line which says what is missing."""
_ONE = r"E\d{1,4}(?:\.r\d{1,4})?"
_MARKERS = re.compile(rf"(?<!\s)\s*+\[({_ONE}(?:\s*+,\s*+{_ONE})*+)\]")
_LABEL = re.compile(_ONE)
_ANSWER = re.compile(rf"^[ \t*#]*{ANSWER}[ \t*]*", re.MULTILINE)
_BULLET = re.compile(r"^[-*\u2022|] +")
"""The opening of an entry of a list, or of a line that was quoted with the sign that evidence is shown with."""
MOST_LOOKED_AT = 12
"""The most sheets that a model may ask to see next."""
SHEET = r"^[0-9]{1,3}:[0-9]{1,5}$"
"""A sheet that a model wants to see, after the number of its document."""
_ENDS = frozenset('.!?:;"”’)]')


@dataclass(frozen=True, slots=True)
class WrittenSentence:
    """A sentence as it was written, and the labels it names: each was shown."""

    text: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WrittenReply:
    """A parsed reply: its sentences, none if it says that the evidence does not answer.

    `unknown` counts labels that were cited but never shown, `repeated` sentences that repeat earlier ones and are left
    out, `unfinished` those that a limit cut off; `empty` is True where an answer was announced and none written;
    `cut_off` says why it has no end, if it has none. `missing` is what it says the pages do not show, `reading` how it
    took the question, `look` the sheets that it would see next: the number of a document among those listed, and of a
    page, both from 1.
    """

    drafts: tuple[WrittenSentence, ...]
    unknown: int = 0
    repeated: int = 0
    unfinished: int = 0
    empty: bool = False
    cut_off: str = ""
    missing: str = ""
    reading: str = ""
    look: tuple[tuple[int, int], ...] = ()


Read = Callable[[str, Set[str], bool], WrittenReply]
"""A function `read(text, shown, whole)` that parses a `whole` reply, or the complete sentences of its beginning.

`shown` are the labels that may be cited. It raises ReplyUnusable only for a whole reply.
"""


class _Sentence(BaseModel):
    model_config = ConfigDict(strict=True)

    text: str
    labels: list[str]


class _Reply(BaseModel):
    model_config = ConfigDict(strict=True)

    answerable: bool
    sentences: list[_Sentence]
    reading: str = ""
    missing: str = ""
    look: list[int | Annotated[str, StringConstraints(pattern=SHEET)]] = []


def read_json(text: str, known_labels: Set[str], whole: bool, longest: int = sys.maxsize) -> WrittenReply:
    """Parse a JSON reply, or the complete sentences of a partial one once it says that there is an answer.

    A text of `longest` characters reached the limit of the schema: its last sentence is left out if it is unfinished
    and not the only one.
    """
    if not whole:
        return _gather_sentences(_partial_sentences(text), known_labels, longest, one_each=True)
    reply = read_form(text, _Reply)
    result = _gather_sentences(
        ((s.text, s.labels) for s in reply.sentences if reply.answerable), known_labels, longest, one_each=True
    )
    return replace(
        result,
        empty=reply.answerable and not result.drafts,
        missing=visible(reply.missing),
        reading=visible(reply.reading),
        look=tuple(dict.fromkeys(map(_sheet, reply.look)))[:MOST_LOOKED_AT],
    )


def _sheet(name: int | str) -> tuple[int, int]:
    """Return the number of the document and the page of a sheet that a reply names: 14, or "2:14"."""
    document, _, page = str(name).rpartition(":")
    return int(document or 1), int(page)


def _partial_sentences(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield (text, labels) of the complete sentences in the beginning of a JSON reply that has an answer."""
    try:
        reply = json_value(text, partial=True)
    except ValueError:
        return
    if not isinstance(reply, dict) or reply.get("answerable") is not True:
        return
    sentences = reply.get("sentences")
    if not isinstance(sentences, list):
        return
    for value in sentences if _ends_complete(text) else sentences[:-1]:
        try:
            sentence = _Sentence.model_validate(value)
        except ValidationError:
            return
        yield sentence.text, sentence.labels


def _ends_complete(text: str) -> bool:
    """Return True if partial JSON ends with a complete sentence: at most two closing brackets are missing."""
    text = text.rstrip().removesuffix(",")
    if not text.endswith(("}", "]")):
        return False
    for missing in ("]}", "}", ""):
        with contextlib.suppress(ValueError):
            json_value(text + missing)
            return True
    return False


def read_lines(text: str, known_labels: Set[str], whole: bool) -> WrittenReply:
    """Parse a reply in markers; of a partial one, the lines that have ended. Raises ReplyUnusable if it is empty."""
    lines = text.splitlines(keepends=True)
    if not whole and lines and lines[-1] == lines[-1].rstrip("\r\n"):
        lines.pop()
    if whole and not any(line.strip() for line in lines):
        raise ReplyUnusable("the model's reply is empty")
    missing = next((visible(line.strip()[len(MISSING) :]) for line in lines if _is_missing(line)), "")
    answers = (line for line in lines if line.strip().rstrip(".").upper() != NOTHING and not _is_missing(line))
    return replace(_gather_sentences(((line, []) for line in answers), known_labels), missing=missing)


def _is_missing(line: str) -> bool:
    return line.strip().upper().startswith(MISSING)


def read_answer_lines(text: str, known_labels: Set[str], whole: bool) -> WrittenReply:
    """Parse a reply in markers; the text before ANSWER: is reasoning."""
    match = _ANSWER.search(text)
    if match:
        return read_lines(text[match.end() :], known_labels, whole)
    if whole:
        raise ReplyUnusable(f"the model's reply has no line that begins with {ANSWER}")
    return WrittenReply(())


def _gather_sentences(
    parts: Iterator[tuple[str, list[str]]], valid: Set[str], longest: int = sys.maxsize, *, one_each: bool = False
) -> WrittenReply:
    """Return the sentences of (text, labels) pairs; markers in a text are of their sentence, `labels` of all in it.

    With `one_each` every text is one sentence, as in JSON.

    Small models repeat themselves: sentences with the same words in the same order as an earlier one are left out.
    """
    drafts: list[WrittenSentence] = []
    earlier: set[str] = set()
    unknown = repeated = unfinished = 0
    for text, beside in parts:
        sentences = list(_split_labels(_BULLET.sub("", visible(text))))
        if len(text) >= longest and len(sentences) > 1 and sentences[-1][0][-1] not in _ENDS:
            sentences.pop()
            unfinished += 1
        new: list[tuple[str, list[str]]] = []
        for sentence, inside in sentences:
            words = _normalize(sentence)
            again = words in earlier
            repeated += again
            earlier.add(words)
            new += [] if again else [(sentence, inside)]
        if one_each and new:
            new = [(" ".join(part for part, _ in new), [label for _, inside in new for label in inside])]
        for sentence, inside in new:
            labels = dict.fromkeys([*beside, *inside])
            unknown += sum(label not in valid for label in labels)
            drafts.append(WrittenSentence(sentence, tuple(label for label in labels if label in valid)))
    return WrittenReply(tuple(drafts), unknown, repeated, unfinished)


def _normalize(sentence: str) -> str:
    """Return the words of a sentence in lower case, without punctuation around them."""
    return " ".join(word for part in sentence.casefold().split() if (word := part.strip(".,:;!?*\"'“”‘’()[]")))


def _split_labels(line: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the sentences of a line without markers, each with the labels in it or right after it."""
    plain, at, marks = "", 0, list[tuple[int, str]]()
    for match in _MARKERS.finditer(line):
        plain += line[at : match.start()]
        marks += [(len(plain), label) for label in _LABEL.findall(match[1])]
        at = match.end()
    plain += line[at:]
    spans = sentence_spans(plain)
    for number, (start, end) in enumerate(spans):
        until = spans[number + 1][0] if number + 1 < len(spans) else len(plain)
        first = start if number else -1
        labels = [label for place, label in marks if first < place <= until]
        if any(c.isalnum() for c in plain[start:end]):
            yield plain[start:end], labels
