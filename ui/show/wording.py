"""The citations of an answer with their numbers, and the texts that the terminal, the page and exports share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from configs import method_spec
from ui.show.sanitize import shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rag import Answer, Citation, RankedPage, Sentence

KIND_NAMES = {"text": "paragraph", "picture": "figure", "group": "section"}
MODE_NAMES = {"text": "text", "image": "image", "multi": "text and image"}
SEARCHED_NAMES = {
    "text": "The text was searched",
    "image": "The images were searched",
    "multi": "Text and images were searched",
}
SEEN_NAMES = {"none": "searched by text", "ocr_regions": "searched by text and images"}
"""The ways in which a collection can be searched, by its visual embedder; a model that looks at pages has its name."""
STAGE_NAMES = {
    "retrieve": "searching",
    "rerank": "ordering what was found",
    "extract": "taking notes",
    "draw": "cropping pictures",
    "answer": "answering",
    "check": "checking",
    "compare": "comparing with the page",
    "remark": "comparing documents",
    "total": "in all",
}
VERDICT_NAMES = {
    "quoted": "quoted",
    "shown": "shown in a figure",
    "computed": "computed",
    "confirmed": "confirmed",
    "unconfirmed": "not confirmed",
    "contradicted": "contradicted",
    "remark": "no claim",
}
VERDICT_REASONS = {
    "quoted": "Quoted: the cited place has these words.",
    "shown": "Shown in a figure: look at the cited figure. No caption, legend or axis says the answer in words.",
    "computed": "Computed: code calculated this from the cited cells; no model was used.",
    "confirmed": "Confirmed: the cited place says this.",
    "unconfirmed": "Not confirmed: nobody checked it, or nobody could. A dashed box is where the model points, or the "
    "nearest place that was found: it is not a proof.",
    "contradicted": "Contradicted: the cited place is about the same thing but says something else, so it is no proof.",
    "remark": "No claim: this says nothing that a place in the documents could prove.",
}
_CONFIRMED_BY = {
    "words": "Confirmed by the words: every number, name and relation stands in the cited place.",
    "judge": "Confirmed by a judge: a model that saw the cited place found it there.",
}
_CONFIRMED_NAMES = {"words": "confirmed by words", "judge": "confirmed by a judge"}
_CHECKED = {
    "quoted": "word for word",
    "shown": "not read: the figure is shown",
    "computed": "in code, from the cited cells",
    "words": "by the words of the cited place",
    "judge": "by a judge, a model that saw the cited place",
}
"""The ways in which sentences are checked, by who confirmed them, else by verdict."""
_COUNTED = (
    "quoted", "shown in a figure", "computed", *_CONFIRMED_NAMES.values(), "confirmed", "not confirmed", "contradicted",
    "no claim",
)  # fmt: skip
"""The names of verdicts in the order in which they are counted."""
ROLE_NAMES = {"proves": "", "unconfirmed": "not confirmed: pointed to, not proven", "contradicts": "says otherwise"}
"""The text beside a citation, by its role; none beside a proof."""
SURE = ((0.9, "almost certain"), (0.75, "likely"), (0.5, "more likely than not"), (0.0, "unlikely"))
"""(least probability, 0 to 1, its name), the highest first."""
MAY_ANSWER = 0.4
"""The least probability, from 0 to 1, of a quote with the mark `may answer`."""
_ANSWERED = {
    "": "",
    "may answer": " It may answer: in tests, more than half of such quotes did.",
    "related": " It is related: in tests, about a quarter of such quotes answered.",
}
"""What was measured of quotes with each mark (docs/experiments/citations.md)."""
_NAME_CHARS = 60
"""The most characters that are shown of the name of a model, or of a document."""
_TONES = {
    "quoted": "good",
    "computed": "good",
    "confirmed": "good",
    "shown": "open",
    "unconfirmed": "open",
    "remark": "none",
}
FAILS = "Not confirmed by the cited source: "
MISSING_CHARS = 300
"""The most characters that are shown of what a model says is missing."""
NO_ANSWER = "These documents do not seem to say."

Numbered = tuple[int, "Citation"]


def shown_citations(answer: Answer) -> list[Numbered]:
    """Return [(number, citation), ...] of all citations of an answer, in its order, from 1."""
    return list(enumerate(answer.citations, 1))


def sources(answer: Answer) -> tuple[list[Numbered], list[Numbered]]:
    """Return two lists: the numbered citations of the answer itself, and those that only other places have."""
    own = {citation for one in answer.sentences if not is_other(one) for citation in one.citations}
    citations = shown_citations(answer)
    return [one for one in citations if one[1] in own], [one for one in citations if one[1] not in own]


def quote_to_show(answer: Answer, citation: Citation) -> str:
    """Return the quote of a citation; "" if a sentence that cites it consists of the same words."""
    texts = {" ".join(s.text.split()) for s in answer.sentences if citation in s.citations}
    return "" if " ".join(citation.quote.split()) in texts else citation.quote


def cited_pages(answer: Answer, *, others: bool = True) -> dict[tuple[str, int], list[Numbered]]:
    """Return the numbered citations by (document id, page), in the answer's order; other places last, or left out."""
    pages: dict[tuple[str, int], list[Numbered]] = {}
    own, beside = sources(answer)
    for number, citation in own + beside if others else own:
        pages.setdefault((citation.doc_id, citation.page), []).append((number, citation))
    return pages


def count_of(number: int, noun: str) -> str:
    """Return `1 page`, `2 pages`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def provenance(answer: Answer) -> str:
    """Return how an answer was made: `quoted word for word`, `written by NAME`, or `computed in code` if all of it was.

    Sentences beside the answer do not count. Not escaped.
    """
    verdicts = {sentence.verdict for sentence in answer.sentences if not sentence.beside}
    if verdicts == {"computed"}:
        return "computed in code"
    if verdicts == {"shown"}:
        return VERDICT_NAMES["shown"]
    return f"{method_spec(answer.method).answered}{by(answer)}"


def by(answer: Answer) -> str:
    """Return ` by NAME` for the model that wrote an answer, "" if none did; not escaped."""
    return f" by {shorten(answer.model, _NAME_CHARS)}" if answer.model else ""


def no_answer(answer: Answer) -> str:
    """Return the text in place of an answer without sentences: why nothing was found, if known; not escaped."""
    return answer.nothing or NO_ANSWER


def missing(answer: Answer) -> str:
    """Return `Not on the pages that were read: ...`, with what the model missed there; "" for nothing; not escaped."""
    return f"Not on the pages that were read: {shorten(answer.missing, MISSING_CHARS)}" if answer.missing else ""


def role(citation: Citation) -> str:
    """Return the text after the place of a citation that is no proof, such as `, says otherwise`; "" for a proof."""
    return f", {ROLE_NAMES[citation.role]}" if citation.role != "proves" else ""


OTHERS = "Other places that were retrieved"
"""The heading of quotes beside the answer: they are shown on request only, as few of them help."""


def heading(sentence: Sentence) -> str:
    """Return the heading above a sentence beside the answer, "" for a sentence of the answer; not escaped."""
    return (sentence.heading or OTHERS) if sentence.beside else ""


def is_other(sentence: Sentence) -> bool:
    """Return True for a quote beside the answer, which is shown on request only."""
    return heading(sentence) == OTHERS


def answers(sentence: Sentence) -> str:
    """Return the mark of a quote by its probability to answer: `may answer` or `related`; "" if that is not known."""
    if sentence.answers is None:
        return ""
    return "may answer" if sentence.answers >= MAY_ANSWER else "related"


def rank(answer: Answer, sentence: Sentence) -> str:
    """Return `rank 3`, the rank of a quote's evidence among all that was retrieved; "" if it is not among it."""
    labels = [evidence.label for evidence in answer.evidence]
    label = sentence.citations[0].label if sentence.citations else ""
    return f"rank {labels.index(label) + 1}" if label in labels else ""


def tone(sentence: Sentence) -> str:
    """Return the name of the colour of a sentence's verdict: good, bad, open (not confirmed) or none (no claim)."""
    return "bad" if sentence.differs else _TONES.get(sentence.verdict, "bad")


def instead(sentence: Sentence) -> str:
    """Return what the page or a cited place says instead of a sentence; "" if none differs; not escaped."""
    return sentence.differs or (str(sentence.conflict) if sentence.conflict else "")


def beside(sentence: Sentence) -> list[str]:
    """Return lines against a sentence: its place says something else, a source does not support it; not escaped."""
    correction = instead(sentence)
    lines = [f"Contradicted: {correction}." if sentence.conflict else correction] if correction else []
    return lines + [f"{FAILS}{shorten(str(one), 200)}." for one in sentence.sources if one.fails]


def aside(sentence: Sentence) -> list[str]:
    """Return lines of remarks on a sentence: the judge's reason, another year, and the sources it names; not escaped.

    None of them speaks against the sentence; a source that supports it needs no line.
    """
    judgement = [f"Found there by a judge: {shorten(sentence.reason, 240)}"] if sentence.checked_by == "judge" else []
    others = [one for one in sentence.sources if one.outcome != "followed"]
    near_miss = [sentence.near_miss] if sentence.near_miss else []
    return [*judgement, *near_miss, *(f"Cited: {shorten(str(one), 200)}." for one in others)]


def source_lines(sentence: Sentence) -> list[str]:
    """Return those lines of `beside` and `aside` that exports have: on another year, on named sources; not escaped."""
    lines = (*beside(sentence), *aside(sentence))
    return [line for line in lines if line == sentence.near_miss or line.startswith(("Cited", FAILS))]


def sure(probability: float) -> str:
    """Return the name of a probability, 0 to 1, such as `likely`."""
    return next(name for least, name in SURE if probability >= least)


def why(sentence: Sentence) -> str:
    """Return the explanation of a sentence's verdict, its reason, and the meaning of its other marks; not escaped."""
    if sentence.differs:
        return f"Not confirmed: the page and its text differ, so no box is shown: {sentence.differs}."
    meaning = _CONFIRMED_BY.get(sentence.checked_by) or VERDICT_REASONS[sentence.verdict]
    if sentence.reason:
        meaning = f"{meaning} ({sentence.reason})"
    if sentence.certainty is not None and sentence.verdict in ("confirmed", "contradicted"):
        meaning = f"{meaning} This is {sure(sentence.certainty)} ({sentence.certainty:.0%})."
    return meaning + _ANSWERED[answers(sentence)]


def how_checked(sentence: Sentence) -> str:
    """Return how a sentence was checked, and the reason of its verdict: `by the words of the cited place`.

    Not escaped; "" if it was not checked, and has no reason.
    """
    if sentence.differs:
        return f"the page was compared with its text: {sentence.differs}"
    way = _CHECKED.get(sentence.checked_by or sentence.verdict, "")
    return ": ".join(dict.fromkeys(filter(None, (way, sentence.reason))))


def verdict_name(sentence: Sentence) -> str:
    """Return the name of a sentence's verdict; a confirmed one says by what: `confirmed by a judge`."""
    return _CONFIRMED_NAMES.get(sentence.checked_by, VERDICT_NAMES[sentence.verdict])


def verdict_numbers(answer: Answer) -> dict[str, int]:
    """Return the number of sentences by verdict, in the order of `VERDICT_NAMES`, without zeros."""
    verdicts = [s.verdict for s in answer.sentences]
    return {v: verdicts.count(v) for v in VERDICT_NAMES if v in verdicts}


def verdict_counts(answer: Answer) -> str:
    """Return the counts of verdicts as text, such as `3 sentences, all quoted`.

    If `proven_where_led` is known, it adds how many claims are proven on the pages that rank best for the question.
    """
    verdicts = [verdict_name(s) for s in answer.sentences if not s.beside]
    each = [f"{verdicts.count(name)} {name}" for name in _COUNTED if name in verdicts]
    alone = f", {'all ' if len(verdicts) > 1 else ''}{verdicts[0]}" if len(each) == 1 else ""
    counts = alone or f": {', '.join(each)}"
    leading = ""
    if answer.proven_where_led is not None:
        number = len(answer.claims_where_led)
        verb = "are" if number > 1 else "is"
        leading = f"{number or 'none'} {verb} proven on the pages that rank best for the question"
    return "; ".join(filter(None, (f"{count_of(len(verdicts), 'sentence')}{counts}", leading)))


def looked_at(answer: Answer) -> list[tuple[str, str]]:
    """Return the pages of an answer's evidence by document, best first: [("report.pdf", "pages 3, 7 and 12"), ...]."""
    return by_document((evidence.document, evidence.element.page) for evidence in answer.evidence)


def pages_read(pages: Sequence[RankedPage]) -> str:
    """Return `pages 3, 7 and 12 of report.pdf` for every document, not escaped."""
    documents = by_document((page.document, page.number) for page in pages)
    return "; ".join(f"{numbers} of {shorten(name, _NAME_CHARS)}" for name, numbers in documents)


def by_document(places: Iterable[tuple[str, int]]) -> list[tuple[str, str]]:
    """Return (document, page) pairs by document: [("report.pdf", "pages 3, 7 and 12"), ...]."""
    pages: dict[str, set[int]] = {}
    for document, number in places:
        pages.setdefault(document, set()).add(number)
    return [(name, _pages(sorted(numbers))) for name, numbers in pages.items()]


def _pages(numbers: list[int]) -> str:
    """Return `page 3`, or `pages 3, 7 and 12`."""
    if len(numbers) == 1:
        return f"page {numbers[0]}"
    return f"pages {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


def size(n_bytes: int) -> str:
    """Return a number of bytes as `812 B` or `3.4 MB`, with units of powers of 1000."""
    amount = float(n_bytes)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"
