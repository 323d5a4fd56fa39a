"""Verify a sentence against its evidence, and find the boxes that prove it."""

from rag.attribution.ablate import Ablated, ablate, mask_citations
from rag.attribution.attribute import Checker, relocate_citations
from rag.attribution.checking import (
    BIBLIOGRAPHY_HEADINGS,
    ENTRY,
    Hold,
    ListedEntry,
    TextCheck,
    entries_among,
    listed_entries,
    own_bibliography,
)
from rag.attribution.judge import CONFIRMS, BoundedJudge, ModelJudge, judge_of
from rag.attribution.localizer import (
    CONVENTIONS,
    Corners,
    Fit,
    Picture,
    VisaLocalizer,
    box_of,
    boxes_of,
    drawing_model,
    localize,
    localizer_of,
    snap_to_element,
)
from rag.attribution.print_check import READERS, PrintCheck, compare_in_order
from rag.attribution.statements import (
    MOST_MARKED,
    MOST_STATEMENTS,
    AnswerStatement,
    CitationMark,
    FindWorks,
    MarkKind,
    citation_marks,
    plain,
    statements,
    statements_of_lines,
    without_marks,
)
