"""Parsed elements -> (sentence, element, label) pairs that a verifier must tell apart.

The true ones are paraphrases of a sentence of the element and table cells read out ("X was V in Y"). The false ones are
the same with one thing changed: a number (made up, or another of the same element), year, unit, entity, direction,
negation, the value of the neighbouring row or column, the end of the sentence; and sentences of another page. Changes
are made to the verbatim sentence or to a paraphrase. Pairs are made at run time from documents at hand: nothing of them
is kept.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from evaluation.benches.paraphrase import paraphrases
from indexing import Cell, Element
from indexing.language import FUNCTION_WORDS, ORDINALS
from rag import sentence_spans
from rag.attribution.words import find_quotes

TRUE_KINDS = ("paraphrase", "table read out")
FALSE_KINDS = (
    "number", "swapped number", "year", "unit", "entity", "negation", "direction", "row", "column", "spliced",
    "other page",
)  # fmt: skip
WORDS = (8, 40)
"""The fewest and most words of a sentence that is used."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence, the element it cites, its truth, the kind of change, and the document."""

    sentence: str
    element: Element
    label: bool
    kind: str
    document: str


def pairs(documents: Mapping[str, Sequence[Element]], *, per_kind: int = 6, seed: int = 7) -> list[Pair]:
    """Return at most `per_kind` pairs of each kind a document, the same for the same documents and seed."""
    made: list[Pair] = []
    for name in sorted(documents):
        chance = random.Random(f"{seed} {name}")  # noqa: S311 - repeatable, not secret
        of_kind: dict[str, list[Pair]] = defaultdict(list)
        for pair in (*_of_text(name, documents[name], chance), *_of_tables(name, documents[name], chance)):
            of_kind[pair.kind].append(pair)
        for kind in (*TRUE_KINDS, *FALSE_KINDS):
            found = of_kind[kind]
            made += chance.sample(found, min(per_kind, len(found)))
    return made


def half(document: str) -> int:
    """Return 0 or 1, the half of the documents that a document is in: one is for fitting, the other for reporting."""
    return sha256(document.encode()).digest()[0] % 2


def _of_text(name: str, elements: Sequence[Element], chance: random.Random) -> Iterator[Pair]:
    proper = sorted({n for e in elements for n in _names(e.text)})
    said = [(e, s) for e in elements if e.kind in ("text", "list", "caption") for s in _sentences(e)]
    said = chance.sample(said, min(len(said), 400))
    for element, sentence in said:
        reworded = [p for p in paraphrases(sentence, chance, 2) if not find_quotes(element.text, p)]
        for true in reworded:
            yield Pair(true, element, True, "paraphrase", name)
        base = chance.choice([sentence, *reworded[:1]])
        for kind, change in CHANGES.items():
            false = change(base, element, proper, chance)
            if false and false != base and not find_quotes(element.text, false):
                yield Pair(false, element, False, kind, name)
        stranger = max(
            chance.sample(said, min(30, len(said))), key=lambda o: _common(o[0].text, sentence, another=o[0] != element)
        )
        apart = _common(stranger[0].text, sentence, another=True) <= 0.6 * len(_long(sentence))
        if stranger[0].page != element.page and apart:
            yield Pair(sentence, stranger[0], False, "other page", name)
        spliced = _spliced(base, chance.choice(said)[1], element)
        if spliced:
            yield Pair(spliced, element, False, "spliced", name)


def _common(text: str, sentence: str, *, another: bool) -> int:
    """Count the long words two texts share: the other page is one about the same things."""
    return len(_long(sentence) & _long(text)) if another else -1


def _long(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{5,}", text.lower()))


def _spliced(sentence: str, other: str, element: Element) -> str | None:
    """Return the beginning of a sentence with the end of a sentence from elsewhere in the document."""
    ours, theirs = sentence.split(), other.split()
    tail = " ".join(theirs[len(theirs) // 2 :])
    if find_quotes(element.text, tail) or find_quotes(element.text, other):
        return None
    return " ".join(ours[: (len(ours) + 1) // 2]) + " " + tail


def _sentences(element: Element) -> list[str]:
    found = [element.text[a:b] for a, b in sentence_spans(element.text)]
    return [s for s in found if WORDS[0] <= len(s.split()) <= WORDS[1] and s[0].isupper() and s[-1] == "."]


def _names(text: str) -> list[str]:
    """Return names of one to three capitalised words inside sentences."""
    found = re.findall(r"(?<=[a-z,] )[A-Z][a-z]{3,}(?: [A-Z][a-z]{2,}){0,2}", text)
    return [
        name
        for name in found
        if name.split()[0].lower() not in FUNCTION_WORDS | {*ORDINALS, "table", "figure", "section"}
    ]


def _number(sentence: str, element: Element, _: Sequence[str], chance: random.Random) -> str | None:
    """Put another number into a sentence: one digit changed."""
    places = [m for m in re.finditer(_PLAIN_NUMBER, sentence) if not _is_year(m.group())]
    if not places:
        return None
    place = chance.choice(places)
    digits = [n for n, c in enumerate(place.group()) if c.isdigit()]
    at = chance.choice(digits)
    old = place.group()[at]
    new = chance.choice([d for d in "123456789" if d != old])
    changed = place.group()[:at] + new + place.group()[at + 1 :]
    if re.search(rf"(?<![\d.,]){re.escape(changed)}(?![\d]|[.,]\d)", element.text):
        return None
    return sentence[: place.start()] + changed + sentence[place.end() :]


def _swapped(sentence: str, element: Element, _: Sequence[str], chance: random.Random) -> str | None:
    """Put another number of the same form into a sentence, which stands elsewhere in the element."""
    places = [m for m in re.finditer(_PLAIN_NUMBER, sentence) if not _is_year(m.group())]
    if not places:
        return None
    place = chance.choice(places)
    after = sentence[place.end() : place.end() + 2]
    others = {
        m.group() for m in re.finditer(_PLAIN_NUMBER, element.text)
        if not _is_year(m.group()) and ("%" in after) == ("%" in element.text[m.end() : m.end() + 2])
    }  # fmt: skip
    said = {m.group().replace(",", "") for m in places}
    others = {other for other in others if other.replace(",", "") not in said}
    if not others:
        return None
    return sentence[: place.start()] + chance.choice(sorted(others)) + sentence[place.end() :]


_PLAIN_NUMBER = r"(?<![\w.,/-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w/-]|[.,]\d)"


def _is_year(text: str) -> bool:
    return bool(re.fullmatch(r"(?:1[89]|20)\d\d", text))


def _year(sentence: str, element: Element, _: Sequence[str], chance: random.Random) -> str | None:
    years = list(re.finditer(r"\b(?:19|20)\d\d\b", sentence))
    if not years:
        return None
    place = chance.choice(years)
    new = str(int(place.group()) + chance.choice([-3, -2, -1, 1, 2, 3]))
    inside = new in sentence or any(new in text for text in (element.caption, *element.section))
    return None if inside else sentence[: place.start()] + new + sentence[place.end() :]


_UNITS = (
    (r"(?<=\d )million\b", "billion"), (r"(?<=\d )billion\b", "million"), (r"(?<=\d )thousand\b", "million"),
    (r"\$(?=\d)", "€"), (r"(?<=\d)\s?%", " kg"), (r"(?<=\d )percent\b", "dollars"), (r"(?<=\d )per cent\b", "dollars"),
    (r"(?<=\d )(?:km|kilometres)\b", "miles"), (r"(?<=\d )miles\b", "kilometres"), (r"(?<=\d )hours\b", "minutes"),
    (r"(?<=\d )minutes\b", "hours"), (r"(?<=\d )seconds\b", "minutes"), (r"(?<=\d )days\b", "weeks"),
    (r"(?<=\d )weeks\b", "days"), (r"(?<=\d )years\b", "months"), (r"(?<=\d )months\b", "years"),
    (r"(?<=\d )metres\b", "feet"), (r"(?<=\d )feet\b", "metres"), (r"(?<=\d) ?mm\b", " cm"), (r"(?<=\d )kg\b", "g"),
    (r"\b(?<=[a-z] )(two|three|four|five|six|ten) years\b", r"\1 months"),
)  # fmt: skip


def _unit(sentence: str, _: Element, __: Sequence[str], chance: random.Random) -> str | None:
    able = [(pattern, new) for pattern, new in _UNITS if re.search(pattern, sentence)]
    if not able:
        return None
    pattern, new = chance.choice(able)
    return re.sub(pattern, new, sentence, count=1)


def _entity(sentence: str, element: Element, proper: Sequence[str], chance: random.Random) -> str | None:
    """Put another name of the same document into a sentence, which the element does not have."""
    here = _names(sentence)
    known = " ".join((element.text, element.caption, *element.section)).lower()
    others = [p for p in proper if not any(word.lower() in known for word in p.split())]
    if not here or not others:
        return None
    old = chance.choice(here)
    return sentence.replace(old, chance.choice(others), 1)


def _negation(sentence: str, _: Element, __: Sequence[str], chance: random.Random) -> str | None:
    """Take a "not" out, or put one in after an auxiliary verb."""
    if re.search(r"\bnot\b(?! only)", sentence):
        return re.sub(r"\b(?:do|does|did) not\b |\bnot ", "", sentence, count=1)
    if re.search(r"\b(?:no|never|without|nor|neither)\b|n[’']t\b", sentence, re.IGNORECASE):
        return None
    places = list(re.finditer(r"\b(?:is|are|was|were|has|have|can|will|must|should|could)\b(?= [a-z])", sentence))
    if not places:
        return None
    place = chance.choice(places[:1])
    return sentence[: place.end()] + " not" + sentence[place.end() :]


_DIRECTIONS = (
    "increased/decreased", "increase/decrease", "higher/lower", "more than/less than", "rose/fell", "before/after",
    "largest/smallest", "highest/lowest", "maximum/minimum", "above/below", "first/last", "left/right", "with/without",
    "increases/decreases", "positive/negative", "always/never", "internal/external", "up/down", "grew/shrank",
)  # fmt: skip


def _direction(sentence: str, element: Element, __: Sequence[str], chance: random.Random) -> str | None:
    able = []
    for words in _DIRECTIONS:
        for old, new in (words.split("/"), words.split("/")[::-1]):
            if re.search(rf"(?<!-)\b{old}\b(?!-)", sentence) and not re.search(rf"\b{new}\b", element.text):
                able.append((old, new))
    if not able:
        return None
    old, new = chance.choice(able)
    return re.sub(rf"(?<!-)\b{old}\b(?!-)", new, sentence, count=1)


Change = Callable[[str, Element, Sequence[str], random.Random], "str | None"]
CHANGES: dict[str, Change] = {
    "number": _number,
    "swapped number": _swapped,
    "year": _year,
    "unit": _unit,
    "entity": _entity,
    "negation": _negation,
    "direction": _direction,
}


def _of_tables(name: str, elements: Sequence[Element], chance: random.Random) -> Iterator[Pair]:
    for element in elements:
        if element.kind != "table" or not element.cells:
            continue
        rows = _plain_rows(element)
        for (label, head), cell in sorted(rows.items(), key=lambda item: item[1].start):
            value = element.text[cell.start : cell.end]
            yield Pair(_read_out(label, head, value, chance), element, True, "table read out", name)
            near = {k: c for k, c in rows.items() if c is not cell and _near(c, cell)}
            for kind, same, at in (("row", head, 1), ("column", label, 0)):
                values = [element.text[c.start : c.end] for k, c in near.items() if k[at] == same]
                if values and _core(values[0]) != _core(value):
                    yield Pair(_read_out(label, head, values[0], chance), element, False, kind, name)


def _near(one: Cell, other: Cell) -> bool:
    return abs(one.row - other.row) + abs(one.col - other.col) <= 2


def _core(value: str) -> str:
    return re.sub(r"[^\d.]", "", value)


def _plain_rows(element: Element) -> dict[tuple[str, str], Cell]:
    """Map (row label, column head) to the cell with a number, where label and head are words that occur once."""
    text, cells = element.text, element.cells
    heads: dict[int, list[str]] = defaultdict(list)
    for cell in cells:
        if cell.header and cell.col > 0 and cell.col_span <= 1:
            heads[cell.col].append(text[cell.start : cell.end])
    labels = {c.row: text[c.start : c.end] for c in cells if c.col == 0 and not c.header}
    unique = {label for label in labels.values() if list(labels.values()).count(label) == 1}
    found: dict[tuple[str, str], Cell] = {}
    for cell in cells:
        label, head = labels.get(cell.row, ""), " ".join(heads.get(cell.col, []))
        value = text[cell.start : cell.end]
        plain = re.fullmatch(r"[$€£]?\s?\d[\d,.]*\s?%?", value)
        wordy = re.search(r"[A-Za-z]{3}", label) and len(label) < 60 and len(head) < 40 and re.search(r"\w{2}", head)
        if not cell.header and cell.col > 0 and plain and wordy and label in unique:
            found[label, head] = cell
    several = {head for _, head in found}
    alone = list(heads.values())
    if len(several) < 2 or any(alone.count(h) > 1 for h in alone):
        return {}
    return found


def _read_out(label: str, head: str, value: str, chance: random.Random) -> str:
    if re.fullmatch(r"(?:19|20)\d\d", head):
        forms = ("{label} was {value} in {head}.", "In {head}, {label} came to {value}.", "{head}: {label} {value}.")
    else:
        forms = (
            "For {label}, the {head} is {value}.",
            "{head} of {label}: {value}.",
            "The {head} of {label} is {value}.",
        )
    bare = value.lstrip("$€£ ")  # with the sign it would claim that nothing scales it
    return chance.choice(forms).format(label=label, head=head, value=bare)
