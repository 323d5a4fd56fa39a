"""Suggestions: questions that a collection answers well, made of its own headings, captions and values.

A candidate knows the places that it was made from. It is asked, and shown only if the first quote of the answer stands
in one of these: what is suggested has been answered before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Literal, get_args

from indexing import BBox, Element, option_named, options_of
from indexing.language import lexicon_words, lower_words

if TYPE_CHECKING:
    from rag.types import Answer


def _set_of(words: str) -> frozenset[str]:
    return frozenset(words.split())


MOST_ASKED = 60
"""The most candidates that are asked."""
ENOUGH = 6
"""The number of well answered candidates of which the best are chosen: once there are so many, no further is asked."""
LEAST_ANSWERS = 0.3
"""The least probability, from 0 to 1, that the first quote answers, for its question to be shown."""
_INSIDE = 0.6
"""The share of a quote's lines that must lie in the places that its question was made from."""
_NEW_WORDS = 3
"""The least words of a quote that its question does not have: a caption alone is no answer to itself."""
_SHORT = 3
"""The letters of a word that may stand in any sentence; a quote under a heading has a longer one of the heading's."""
_HEADING_WORDS = 9
_KEY_WORDS, _KEY_LETTERS, _VALUE_LETTERS = 5, 40, 80
_CAPTION_WORDS = (3, 14)
_SPEAKS = 0.08
"""The least share of a document's words that are function words of a language, for it to be in that language."""
_LANGUAGES = {
    "en": _set_of("the of and to in is for with that by on are was"),
    "de": _set_of("der die das und ist von mit für auf dem den zu im"),
}
_ASKED_AS = {
    "en": ("What is said about “{}”?", "What does the figure “{}” show?"),
    "de": ("Was erfährt man über „{}“?", "Was zeigt die Abbildung „{}“?"),
}
"""The questions about a heading and about a figure."""
_PLAINER = 0.2
"""The probability that a question put as people put it, neither about a heading nor about a caption, is worth more."""
_MEASURED = frozenset(lexicon_words("measured_nouns"))
_EVERYWHERE = frozenset(lexicon_words("common_headings"))
_NUMBERED = re.compile(
    r"^(?:(?:chapter|section|part|teil) )?(?:\d{1,3}(?:\.\d{1,3}){0,5}\.?|[A-Z][.)]) ", re.IGNORECASE
)
_ASKS = re.compile(r"(?:what|how|why|when|which|who|where|was|wie|warum|wann|welche[rs]?|wer|wo) ", re.IGNORECASE)
_LABEL = re.compile(r"(?:figure|fig\.|chart|abbildung|abb\.)\s*\d{1,4}[a-z]?\s*[.:\u2013-]?\s*", re.IGNORECASE)

From = Literal["asked", "value", "heading", "caption"]
"""The line that a question was made of: a heading that asks, a key with its value, a heading, a caption."""


@dataclass(frozen=True, slots=True)
class CandidateQuestion:
    """A question with the places, `boxes` on pages of document `doc_id`, in one of which its answer should stand."""

    text: str
    made_from: From
    doc_id: str
    places: tuple[tuple[int, BBox], ...]


def candidate_questions(documents: Sequence[Sequence[Element]]) -> list[CandidateQuestion]:
    """Return questions about the elements of documents, each in reading order; documents and lines take turns."""
    mixed = _in_turns([_of_document([e for e in own if e.kind != "group"]) for own in documents])
    texts = [one.text.casefold() for one in mixed]
    return [one for one, text in zip(mixed, texts, strict=True) if texts.count(text) == 1]


def suggested_questions(
    candidates: Sequence[CandidateQuestion], ask: Callable[[str], Answer], go_on: Callable[[], bool], most: int = 3
) -> tuple[str, ...]:
    """Return the `most` questions that are answered best, of different documents as far as there are such.

    At most `MOST_ASKED` candidates are asked, while `go_on` says so, until `ENOUGH` of them are answered well.
    """
    good: list[tuple[float, CandidateQuestion]] = []
    for candidate in candidates[:MOST_ASKED]:
        if len(good) == ENOUGH or not go_on():
            break
        probability = _answered(candidate, ask(candidate.text))
        if probability >= LEAST_ANSWERS:
            plain = candidate.made_from not in ("heading", "caption")
            good.append((probability + _PLAINER * plain, candidate))
    good.sort(key=lambda pair: -pair[0])
    ids = [candidate.doc_id for _, candidate in good]
    order = sorted(range(len(good)), key=lambda n: ids[:n].count(ids[n]))  # each document once, then each once more
    return tuple(good[n][1].text for n in order[:most])


def _answered(candidate: CandidateQuestion, answer: Answer) -> float:
    """Return the probability that the first quote answers; 0 if it stands elsewhere, or only repeats the question."""
    if not answer.sentences or not answer.sentences[0].citations:
        return 0.0
    first = answer.sentences[0]
    cited = first.citations[0]
    own = [box for page, box in candidate.places if (candidate.doc_id, page) == (cited.doc_id, cited.page)]
    lines = cited.boxes or (cited.bbox,)
    covered = sum(max((line.overlap(box) for box in own), default=0.0) for line in lines)
    if covered < _INSIDE * sum(line.area for line in lines):
        return 0.0
    said, asked = set(lower_words(first.text)), set(lower_words(candidate.text))
    if candidate.made_from == "caption" and len(said - asked) < _NEW_WORDS:
        return 0.0
    if candidate.made_from == "heading" and not {w for w in said & asked if len(w) > _SHORT}:
        return 0.0
    return answer.confidence if first.answers is None else first.answers


def _in_turns(lists: Sequence[Sequence[CandidateQuestion]]) -> list[CandidateQuestion]:
    """Return the first of each list, then the second of each, and so on."""
    return [one for row in zip_longest(*lists) for one in row if one is not None]


def _of_document(elements: Sequence[Element]) -> list[CandidateQuestion]:
    """Return the questions of one document, those of one kind of line in turn with the others."""
    language = _language(elements)
    if language is None:
        return []
    values = _of_values(elements) if language == "en" else ()
    each = [*_of_headings(elements, language), *values, *_of_captions(elements, language)]
    return _in_turns([[one for one in each if one.made_from == kind] for kind in get_args(From)])


def _language(elements: Sequence[Element]) -> str | None:
    """Return the language whose function words are the commonest in a document, None where that is none we ask in."""
    words = [word for e in elements for word in e.text.lower().split()]
    shares = {name: sum(w in own for w in words) / max(1, len(words)) for name, own in _LANGUAGES.items()}
    best = max(shares, key=lambda name: shares[name])
    return best if shares[best] >= _SPEAKS else None


def _of_headings(elements: Sequence[Element], language: str) -> Iterator[CandidateQuestion]:
    """Yield a question for each heading that says something, to be answered by what stands under it."""
    title = next((e for e in elements if e.kind == "heading"), None)
    for heading in (e for e in elements if e.kind == "heading" and e is not title):
        name = _NUMBERED.sub("", " ".join(heading.text.split()), count=1).rstrip(" .:").removeprefix("About ")
        name = name.capitalize() if name.isupper() else name
        below = [e for e in elements if e.section[-1:] == (heading.text,) and e.kind in ("text", "list", "table")]
        places = tuple((e.page, e.bbox) for e in below if 0 <= e.page - heading.page <= 1)
        if places and language == "en" and option_named(heading.text):
            option = options_of(heading.text)[-1]
            yield CandidateQuestion(f"What does {option} do?", "value", heading.doc_id, places)
        elif places and name.endswith("?") and _ASKS.match(name) and len(name.split()) <= 2 * _HEADING_WORDS:
            yield CandidateQuestion(name, "asked", heading.doc_id, places)
        elif places and _is_subject(name):
            yield CandidateQuestion(_ASKED_AS[language][0].format(name), "heading", heading.doc_id, places)


def _is_subject(name: str) -> bool:
    """Return True for the text of a heading that one could ask about."""
    words = name.split()
    plain = all(c.isalpha() or c in " ,-\u2013\u2019'&" for c in name)
    bare = len(words) == 1 and (len(name) <= _SHORT or name.casefold() in _EVERYWHERE)
    return 1 <= len(words) <= _HEADING_WORDS and plain and not bare and name[0].isupper() and name[-1].isalpha()


def _of_values(elements: Sequence[Element]) -> Iterator[CandidateQuestion]:
    """Yield a question for each line `key: value` and each row of a table of two columns that has a measured thing."""
    for element in elements:
        for key, value in _pairs(element):
            if _is_key(key) and _is_value(value):
                first, space, rest = key.partition(" ")
                said = key if not first.istitle() or rest[:1].isupper() else f"{first.lower()}{space}{rest}"
                place = element.page, element.bbox
                yield CandidateQuestion(f"What is the {said}?", "value", element.doc_id, (place,))


def _pairs(element: Element) -> list[tuple[str, str]]:
    """Return the keys and values of an element: of a table with two columns, or of a short line with a colon."""
    lines = element.text.split("\n")
    if element.kind == "table":
        rows = [line.split(" | ") for line in lines]
        two = [(row[0].strip(), row[1].strip()) for row in rows if len(row) == 2]
        return two[1:] if len(two) >= 3 and len(two) == len(rows) else []
    if element.kind not in ("text", "list") or len(element.text) > _KEY_LETTERS + _VALUE_LETTERS:
        return []
    parts = [line.partition(": ") for line in lines]
    return [(key.strip(" •-"), value.strip()) for key, colon, value in parts if colon]


def _is_key(key: str) -> bool:
    words = key.split()
    plain = all(c.isalpha() or c in " -\u2019'" for c in key)
    head = words[words.index("of") - 1] if "of" in words[1:] else words[-1] if words else ""
    measured = head.casefold() in _MEASURED
    return 2 <= len(words) <= _KEY_WORDS and len(key) <= _KEY_LETTERS and plain and measured and key[0].isupper()


def _is_value(value: str) -> bool:
    """Return True for a value that says something: a bare whole number may be the page of a contents list."""
    return 0 < len(value) <= _VALUE_LETTERS and not value.isdigit() and any(c.isalnum() for c in value)


def _of_captions(elements: Sequence[Element], language: str) -> Iterator[CandidateQuestion]:
    """Yield a question for the caption of each figure: its first sentence, without `Figure 3`."""
    for element in elements:
        if element.kind != "picture" or not _LABEL.match(element.caption):
            continue
        said = _LABEL.sub("", element.caption, count=1).partition(". ")[0].rstrip(" .:")
        least, most = _CAPTION_WORDS
        if not least <= len(said.split()) <= most or "“" in said:
            continue
        captions = [e for e in elements if (e.kind, e.page) == ("caption", element.page) and e.text in element.caption]
        places = tuple((e.page, e.bbox) for e in (element, *captions))
        yield CandidateQuestion(_ASKED_AS[language][1].format(said), "caption", element.doc_id, places)
