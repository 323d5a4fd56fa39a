"""Compare a reference with the records of it, field by field, and decide the verdict."""

from rag.audit.judge.comparison import RecordComparison, compare
from rag.audit.judge.findings import with_findings
from rag.audit.judge.identifiers import bare_arxiv, bare_doi
from rag.audit.judge.model import ModelArbiter
from rag.audit.judge.names import same_person
from rag.audit.judge.normal_form import letters_of, words_of
from rag.audit.judge.titles import shared_words
from rag.audit.judge.verdict import Arbiter, judge

__all__ = [
    "Arbiter",
    "ModelArbiter",
    "RecordComparison",
    "bare_arxiv",
    "bare_doi",
    "compare",
    "judge",
    "letters_of",
    "same_person",
    "shared_words",
    "with_findings",
    "words_of",
]
