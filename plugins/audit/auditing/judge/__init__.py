"""Compare a reference with the records of it, field by field, and decide the verdict."""

from plugins.audit.auditing.judge.comparison import RecordComparison, compare
from plugins.audit.auditing.judge.findings import with_findings
from plugins.audit.auditing.judge.identifiers import bare_arxiv, bare_doi
from plugins.audit.auditing.judge.model import ModelArbiter
from plugins.audit.auditing.judge.names import same_person
from plugins.audit.auditing.judge.normal_form import letters_of, words_of
from plugins.audit.auditing.judge.titles import shared_words
from plugins.audit.auditing.judge.verdict import Arbiter, judge

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
