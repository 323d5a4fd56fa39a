"""The values that pass through answering: evidence, citations, sentences and answers.

A `Citation` is made by code from `Evidence` (`Citation.of`), never from something a model wrote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, WithJsonSchema

from configs import known_name, methods
from indexing import BBox, Element, Mode, cited_place
from rag.usage import NO_USAGE, Metered, Usage
from rag.verdicts import CLAIMED, PROVEN, CitedSource, Conflict, Verdict
from vouch.hooks import names

MethodName = Annotated[
    str,
    AfterValidator(lambda name: known_name(name, names(methods()))),
    WithJsonSchema({"type": "string", "enum": list(names(methods()))}),
]
"""The name of a method of answering (configs/methods.py)."""
LEADING = 3
"""The pages that a question leads to: the best of those that were found. Of 1 to 5 these told true answers best."""


@dataclass(frozen=True, slots=True)
class Query:
    """A text to search for, in texts or, in its image-seeking form, in page images."""

    text: str


@dataclass(frozen=True, slots=True)
class RankedPage:
    """A retrieved page: its number, from 1, in a document, and the score that it was ranked by."""

    doc_id: str
    document: str
    number: int
    score: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """A retrieved element with the short label (`E1`, `E2`, ...) under which it is cited, best first.

    `found_by` are the numbers, from 1, of the queries that rank it among their best. `by_view` are the scores of its
    text and of its page's pixels for the first query (`indexing.Hit`). `knowledge` is the text that a model extracted
    from it without seeing the question, empty if none was extracted. `row` is the number of the row (from 0, as in
    `Cell.row`) that is cited of a table, None for a whole element.
    """

    label: str
    element: Element
    document: str
    score: float
    found_by: tuple[int, ...] = (1,)
    knowledge: str = ""
    by_view: tuple[tuple[str, float], ...] = ()
    row: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return {
            "label": self.label,
            "document": self.document,
            "page": self.element.page,
            "kind": self.element.kind,
            "bbox": list(self.element.bbox.as_tuple()),
            "score": round(self.score, 4),
            "text": self.element.text,
            "element_id": self.element.id,
            "found_by": list(self.found_by),
            **({"knowledge": self.knowledge} if self.knowledge else {}),
        }


@dataclass(frozen=True, slots=True)
class WeightedQuery:
    """The tokens of the first query with their weights (q,), which sum to 1."""

    tokens: tuple[str, ...] = ()
    weights: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32), repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class RetrievedElement:
    """A piece of evidence with the similarities of late interaction.

    `similarities` (n, q) are the cosines of its n text tokens with the q tokens of the first query, `offsets` (n, 2)
    the characters of each token in the element's text (below 0 in the context before the text).
    """

    evidence: Evidence
    similarities: NDArray[np.float32] = field(repr=False, compare=False)
    offsets: NDArray[np.int32] = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class CandidateRegion:
    """A region of a page that may be cited: an element or a group, with its probability, 0 to 1.

    `labels` are those of the evidence in it, best first; `values` are the features behind the probability.
    """

    element: Element
    probability: float
    labels: tuple[str, ...]
    values: tuple[float, ...] = ()


CitationRole = Literal["proves", "unconfirmed", "contradicts"]


@dataclass(frozen=True, slots=True)
class Citation:
    """A place that is cited for a sentence: the element's box on its page, line or cell `boxes` inside it, the quote.

    `page` counts from 1; boxes are fractions of the displayed page. `context` are boxes that explain the quote: header
    cells, or the caption that is quoted for a picture. `label` is that of the evidence it comes from. `role` is what
    checking found: the place proves the sentence, or contradicts it, or it is unconfirmed: the model pointed there, or
    it is the nearest place that was found. `place` is its position in a source without pages of its own: "lines 3-7",
    "Sheet 2, B7".
    """

    label: str
    element_id: str
    doc_id: str
    document: str
    page: int
    kind: str
    bbox: BBox
    boxes: tuple[BBox, ...]
    quote: str
    context: tuple[BBox, ...] = ()
    role: CitationRole = "proves"
    place: str = ""

    @property
    def against(self) -> bool:
        """True for a place that contradicts the sentence."""
        return self.role == "contradicts"

    @property
    def where(self) -> str:
        """The page, with the position in the source if that says more: "page 2, lines 3-7"."""
        return f"page {self.page}, {self.place}" if self.place else f"page {self.page}"

    @classmethod
    def of(cls, evidence: Evidence, quote: str, boxes: Sequence[BBox], context: Sequence[BBox] = ()) -> Citation:
        """Return the citation of `quote`, found at `boxes` inside the element of `evidence`, else of its row."""
        e = evidence.element
        if not boxes and evidence.row is not None:
            boxes = tuple(cell.bbox for cell in e.cells if cell.row == evidence.row)
        return cls(
            evidence.label,
            e.id,
            e.doc_id,
            evidence.document,
            e.page,
            e.kind,
            e.bbox,
            tuple(boxes),
            quote,
            tuple(context),
            place=cited_place(e, boxes),
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return {
            "document": self.document,
            "page": self.page,
            "bbox": list(self.bbox.as_tuple()),
            "boxes": [list(b.as_tuple()) for b in self.boxes],
            "context": [list(b.as_tuple()) for b in self.context],
            "quote": self.quote,
            "element_id": self.element_id,
            "kind": self.kind,
            "doc_id": self.doc_id,
            "label": self.label,
            "role": self.role,
            "against": self.against,
            "place": self.place,
        }


@dataclass(frozen=True, slots=True)
class Located:
    """The place of a proof inside an element: `boxes`, in fractions of the displayed page, in reading order.

    `context` are the cells that explain them: the head of the column, the label of the row. `confidence`, 0 to 1, is
    that of the localizer; if it is too low, there are no boxes.
    """

    element_id: str
    page: int
    boxes: tuple[BBox, ...]
    context: tuple[BBox, ...]
    confidence: float


class Localizer(Metered, Protocol):
    """A localizer, which finds the boxes of a sentence. It is called only for sentences that are proven."""

    def __call__(self, sentence: str, element: Element, spans: Sequence[tuple[int, int]] = ()) -> Located:
        """Return the place in `element` that proves the sentence; `spans` are the (start, end) that checking found."""
        ...


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer with its verdict and citations; `reason` says in words why it has that verdict.

    `answers` is the calibrated probability, 0 to 1, that a reader learns the answer from a quote, None of all others.
    `beside` is True for a passage shown beside the answer that is not part of it; `heading` is that over a remark of a
    plugin, "" over what was found. `short` is the (start, end) of the
    short answer in the text, if there is one. `differs` says where the page shows other words than the cited text; such
    a sentence is unconfirmed and cites nothing. `conflict` is set for a contradicted sentence, which has a citation of
    the place that says something else. `checked_by` says who confirmed a written sentence: the words of the cited
    places, or a judge that read or saw them. `certainty` is the calibrated probability, 0 to 1, that the cited places
    say it (or, if it is contradicted, that they do not), None if that was not measured. `sources` are the sources that
    its own marks name, in a text that somebody else wrote. `near_miss` says in one line in what a quote surely differs
    from what is asked for: it has another year.
    """

    text: str
    citations: tuple[Citation, ...]
    verdict: Verdict
    reason: str = ""
    answers: float | None = None
    beside: bool = False
    short: tuple[int, int] | None = None
    differs: str = ""
    conflict: Conflict | None = None
    certainty: float | None = None
    sources: tuple[CitedSource, ...] = ()
    checked_by: Literal["", "words", "judge"] = ""
    near_miss: str = ""
    heading: str = ""

    @property
    def proof(self) -> tuple[Citation, ...]:
        """The citations that prove it; empty if it is not proven."""
        return tuple(c for c in self.citations if c.role == "proves") if self.verdict in PROVEN else ()

    @property
    def non_contradicting(self) -> tuple[Citation, ...]:
        """The citations that prove the sentence or are unconfirmed, without those that contradict it."""
        return tuple(c for c in self.citations if not c.against)

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return {
            "text": self.text,
            "verdict": self.verdict,
            "checked_by": self.checked_by,
            "reason": self.reason,
            "answers": None if self.answers is None else round(self.answers, 4),
            "beside": self.beside,
            "heading": self.heading,
            "short": self.text[slice(*self.short)] if self.short else None,
            "differs": self.differs,
            "near_miss": self.near_miss,
            "conflict": self.conflict.to_json() if self.conflict else None,
            "sources": [one.to_json() for one in self.sources],
            "certainty": None if self.certainty is None else round(self.certainty, 4),
            "citations": [c.to_json() for c in self.citations],
        }


@dataclass(frozen=True, slots=True)
class DrawnBox:
    """A box as a model drew it on a page, before it was replaced by that of an element. `page` counts from 1."""

    doc_id: str
    page: int
    bbox: BBox


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer in which every sentence is cited. If it has no sentences, Vouch abstained.

    `evidence` is what was retrieved, `queries` the texts that were searched for, and `pages` the best pages. `method`
    is the method of answering (quote, vanilla, cot, visa), `model` the name of the model that wrote it, empty for a
    quote. `confidence` is the calibrated probability, 0 to 1, that the best sentence of the evidence answers the
    question, for quotes and written answers alike; it is 0 if pages were given and nothing was searched. `timings` are
    seconds per stage, `usage` is the cost of the model's calls, and `notes` are remarks for the reader: evidence that
    did not fit, labels that do not exist. `nothing` says why there is no evidence at all, if that is known. `drawn` is
    the box that the model of method visa drew; it is measured, but never shown as a proof. `missing` is what the model
    says is not on the pages that it was shown.
    """

    question: str
    mode: Mode
    sentences: tuple[Sentence, ...]
    evidence: tuple[Evidence, ...]
    confidence: float
    timings: dict[str, float]
    settings_hash: str
    queries: tuple[str, ...] = ()
    pages: tuple[RankedPage, ...] = ()
    method: MethodName = "quote"
    usage: Usage = NO_USAGE
    notes: tuple[str, ...] = ()
    nothing: str = ""
    drawn: DrawnBox | None = None
    model: str = ""
    missing: str = ""

    @property
    def abstained(self) -> bool:
        """True if none of the evidence answers the question well enough."""
        return not self.sentences

    @property
    def claims(self) -> tuple[Sentence, ...]:
        """The sentences that are written claims, without quotes, computed results and remarks."""
        return tuple(s for s in self.sentences if s.verdict in CLAIMED)

    @property
    def claims_where_led(self) -> tuple[Sentence, ...]:
        """The claims that are proven on one of the LEADING best pages for the question.

        A claim that another page proves may be true, but answer something else.
        """
        best = {(page.doc_id, page.number) for page in self.pages[:LEADING]}
        places = ((claim, claim.proof[0]) for claim in self.claims if claim.verdict in PROVEN and claim.proof)
        return tuple(claim for claim, first in places if (first.doc_id, first.page) in best)

    @property
    def proven_where_led(self) -> float | None:
        """The share of claims proven on the best pages for the question, 0 to 1; None without claims or best pages.

        The share is smoothed by the rule of succession, since one claim says less about an answer than ten; it is not a
        probability. docs/experiments/checking.md reports how well it separates true answers from false ones.
        """
        if not self.claims or not self.pages:
            return None
        return (len(self.claims_where_led) + 1) / (len(self.claims) + 2)

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The citations in reading order, each once; the one shown as number n is citations[n - 1]."""
        return tuple(dict.fromkeys(c for s in self.sentences for c in s.citations))

    def numbers(self, sentence: Sentence) -> tuple[int, ...]:
        """Return the numbers, from 1, under which this sentence's citations are shown."""
        order = {c: n for n, c in enumerate(self.citations, 1)}
        return tuple(order[c] for c in sentence.citations)

    def to_json(self) -> dict[str, Any]:
        """Return plain values, as `vouch ask --json` prints them."""
        return {
            "question": self.question,
            "mode": self.mode,
            "abstained": self.abstained,
            "confidence": round(self.confidence, 4),
            "proven_where_led": None if self.proven_where_led is None else round(self.proven_where_led, 4),
            "sentences": [s.to_json() for s in self.sentences],
            "evidence": [e.to_json() for e in self.evidence],
            "queries": list(self.queries),
            "method": self.method,
            "model": self.model,
            "usage": asdict(self.usage),
            "notes": list(self.notes),
            **({"nothing": self.nothing} if self.nothing else {}),
            **({"missing": self.missing} if self.missing else {}),
            "timings": {k: round(v, 4) for k, v in self.timings.items()},
            "settings_hash": self.settings_hash,
        }


@dataclass(frozen=True, slots=True)
class Opinion:
    """A judge's opinion: the probability, 0 to 1, that the elements prove a sentence, and the judge's reason."""

    probability: float
    reason: str = ""


class Judge(Metered, Protocol):
    """A model that says if the elements which a sentence cites prove it."""

    def judge(self, sentence: str, elements: Sequence[Element], question: str = "") -> Opinion | None:
        """Return the opinion about all elements together; None if the judge has none.

        `question` is what the sentence answers; it may say what the sentence is about.
        """
        ...
