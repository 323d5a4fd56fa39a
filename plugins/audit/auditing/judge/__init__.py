"""Compare a reference with the records of it, field by field, and decide the verdict."""

from plugins.audit.auditing.judge.authors import same_person
from plugins.audit.auditing.judge.comparison import RecordComparison, compare
from plugins.audit.auditing.judge.fields import shared_words
from plugins.audit.auditing.judge.normal_form import letters_of, words_of
from plugins.audit.auditing.judge.verdict import judge, with_findings
