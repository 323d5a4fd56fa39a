"""A sentence and the evidence that it names -> the sentence with its verdict and the boxes that prove it.

Checking and localizing meet here: verify each citation, repair once, look for the rest, box the proven places.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from indexing import Element
from rag.attribution.claims import claimed, claims_nothing, completed, own_weight, parts
from rag.attribution.localize import BY_WORDS
from rag.attribution.statements import plain
from rag.attribution.sums import reckoned
from rag.attribution.verify import (
    DOUBTED,
    MAX_SENTENCE,
    PARTIAL,
    Check,
    contradiction,
    gathered,
    repair,
    says_some,
    verify_all,
)
from rag.types import Citation, Evidence, Judge, Localizer, Sentence

Search = Callable[[str], Sequence[Evidence]]
"""A function that returns the evidence found for a claim, best first."""
Proof = tuple[Evidence, Check]
PARTLY = 0.6
"""The score of a claim of which a part is proven."""
SPOKEN = 1.0
"""The weight of its own words with which a sentence that names its source stands by itself: a word."""
SCATTERED = "its words stand on one page, but in several places"


def attributed(
    text: str,
    cited: Sequence[Evidence],
    evidence: Sequence[Evidence],
    judge: Judge | None = None,
    localizer: Localizer = BY_WORDS,
    *,
    about: Sequence[str] = (),
    search: Search | None = None,
) -> Sentence:
    """Return a sentence with those of its citations that prove it, boxed by `localizer`.

    `cited` is the evidence it names, `evidence` all that was retrieved; `about` is the question that it answers and
    what it stands under, from the outermost: a sentence that says little ("It was 43%") is checked with these words.

    A sentence that claims nothing is a remark. One that none of its citations proves is pointed once to the evidence
    that proves it best, and failing that to what `search` finds for it; a claim of several parts may rest on several
    places, and is supported when every part is. If nothing proves it it stays, unsupported and without a citation.
    Where one citation proves it, those that prove it in part add nothing and are dropped; so is a second naming of the
    same element. A sentence that names nothing, and that nothing proves or contradicts, is unchecked.
    """
    if len(text) > MAX_SENTENCE:
        return Sentence(text, (), "unsupported", f"the sentence is longer than {MAX_SENTENCE} characters")
    nothing = claims_nothing(plain(text), about[0] if about else "")
    if nothing:
        return Sentence(text, (), "remark", nothing)
    bare, mistake = reckoned(claimed(plain(text)))
    if mistake:
        return Sentence(text, (), "unsupported", mistake)
    whole = cited and own_weight(bare) >= SPOKEN
    claim, named = bare if whole else completed(bare, about), _each_once(cited)
    checks = list(zip(named, verify_all(claim, [item.element for item in named], judge=judge), strict=True))
    proven, known = _proofs(claim, checks, evidence, judge, search)
    if claim != bare:  # words of the question alone prove nothing of the sentence
        proven = [(i, check) for i, check in proven if check.verdict == "supported" or says_some(bare, i.element)]
    elements = [item.element for item in known]
    against = contradiction(claim, elements) if not proven else None
    if against is None and not _supported(proven):
        proven = _by_parts(claim, known, judge) or proven or _out_of_context(claim, bare, known, judge)
    if against is None and not proven:
        proven = [(known[n], Check("partial", PARTIAL, SCATTERED, ())) for n in gathered(claim, elements)]
    if not proven:
        reason = checks[0][1].reason if checks else against[1] if against else "it names no source"
        return Sentence(text, (), "unsupported" if checks or against else "unchecked", reason)
    best = max((check for _, check in proven), key=lambda check: check.score)
    kept = [(item, check) for item, check in proven if check.verdict == best.verdict]
    return Sentence(text, tuple(_citation(claim, *pair, localizer) for pair in kept), best.verdict, best.reason)


def _proofs(
    claim: str, checks: Sequence[Proof], evidence: Sequence[Evidence], judge: Judge | None, search: Search | None
) -> tuple[list[Proof], list[Evidence]]:
    """Return what proves a claim, of what it names, else of the evidence, else of what is found for it; then all."""
    proven = [(item, check) for item, check in checks if check.verdict != "unsupported"]
    named = [item for item, _ in checks]
    known = _each_once([*named, *evidence])
    if not proven:
        proven = _repaired(claim, known[len(named) :], judge)
    if search is not None and not _supported(proven):
        ids = {item.element.id for item in known}
        new = [item for item in search(claim) if item.element.id not in ids]
        known += new
        proven = _repaired(claim, new, judge, better=proven)
    return proven, known


def _out_of_context(claim: str, bare: str, known: Sequence[Evidence], judge: Judge | None) -> list[Proof]:
    """Return the proof in part of a claim whose words are there, but not what it is about."""
    if claim == bare or not own_weight(bare):
        return []
    proven = _repaired(bare, known, judge)
    return [(item, _in_part(check)) for item, check in proven if check.score >= DOUBTED]


def _repaired(claim: str, items: Sequence[Evidence], judge: Judge | None, better: Sequence[Proof] = ()) -> list[Proof]:
    """Return the item that proves a claim best; `better` where that proves it as well."""
    again = repair(claim, [item.element for item in items], judge=judge)
    if again is None or (better and again[1].verdict != "supported"):
        return list(better)
    return [(items[again[0]], again[1])]


def _supported(proven: Sequence[Proof]) -> bool:
    return any(check.verdict == "supported" for _, check in proven)


def _by_parts(claim: str, items: Sequence[Evidence], judge: Judge | None) -> list[Proof]:
    """Return the proofs of the parts of a claim: supported if every part is, partial if some are."""
    pieces = parts(claim)
    if len(pieces) < 2:
        return []
    found = [_repaired(piece, items, judge) for piece in pieces]
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

    Only a sentence that is proven, even if in part, has any. `elements` are those that it cites, among others.
    """
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
