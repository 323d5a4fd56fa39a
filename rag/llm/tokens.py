"""The number of tokens of a text, estimated without the model's tokenizer: seldom below the count of a server.

Byte-pair tokenizers of today's models keep common words whole, take rarer ones apart, and count digits and signs one by
one (Qwen does both). Too high an estimate costs a piece of evidence; one that is too low costs the answer.
"""

from __future__ import annotations

import math
import re

MESSAGE_TOKENS = 8
"""The tokens that the chat template puts around a message."""
_PIECES = re.compile(r"(?P<capitals>[A-Z]{2,})|(?P<word>[A-Za-z][a-z]*)|(?P<spaces>\s+)|(?P<sign>[!-~])|(?P<other>.)")


def text_tokens(text: str) -> int:
    """Estimate the tokens of a text.

    One counts for a short word, for each four letters of a longer one (2.5 of a compound, 3 of capitals), for each
    digit and sign; beyond ASCII the bytes of a character count: 1.0 for two of them (Greek, accents), 1.3 for three
    (Chinese, Thai), 3 for four (emoji).
    """
    total = 0.0
    for piece in _PIECES.finditer(text):
        found = piece.group()
        kind = piece.lastgroup
        if kind == "word":
            total += 1 if len(found) < 6 else math.ceil(len(found) / (4 if len(found) < 13 else 2.5))
        elif kind == "capitals":
            total += math.ceil(len(found) / 3)
        elif kind == "spaces":  # a single space belongs to the word behind it
            total += found.count("\n") + len(found) / 8 if len(found) > 1 or found == "\n" else 0
        elif kind == "other":
            total += (1.0, 1.0, 1.3, 3.0)[len(found.encode("utf-8", "replace")) - 1]
        else:
            total += 1
    return math.ceil(total)
