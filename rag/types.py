"""The values that travel through answering: evidence, citations, sentences, answers.

A `Citation` is made by code from `Evidence` (`Citation.of`), never from something a model wrote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from indexing import BBox, Element, Mode
from rag.chat import NO_USAGE, Usage

if TYPE_CHECKING:
    from PIL import Image

Method = Literal["quote", "vanilla", "cot", "visa"]
Verdict = Literal["supported", "partial", "unsupported", "unchecked"]


@dataclass(frozen=True, slots=True)
class Query:
    """Something to search for: `purpose` says whether it is put to texts or to what pages look like."""

    text: str
    purpose: Literal["text", "image"]


@dataclass(frozen=True, slots=True)
class RankedPage:
    """A retrieved page: its number, from 1, in a document, and what it was ranked by."""

    doc_id: str
    document: str
    number: int
    score: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """A retrieved element under the short label (`E1`, `E2`, ...) by which it is named, best first.

    `found_by` are the numbers, from 1, of the queries that have it among their own best; `by_view` what its text and
    what its page's pixels say to the first (`indexing.Hit`); `knowledge` is what was extracted from it without a look
    at the question, empty when nothing was.
    """

    label: str
    element: Element
    document: str
    score: float
    found_by: tuple[int, ...] = (1,)
    knowledge: str = ""
    by_view: tuple[tuple[str, float], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain values for `--json`."""
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
class Citable:
    """A region of a page that a reader might mark: an element or a group, with how probable that is, 0 to 1.

    `labels` name the evidence in it, best first; `values` are what the probability was made of.
    """

    element: Element
    probability: float
    labels: tuple[str, ...]
    values: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Exhibit:
    """What a model is shown at once: a piece of evidence as text, as an image (RGB) or as both.

    Several pieces share the image of the page that they are on; their labels are then drawn beside them.
    """

    evidence: tuple[Evidence, ...]
    image: Image.Image | None
    text: bool


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a sentence is proven: the element's box on its page, tighter line or cell `boxes` inside it, the quote.

    `context` are boxes of what explains it: header cells, or the caption that is quoted for a picture. `page` counts
    from 1; boxes are fractions of the displayed page; `label` is the evidence it came from.
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

    @classmethod
    def of(cls, evidence: Evidence, quote: str, boxes: Sequence[BBox], context: Sequence[BBox] = ()) -> Citation:
        """The citation of `quote`, found at `boxes` inside the element of `evidence`."""
        e = evidence.element
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
        )

    def to_json(self) -> dict[str, Any]:
        """Plain values for `--json`."""
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
        }


@dataclass(frozen=True, slots=True)
class Located:
    """Where in an element the proof stands: `boxes`, in fractions of the displayed page, in reading order.

    `context` are the cells that explain them: head of the column, label of the row. `confidence` is 0 to 1, as its
    localizer measures it; where that is too low there are no boxes.
    """

    element_id: str
    page: int
    boxes: tuple[BBox, ...]
    context: tuple[BBox, ...]
    confidence: float


class Localizer(Protocol):
    """Boxes a sentence that was checked. Called for nothing else: what is not proven gets no box."""

    def __call__(self, sentence: str, element: Element, spans: Sequence[tuple[int, int]] = ()) -> Located:
        """Where `element` proves the sentence; `spans` are (start, end) in its text that checking found."""
        ...


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer with its proof; `reason` says in words why it has its verdict."""

    text: str
    citations: tuple[Citation, ...]
    verdict: Verdict
    reason: str = ""


@dataclass(frozen=True, slots=True)
class DrawnBox:
    """A box as a model drew it on a page that it was shown, before an element took its place. `page` counts from 1."""

    doc_id: str
    page: int
    bbox: BBox


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, every sentence cited. No sentences means that Vouch abstained: `evidence` says what it looked at.

    `timings` are seconds a stage; `confidence` is the calibrated probability, 0 to 1, that the best sentence of the
    evidence answers: of a quote, and of what there was to write an answer from;
    `queries` are what was searched for, and `pages` the best pages. `method` says how it was made (quote, vanilla, cot,
    visa), `usage` what the model's calls cost, and `notes` what a reader should know of how it came about: evidence
    that did not fit, labels that do not exist. `nothing` says why there is no evidence at all, where that is known.
    `drawn` is what the model of method visa drew: it is measured, and never shown as a proof.
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
    method: Method = "quote"
    usage: Usage = NO_USAGE
    notes: tuple[str, ...] = ()
    nothing: str = ""
    drawn: DrawnBox | None = None

    @property
    def abstained(self) -> bool:
        """True when nothing retrieved answers well enough."""
        return not self.sentences

    @property
    def citations(self) -> tuple[Citation, ...]:
        """All citations in reading order, each once: number n of the answer is citations[n - 1]."""
        return tuple(dict.fromkeys(c for s in self.sentences for c in s.citations))

    def numbers(self, sentence: Sentence) -> tuple[int, ...]:
        """The numbers, from 1, under which this sentence's citations are shown."""
        order = {c: n for n, c in enumerate(self.citations, 1)}
        return tuple(order[c] for c in sentence.citations)

    def to_json(self) -> dict[str, Any]:
        """The form that `vouch ask --json` prints."""
        return {
            "question": self.question,
            "mode": self.mode,
            "abstained": self.abstained,
            "confidence": round(self.confidence, 4),
            "sentences": [
                {
                    "text": s.text,
                    "verdict": s.verdict,
                    "reason": s.reason,
                    "citations": [c.to_json() for c in s.citations],
                }
                for s in self.sentences
            ],
            "evidence": [e.to_json() for e in self.evidence],
            "queries": list(self.queries),
            "method": self.method,
            "usage": asdict(self.usage),
            "notes": list(self.notes),
            **({"nothing": self.nothing} if self.nothing else {}),
            "timings": {k: round(v, 4) for k, v in self.timings.items()},
            "settings_hash": self.settings_hash,
        }
