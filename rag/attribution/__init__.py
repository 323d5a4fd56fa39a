"""Attribution: a sentence and its evidence -> a verdict, and the boxes that prove it."""

from rag.attribution.ablate import Ablated, ablate, masked
from rag.attribution.attribute import attributed, relocated
from rag.attribution.statements import AnswerStatement, statements

__all__ = ["Ablated", "AnswerStatement", "ablate", "attributed", "masked", "relocated", "statements"]
