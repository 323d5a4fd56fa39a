"""Linking: documents by what they are about, and their segments by a model that says which belong together.

A model writes the semantic profile of a document from its front. The documents that a search with the profile ranks
best are the candidates to be linked with it. Another call aligns segments: it forms groups, each with a score and a
rationale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from pydantic import Field

from evaluation.harness import rubric_prompt
from indexing import Collection, Element
from rag.llm import ChatModel, Form, Message, complete_as, fenced, in_line

KINDS = ("text", "list", "table", "picture")
LEAST_CHARS, MOST_CHARS = 60, 1500
"""The bounds of a text, list or table that is shown: less says nothing alone, more is no single piece of evidence."""
LEAST_AREA = 0.01
"""The least share of the page of a picture: smaller ones are signs and rules."""
MOST_ELEMENTS = 8
"""The most elements of a segment; what is longer becomes several."""
OPENING = 160


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of elements under one heading, in reading order; where there are no headings, those of a page."""

    heading: str
    elements: tuple[Element, ...]

    @property
    def doc_id(self) -> str:
        """The document that it stands in."""
        return self.elements[0].doc_id

    def told(self) -> str:
        """Return the segment as a line of a prompt: its pages, its kinds, its heading, the words it opens with."""
        first, last = self.elements[0].page, self.elements[-1].page
        pages = f"page {first}" if first == last else f"pages {first} to {last}"
        kinds = ", ".join(dict.fromkeys(e.kind for e in self.elements))
        opening = " ".join(e.text or e.caption for e in self.elements)[:OPENING]
        return f"{pages} ({kinds}) {in_line(self.heading) or 'no heading'}: {in_line(opening)}"


def segments_of(collection: Collection, doc_id: str, first: int, last: int) -> tuple[Segment, ...]:
    """Return the segments of the pages `first` to `last` of a document, those without usable elements left out."""
    pages = collection.elements_on([(doc_id, number) for number in range(first, last + 1)])
    fit = [e for page in pages for e in page if fits(e)]
    made: list[Segment] = []
    for (section, _), run in groupby(fit, lambda e: (e.section, 0 if e.section else e.page)):
        elements = tuple(run)
        made += [
            Segment(" / ".join(section[-2:]), elements[start : start + MOST_ELEMENTS])
            for start in range(0, len(elements), MOST_ELEMENTS)
        ]
    return tuple(made)


def fits(element: Element) -> bool:
    """Return True for an element that can be evidence by itself."""
    if element.kind == "picture":
        return element.bbox.area >= LEAST_AREA and len(element.text) <= MOST_CHARS
    return element.kind in KINDS and LEAST_CHARS <= len(element.text) <= MOST_CHARS


def uniform(elements: Sequence[Element]) -> str:
    """Say why elements are too much alike for a package, of two pages and two kinds at least; empty when not."""
    if len({(e.doc_id, e.page) for e in elements}) < 2:
        return "evidence of one page"
    return "evidence of one kind" if len({e.kind for e in elements}) < 2 else ""


MOST_GROUPS, MOST_SEGMENTS = 5, 3
"""The most groups of an alignment, and segments of a group (section 3 of the paper)."""
BEST_SCORE, LEAST_SCORE = 5, 3
SHOWN_SEGMENTS = 24
FRONT_PAGES, FRONT_CHARS = 6, 4000
NEAREST = 3
PROFILE_TOKENS, ALIGNMENT_TOKENS = 500, 900


class SemanticProfile(Form):
    """The subject of a document, its type, the names and terms that mark it, and a summary."""

    subject: str = Field(max_length=160)
    type: str = Field(max_length=60)
    terms: list[str] = Field(max_length=10)
    summary: str = Field(max_length=500)

    def told(self) -> str:
        """Return the profile on one line, for a search or a prompt."""
        return in_line(f"{self.subject}. {self.summary} {', '.join(term[:60] for term in self.terms)}")


class _Group(Form):
    segments: list[int] = Field(min_length=1, max_length=MOST_SEGMENTS)
    score: int = Field(ge=1, le=BEST_SCORE)
    rationale: str = Field(max_length=300)


class _Alignment(Form):
    groups: list[_Group] = Field(max_length=MOST_GROUPS)


@dataclass(frozen=True, slots=True)
class SegmentGroup:
    """Segments that belong together, how closely (1 to 5), and why."""

    segments: tuple[Segment, ...]
    score: int
    rationale: str


class Linker:
    """The links of one collection; each document is profiled once."""

    def __init__(self, collection: Collection, model: ChatModel) -> None:
        self._collection = collection
        self._model = model
        self._profiles: dict[str, SemanticProfile] = {}

    def profile(self, doc_id: str) -> SemanticProfile:
        """Return the profile of a document, made from its first pages. Raises ModelError."""
        if doc_id not in self._profiles:
            last = min(FRONT_PAGES, self._collection.document(doc_id).n_pages)
            pages = self._collection.elements_on([(doc_id, number) for number in range(1, last + 1)])
            front = "\n".join(e.text for page in pages for e in page if e.kind != "group")[:FRONT_CHARS]
            words = rubric_prompt("plugins.research:construct_profile").filled(front=fenced(front) or "(no text)")
            self._profiles[doc_id], _ = complete_as(
                self._model, [Message("user", (words,))], SemanticProfile, PROFILE_TOKENS
            )
        return self._profiles[doc_id]

    def nearest(self, doc_id: str) -> tuple[str, ...]:
        """Return the other documents that a search with a document's profile ranks best. Raises ModelError."""
        others = [d.id for d in self._collection.documents() if d.id != doc_id]
        if not others:
            return ()
        ranked = self._collection.search(self.profile(doc_id).told(), doc_ids=others, limit=NEAREST * 4).pages
        return tuple(dict.fromkeys(page.doc_id for page in ranked))[:NEAREST]

    def aligned(self, segments: Sequence[Segment]) -> tuple[SegmentGroup, ...]:
        """Return the groups that a model forms of segments, the closest first; those of a low score are left out.

        A group that names a segment which is not there, or one twice, is left out. Raises ModelError.
        """
        order = list(dict.fromkeys(s.doc_id for s in segments))
        profiles = "\n".join(f"Document {n}: {self.profile(doc).told()}" for n, doc in enumerate(order, 1))
        listed = "\n".join(f"{n}. document {order.index(s.doc_id) + 1}, {s.told()}" for n, s in enumerate(segments, 1))
        words = rubric_prompt("plugins.research:construct_alignment").filled(
            profiles=profiles, segments=listed, groups=MOST_GROUPS, most=MOST_SEGMENTS
        )
        reply, _ = complete_as(self._model, [Message("user", (words,))], _Alignment, ALIGNMENT_TOKENS)
        found = [
            SegmentGroup(tuple(segments[n - 1] for n in sorted(g.segments)), g.score, g.rationale)
            for g in reply.groups
            if g.score >= LEAST_SCORE
            and len(set(g.segments)) == len(g.segments)
            and all(0 < n <= len(segments) for n in g.segments)
        ]
        return tuple(sorted(found, key=lambda group: -group.score))
