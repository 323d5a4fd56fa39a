"""Verify a sentence against its evidence, and find the boxes that prove it."""

from rag.attribution.ablate import Ablated, ablate, mask_citations
from rag.attribution.attribute import Checker, relocate_citations
from rag.attribution.bibliography import BIBLIOGRAPHY_HEADINGS, Hold, ListedEntry, entries_among, own_bibliography
from rag.attribution.checking import ENTRY, TextCheck, listed_entries
from rag.attribution.judge import CONFIRMS, BoundedJudge, ModelJudge, judge_of
from rag.attribution.marks import MOST_MARKED, CitationMark, FindWorks, MarkKind, citation_marks, without_marks
from rag.attribution.print_check import READERS, PrintCheck, compare_in_order
from rag.attribution.statements import MOST_STATEMENTS, AnswerStatement, plain, statements, statements_of_lines
