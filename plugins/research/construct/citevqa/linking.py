"""Linking: documents by what they are about, and their segments by a model that says which belong together.

A model writes the semantic profile of a document from its front. The documents that a search with the profile ranks
best are the candidates to be linked with it. Another call aligns segments: it forms groups, each with a score and a
rationale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from evaluation.harness import rubric_prompt
from indexing import Collection
from plugins.research.construct.citevqa.segments import Segment
from rag.llm import ChatModel, Form, Message, complete_as, fenced, in_line

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
