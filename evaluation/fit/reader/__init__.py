"""The reader's training: `python -m evaluation.fit reader`; and the open questions, which other fits learn from too."""

from evaluation.fit.reader.cli import add_common, main, require, weights_of
from evaluation.fit.reader.corpus import AskedQuestion, Corpus, CorpusPassage, CorpusTable, held_out, read

__all__ = [
    "AskedQuestion",
    "Corpus",
    "CorpusPassage",
    "CorpusTable",
    "add_common",
    "held_out",
    "main",
    "read",
    "require",
    "weights_of",
]
