"""The input of the reader: question, sentence and region as the tokens of one row, in training as in use.

    [CLS] question [SEP] sentence [SEP] region [SEP]

The sentence is a claim that is checked against the region; where there is none, its separator goes too. Tokens of the
region and the last separator have type 1, all before them type 0. A line break of a region becomes a token of its own
(¶): a table's rows stand on lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rag.errors import ReaderDamaged

if TYPE_CHECKING:
    from tokenizers import Encoding

QUESTION_TOKENS, SENTENCE_TOKENS = 48, 64
MOST_TOKENS = 256
"""Tokens of a row, separators included: MiniLM was trained on as many. The rest of a longer region is not read."""
LINE_BREAK = "¶"


@dataclass(frozen=True, slots=True)
class ReaderInput:
    """A row of the reader: token ids, and the places of the region's tokens in its text.

    Token `first + i` is the region's characters from `offsets[i][0]` up to `offsets[i][1]`.
    """

    ids: tuple[int, ...]
    first: int
    offsets: tuple[tuple[int, int], ...]

    @property
    def end(self) -> int:
        """The token after the region's last: the final separator."""
        return len(self.ids) - 1

    def tokens_of(self, start: int, end: int) -> tuple[int, int] | None:
        """Find the first and the last token of the region's characters from `start` up to `end`.

        None where they were cut off; the last character may be missing.
        """
        inside = [i for i, (a, b) in enumerate(self.offsets) if a < end and b > start]
        if not inside or self.offsets[inside[-1]][1] < end - 1:
            return None
        return self.first + inside[0], self.first + inside[-1]

    def characters_of(self, first: int, last: int) -> tuple[int, int]:
        """Give the region's characters, (start, end), of the row's tokens `first` to `last`, both included."""
        return self.offsets[first - self.first][0], self.offsets[last - self.first][1]


class InputEncoder:
    """An encoder of question, sentence and region into the reader's row of tokens."""

    def __init__(self, tokenizer: Path | bytes) -> None:
        """Load a `tokenizer.json`, from its path or its bytes. Raises ReaderDamaged for one that is of no use."""
        from tokenizers import Tokenizer

        data = tokenizer.read_bytes() if isinstance(tokenizer, Path) else tokenizer
        try:
            self._tokenizer = Tokenizer.from_buffer(data)
        except Exception as error:  # noqa: BLE001  tokenizers raises nothing more specific
            raise ReaderDamaged(
                f"the reader's tokenizer cannot be read ({error}): use the one that the reader came with"
            ) from None
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._start, self._separator = self._special("[CLS]"), self._special("[SEP]")
        self._special(LINE_BREAK)

    def encode(
        self, questions: Sequence[str], sentences: Sequence[str], regions: Sequence[str]
    ) -> tuple[ReaderInput, ...]:
        """Encode rows, one of each question, sentence ("" for none) and region."""
        asked, said, read = (self._tokens(texts) for texts in (questions, sentences, regions))
        return tuple(self._row(q, s, r) for q, s, r in zip(asked, said, read, strict=True))

    def _tokens(self, texts: Sequence[str]) -> list[Encoding]:
        """Return the tokens of texts without special ones; line break and ¶ are one character each, so offsets hold."""
        return self._tokenizer.encode_batch([t.replace("\n", LINE_BREAK) for t in texts], add_special_tokens=False)

    def _row(self, question: Encoding, sentence: Encoding, region: Encoding) -> ReaderInput:
        ids = [self._start, *question.ids[:QUESTION_TOKENS], self._separator]
        if sentence.ids:
            ids += [*sentence.ids[:SENTENCE_TOKENS], self._separator]
        kept = MOST_TOKENS - len(ids) - 1
        return ReaderInput(
            (*ids, *region.ids[:kept], self._separator), first=len(ids), offsets=tuple(region.offsets[:kept])
        )

    def _special(self, token: str) -> int:
        number = self._tokenizer.token_to_id(token)
        if number is None:
            raise ReaderDamaged(f"the reader's tokenizer has no token {token}: it is not the one of MiniLM (uncased)")
        return number


def padded(rows: Sequence[ReaderInput]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Join rows to one batch: ids, mask and types, each (b, n), 0 behind the end of a row."""
    shape = (len(rows), max(len(row.ids) for row in rows))
    ids, mask, types = (np.zeros(shape, np.int64) for _ in range(3))
    for k, row in enumerate(rows):
        ids[k, : len(row.ids)] = row.ids
        mask[k, : len(row.ids)] = 1
        types[k, row.first : len(row.ids)] = 1
    return ids, mask, types
