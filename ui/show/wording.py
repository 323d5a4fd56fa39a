"""The citations of an answer with their numbers, and the words that the terminal, the page and exports share."""

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
"""The words beside a citation, by its role; none beside a proof."""
SURE = ((0.9, "almost certain"), (0.75, "likely"), (0.5, "more likely than not"), (0.0, "unlikely"))
"""The words for probabilities from these on, 0 to 1."""
MAY_ANSWER = 0.4
"""The least probability, from 0 to 1, of a quote that is said to answer perhaps."""
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
    """Return [(number, citation), ...] in the order of the answer; its role says what a citation proves."""
    return list(enumerate(answer.citations, 1))


def sources(answer: Answer) -> tuple[list[Numbered], list[Numbered]]:
    """Return the numbered citations of the answer, and those of the other places alone."""
    own = {citation for one in answer.sentences if not is_other(one) for citation in one.citations}
    numbered = shown_citations(answer)
    return [one for one in numbered if one[1] in own], [one for one in numbered if one[1] not in own]


def quote_to_show(answer: Answer, citation: Citation) -> str:
    """Return the quote of a citation; empty if a sentence that cites it already consists of the same words."""
    texts = {" ".join(s.text.split()) for s in answer.sentences if citation in s.citations}
    return "" if " ".join(citation.quote.split()) in texts else citation.quote


def cited_pages(answer: Answer, *, others: bool = True) -> dict[tuple[str, int], list[Numbered]]:
    """Return the citations by (document id, page number): those of the answer, in its order, before other places.

    Without `others`, those of the answer alone: not of the other places that were retrieved.
    """
    pages: dict[tuple[str, int], list[Numbered]] = {}
    own, beside = sources(answer)
    for number, citation in own + beside if others else own:
        pages.setdefault((citation.doc_id, citation.page), []).append((number, citation))
    return pages


def count_of(number: int, noun: str) -> str:
    """Return `1 page`, `2 pages`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def provenance(answer: Answer) -> str:
    """Return how an answer was made: `quoted word for word`, `written by NAME`, `computed in code` if all of it is.

    Sentences beside the answer do not count.
    """
    verdicts = {sentence.verdict for sentence in answer.sentences if not sentence.beside}
    if verdicts == {"computed"}:
        return "computed in code"
    if verdicts == {"shown"}:
        return VERDICT_NAMES["shown"]
    return f"{method_spec(answer.method).answered}{by(answer)}"


def by(answer: Answer) -> str:
    """Return ` by` and the name of the model that wrote an answer; nothing for a quote; not escaped."""
    return f" by {shorten(answer.model, _NAME_CHARS)}" if answer.model else ""


def no_answer(answer: Answer) -> str:
    """Return the text of an answer without sentences: why nothing was found where that is known; not escaped."""
    return answer.nothing or NO_ANSWER


def missing(answer: Answer) -> str:
    """Return `Not on the pages that were read: ...`, in the words of the model; "" of none; not escaped."""
    return f"Not on the pages that were read: {shorten(answer.missing, MISSING_CHARS)}" if answer.missing else ""


def role(citation: Citation) -> str:
    """Return `, says otherwise` or the like after the place of a citation that proves nothing; "" after a proof."""
    return f", {ROLE_NAMES[citation.role]}" if citation.role != "proves" else ""


OTHERS = "Other places that were retrieved"
"""The heading of quotes that stand beside the answer: shown on request, as few of them help."""


def heading(sentence: Sentence) -> str:
    """Return the heading over a sentence: of the answer none, of what stands beside it one; not escaped."""
    return (sentence.heading or OTHERS) if sentence.beside else ""


def is_other(sentence: Sentence) -> bool:
    """Return True for a quote beside the answer, which is shown on request only."""
    return heading(sentence) == OTHERS


def answers(sentence: Sentence) -> str:
    """Return the mark of a quote, `may answer` or `related`; empty where nobody measured how often it is right."""
    if sentence.answers is None:
        return ""
    return "may answer" if sentence.answers >= MAY_ANSWER else "related"


def rank(answer: Answer, sentence: Sentence) -> str:
    """Return `rank 3`, the place of a quote among what the search retrieved, best first."""
    labels = [evidence.label for evidence in answer.evidence]
    label = sentence.citations[0].label if sentence.citations else ""
    return f"rank {labels.index(label) + 1}" if label in labels else ""


def tone(sentence: Sentence) -> str:
    """Return the colour of a verdict by its name: good, bad, open (nobody knows) or none (no claim)."""
    return "bad" if sentence.differs else _TONES.get(sentence.verdict, "bad")


def instead(sentence: Sentence) -> str:
    """Return what its page, or a place, says instead of a sentence; "" where nothing does; not escaped."""
    return sentence.differs or (str(sentence.conflict) if sentence.conflict else "")


def beside(sentence: Sentence) -> list[str]:
    """Return what speaks against a sentence: its place says another thing, a source does not say it; not escaped."""
    correction = instead(sentence)
    lines = [f"Contradicted: {correction}." if sentence.conflict else correction] if correction else []
    return lines + [f"{FAILS}{shorten(str(one), 200)}." for one in sentence.sources if one.fails]


def aside(sentence: Sentence) -> list[str]:
    """Return what a judge found, and what a reader should know about a sentence and the sources it names; not escaped.

    A quote of another year is true, and a source outside the collection no fault; a source that proves needs no line.
    """
    judgement = [f"Found there by a judge: {shorten(sentence.reason, 240)}"] if sentence.checked_by == "judge" else []
    others = [one for one in sentence.sources if one.outcome != "followed"]
    near_miss = [sentence.near_miss] if sentence.near_miss else []
    return [*judgement, *near_miss, *(f"Cited: {shorten(str(one), 200)}." for one in others)]


def source_lines(sentence: Sentence) -> list[str]:
    """Return the lines for an export: that on another year, and those on the sources that it names; not escaped."""
    lines = (*beside(sentence), *aside(sentence))
    return [line for line in lines if line == sentence.near_miss or line.startswith(("Cited", FAILS))]


def sure(probability: float) -> str:
    """Return a probability, 0 to 1, in words."""
    return next(words for least, words in SURE if probability >= least)


def why(sentence: Sentence) -> str:
    """Return the meaning of a sentence's marks, and the reason for its verdict; not escaped."""
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

    Not escaped; "" where nobody checked it and nobody says why.
    """
    if sentence.differs:
        return f"the page was compared with its text: {sentence.differs}"
    way = _CHECKED.get(sentence.checked_by or sentence.verdict, "")
    return ": ".join(dict.fromkeys(filter(None, (way, sentence.reason))))


def verdict_name(sentence: Sentence) -> str:
    """Return the name of a sentence's verdict, a confirmed one with who confirmed it: `confirmed by a judge`."""
    return _CONFIRMED_NAMES.get(sentence.checked_by, VERDICT_NAMES[sentence.verdict])


def verdict_numbers(answer: Answer) -> dict[str, int]:
    """Return how many sentences have each verdict, in the order of `VERDICT_NAMES`, without those that none has."""
    verdicts = [s.verdict for s in answer.sentences]
    return {v: verdicts.count(v) for v in VERDICT_NAMES if v in verdicts}


def verdict_counts(answer: Answer) -> str:
    """Return the verdicts in words: `3 sentences, all quoted`.

    For claims it adds how many are proven on the pages that rank best for the question.
    """
    verdicts = [verdict_name(s) for s in answer.sentences if not s.beside]
    there = [f"{verdicts.count(name)} {name}" for name in _COUNTED if name in verdicts]
    alone = f", {'all ' if len(verdicts) > 1 else ''}{verdicts[0]}" if len(there) == 1 else ""
    counts = alone or f": {', '.join(there)}"
    leading = ""
    if answer.proven_where_led is not None:
        number = len(answer.claims_where_led)
        verb = "are" if number > 1 else "is"
        leading = f"{number or 'none'} {verb} proven on the pages that rank best for the question"
    return "; ".join(filter(None, (f"{count_of(len(verdicts), 'sentence')}{counts}", leading)))


def looked_at(answer: Answer) -> list[tuple[str, str]]:
    """Return the places of an answer's evidence, best first: [(document name, "pages 3, 7 and 12"), ...]."""
    return by_document((evidence.document, evidence.element.page) for evidence in answer.evidence)


def pages_read(pages: Sequence[RankedPage]) -> str:
    """Return `pages 3, 7 and 12 of report.pdf` for every document, not escaped."""
    documents = by_document((page.document, page.number) for page in pages)
    return "; ".join(f"{numbers} of {shorten(name, _NAME_CHARS)}" for name, numbers in documents)


def by_document(places: Iterable[tuple[str, int]]) -> list[tuple[str, str]]:
    """Return the pages of every document: [("report.pdf", "pages 3, 7 and 12"), ...]."""
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
    """Return `812 B`, `3.4 MB`: powers of 1000, as disks are sold."""
    amount = float(n_bytes)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"
