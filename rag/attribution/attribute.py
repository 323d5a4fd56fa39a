"""A sentence and the evidence that it names -> the sentence with its verdict and the boxes that prove it.

Checking and localizing meet here: verify each citation, repair once, look for the rest, box the proven places.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from indexing import Element
from rag.attribution.cited import unmarked
from rag.attribution.claims import claimed, claims_nothing, completed, find_quotes, own_weight, parts
from rag.attribution.localize import BY_WORDS, localize
from rag.attribution.statements import plain
from rag.attribution.sums import reckoned
from rag.attribution.verify import (
    DOUBTED,
    MAX_SENTENCE,
    PARTIAL,
    Check,
    contradiction,
    gathered,
    reading_of,
    repair,
    says_some,
    verify_all,
)
from rag.types import Citation, Evidence, Judge, Localizer, Sentence
from rag.verdicts import PROVEN, Conflict

Search = Callable[[str], Sequence[Evidence]]
"""A function that returns the evidence found for a claim, best first."""
Proof = tuple[Evidence, Check]
PARTLY = 0.6
"""The score of a claim of which a part is proven."""
ASKED = 3
"""The most elements about which an arbiter is asked for one claim."""
SPOKEN = 1.0
"""The weight of its own words with which a sentence that names its source stands by itself: a word."""
NOTHING = "it names no source, and nothing was found that proves it"
SCATTERED = "its words stand on one page, but in several places"


def attributed(  # noqa: PLR0913  what a sentence is held against has many parts, and all have names
    text: str,
    cited: Sequence[Evidence],
    evidence: Sequence[Evidence],
    judge: Judge | None = None,
    localizer: Localizer = BY_WORDS,
    *,
    about: Sequence[str] = (),
    search: Search | None = None,
    arbiter: Judge | None = None,
    context: Sequence[str] = (),
) -> Sentence:
    """Return a sentence with those of its citations that prove it, boxed by `localizer`.

    `cited` is the evidence it names, `evidence` all that was retrieved; `about` is the question that it answers and
    what it stands under, from the outermost: a sentence that says little ("It was 43%") is checked with these words.

    A sentence that claims nothing is a remark. One that none of its citations proves is pointed once to the evidence
    that proves it best, and failing that to what `search` finds for it; a claim of several parts may rest on several
    places, and is supported when every part is. If nothing proves it it stays, unsupported and without a citation.
    Where one citation proves it, those that prove it in part add nothing and are dropped; so is a second naming of the
    same element. A sentence that names nothing, and that nothing proves or contradicts, is unchecked.

    Contradicted is a sentence that nothing proves, or only in part, where a place speaks of the same thing and says
    something else: it has that place for its citation, which is `against` it. An `arbiter` is a judge that is asked
    about what is left open at the end, of the ASKED elements alone that have most of it. `context` is said of all
    elements, such as the title of the one document that they are of.
    """
    if len(text) > MAX_SENTENCE:
        return Sentence(text, (), "unsupported", f"the sentence is longer than {MAX_SENTENCE} characters")
    nothing = claims_nothing(plain(text), about[0] if about else "")
    if nothing:
        return Sentence(text, (), "remark", nothing)
    bare, mistake = reckoned(claimed(unmarked(plain(text))))
    if mistake:
        return Sentence(text, (), "unsupported", mistake)
    whole = cited and own_weight(bare) >= SPOKEN
    claim, named = bare if whole else completed(bare, about), _each_once(cited)
    checks = list(
        zip(named, verify_all(claim, [item.element for item in named], judge=judge, context=context), strict=True)
    )
    proven, known = _proofs(claim, checks, evidence, judge, search, context)
    if claim != bare:  # words of the question alone prove nothing of the sentence
        proven = [(i, check) for i, check in proven if check.verdict == "supported" or says_some(bare, i.element)]
    against = None if _supported(proven) else _contradicted(text, claim, known, context, nearly=bool(proven))
    if against is None and not _supported(proven):
        proven = _by_parts(claim, known, judge, context) or proven or _out_of_context(claim, bare, known, judge)
        against = None if _supported(proven) else _contradicted_in_part(text, claim, known, context)
    if against is not None:
        return against
    if arbiter is not None and not _supported(proven):
        proven = _judged(claim, known, arbiter, context) or proven
    proven = proven or _scattered(claim, bare, known)
    if not proven:
        return Sentence(text, (), "unsupported" if checks else "unchecked", checks[0][1].reason if checks else NOTHING)
    best = max((check for _, check in proven), key=lambda check: check.score)
    kept = [(item, check) for item, check in proven if check.verdict == best.verdict]
    citations = tuple(_citation(claim, *pair, localizer) for pair in kept)
    return Sentence(text, citations, best.verdict, best.reason, certainty=best.score)


def _proofs(
    claim: str,
    checks: Sequence[Proof],
    evidence: Sequence[Evidence],
    judge: Judge | None,
    search: Search | None,
    context: Sequence[str] = (),
) -> tuple[list[Proof], list[Evidence]]:
    """Return what proves a claim, of what it names, else of the evidence, else of what is found for it; then all."""
    proven = [(item, check) for item, check in checks if check.verdict in PROVEN]
    named = [item for item, _ in checks]
    known = _each_once([*named, *evidence])
    if not proven:
        proven = _repaired(claim, known[len(named) :], judge, context=context)
    if search is not None and not _supported(proven):
        ids = {item.element.id for item in known}
        new = [item for item in search(claim) if item.element.id not in ids]
        known += new
        proven = _repaired(claim, new, judge, better=proven, context=context)
    return proven, known


def _scattered(claim: str, bare: str, known: Sequence[Evidence]) -> list[Proof]:
    """Return the places of one page among which the words of a claim stand, its own too: a proof in part."""
    places = gathered(claim, [item.element for item in known])
    if claim != bare and not any(says_some(bare, known[n].element) for n in places):
        return []
    return [(known[n], Check("partial", PARTIAL, SCATTERED, ())) for n in places]


def _judged(claim: str, known: Sequence[Evidence], arbiter: Judge, context: Sequence[str]) -> list[Proof]:
    """Return what a judge believes to prove a claim best, of the few elements that have most of its words; or none."""
    readings = [(reading_of(claim, item.element), n) for n, item in enumerate(known)]
    near = sorted((-reading.coverage, n) for reading, n in readings if reading is not None)[:ASKED]
    items = [known[n] for _, n in near]
    checks = verify_all(claim, [item.element for item in items], judge=arbiter, context=context)
    proven = [(item, check) for item, check in zip(items, checks, strict=True) if check.verdict in PROVEN]
    return sorted(proven, key=lambda pair: -pair[1].score)[:1]


def _contradicted(
    text: str, claim: str, known: Sequence[Evidence], context: Sequence[str], *, nearly: bool = False
) -> Sentence | None:
    """Return the sentence as contradicted where a place speaks of the same and says something else; else None.

    With `nearly` that has to be a sentence that is the same but for one change: it outweighs a proof in part.
    """
    found = contradiction(claim, [item.element for item in known], context)
    if found is None or (differing := found[1].difference) is None or (nearly and differing.words < 1.0):
        return None
    item, check = known[found[0]], found[1]
    element = item.element
    conflict = Conflict(quoted(claim, differing.said), quoted(element.text, differing.found), _source(element), None)
    conflict = replace(conflict, at=_only_place(text, conflict.said))
    drawn = element.words.line_boxes(*differing.found) or element.words.line_boxes(*differing.place)
    around = localize(claim, element, check.spans).context if element.cells else ()
    quote = element.text[slice(*differing.place)]
    citation = replace(Citation.of(item, quote, drawn, around), against=True)
    return Sentence(text, (citation,), "contradicted", str(conflict), conflict=conflict, certainty=1.0 - check.score)


def _contradicted_in_part(text: str, claim: str, known: Sequence[Evidence], context: Sequence[str]) -> Sentence | None:
    """Return the sentence as contradicted where a place contradicts one of its parts; else None."""
    pieces = parts(claim)
    found = (_contradicted(text, piece, known, context) for piece in pieces if len(pieces) > 1)
    return next((one for one in found if one is not None), None)


def quoted(text: str, span: tuple[int, int]) -> str:
    """Return some words of a text on one line."""
    return " ".join(text[slice(*span)].split())


def _only_place(text: str, said: str) -> tuple[int, int] | None:
    """Return the (start, end) of words in a text that has them once; None of others."""
    places = find_quotes(text, said) if said else []
    return places[0] if len(places) == 1 else None


def _source(element: Element) -> str:
    return "table" if element.cells or element.kind == "table" else "figure" if element.pictured else "text"


def _out_of_context(claim: str, bare: str, known: Sequence[Evidence], judge: Judge | None) -> list[Proof]:
    """Return the proof in part of a claim whose words are there, but not what it is about."""
    if claim == bare or not own_weight(bare):
        return []
    proven = _repaired(bare, known, judge)
    return [(item, _in_part(check)) for item, check in proven if check.score >= DOUBTED]


def _repaired(
    claim: str,
    items: Sequence[Evidence],
    judge: Judge | None,
    better: Sequence[Proof] = (),
    context: Sequence[str] = (),
) -> list[Proof]:
    """Return the item that proves a claim best; `better` where that proves it as well."""
    again = repair(claim, [item.element for item in items], judge=judge, context=context)
    if again is None or (better and again[1].verdict != "supported"):
        return list(better)
    return [(items[again[0]], again[1])]


def _supported(proven: Sequence[Proof]) -> bool:
    return any(check.verdict == "supported" for _, check in proven)


def _by_parts(claim: str, items: Sequence[Evidence], judge: Judge | None, context: Sequence[str] = ()) -> list[Proof]:
    """Return the proofs of the parts of a claim: supported if every part is, partial if some are."""
    pieces = parts(claim)
    if len(pieces) < 2:
        return []
    found = [_repaired(piece, items, judge, context=context) for piece in pieces]
    if all(_supported(proof) for proof in found):
        every = [pair for proof in found for pair in proof]
        return [
            (item, replace(check, reason="each part of it is said, in one place or another")) for item, check in every
        ]
    proofs = [(item, check) for proof in found for item, check in proof if check.score >= DOUBTED]
    lacking = next(piece for piece, proof in zip(pieces, found, strict=True) if not _supported(proof))
    return [(item, _in_part(check, f"not found: {lacking[:80]}")) for item, check in proofs]


def _in_part(check: Check, reason: str = "the words are there, not what they are about") -> Check:
    return replace(check, verdict="partial", score=min(check.score, PARTLY), reason=reason)


def relocated(sentence: Sentence, elements: Sequence[Element], localizer: Localizer) -> Sentence:
    """Return the sentence with its boxes as another localizer draws them.

    Only a sentence that is proven, even if in part, has any; what contradicts one keeps its own. `elements` are those
    that it cites, among others.
    """
    if sentence.verdict == "contradicted":
        return sentence
    by_id = {e.id: e for e in elements}
    proven = sentence.verdict in ("quoted", "supported", "partial")
    citations = []
    for citation in sentence.citations:
        bare = replace(citation, boxes=(), context=())
        if proven and citation.element_id in by_id:
            located = localizer(citation.quote or sentence.text, by_id[citation.element_id])
            bare = replace(bare, boxes=located.boxes, context=located.context)
        citations.append(bare)
    return replace(sentence, citations=tuple(citations))


def _citation(text: str, evidence: Evidence, check: Check, localizer: Localizer) -> Citation:
    """Cite lines or cells inside the element; the element alone where these are not certain."""
    located = localizer(text, evidence.element, check.spans)
    quote = " ".join(evidence.element.text[a:b] for a, b in check.spans)
    return Citation.of(evidence, quote, located.boxes, located.context)


def _each_once(cited: Sequence[Evidence]) -> list[Evidence]:
    return list({item.element.id: item for item in cited}.values())
