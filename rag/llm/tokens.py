"""Estimate the tokens of a text without the model's tokenizer; the estimate is seldom below the server's count.

Byte-pair tokenizers of current models keep common words whole, split rarer ones, and count digits and signs one by one
(Qwen does both). An estimate that is too high costs some evidence; one that is too low costs the answer.
"""

from __future__ import annotations

import math
import re

MESSAGE_TOKENS = 8
"""The tokens that the chat template puts around a message."""
_PIECES = re.compile(r"(?P<capitals>[A-Z]{2,})|(?P<word>[A-Za-z][a-z]*)|(?P<spaces>\s+)|(?P<sign>[!-~])|(?P<other>.)")


def text_tokens(text: str) -> int:
    """Estimate the tokens of a text.

    A short word is one token, a longer one a token for every four letters (2.5 in a compound, 3 in capitals); digits
    and signs are one each. Other characters count by their bytes in UTF-8: 1.0 for two bytes (Greek, accents), 1.3 for
    three (Chinese, Thai), 3 for four (emoji).
    """
    total = 0.0
    for piece in _PIECES.finditer(text):
        chars = piece.group()
        kind = piece.lastgroup
        if kind == "word":
            total += 1 if len(chars) < 6 else math.ceil(len(chars) / (4 if len(chars) < 13 else 2.5))
        elif kind == "capitals":
            total += math.ceil(len(chars) / 3)
        elif kind == "spaces":  # a single space belongs to the word behind it
            total += chars.count("\n") + len(chars) / 8 if len(chars) > 1 or chars == "\n" else 0
        elif kind == "other":
            total += (1.0, 1.0, 1.3, 3.0)[len(chars.encode("utf-8", "replace")) - 1]
        else:
            total += 1
    return math.ceil(total)
