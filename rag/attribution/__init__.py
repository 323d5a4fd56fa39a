"""Attribution: a sentence and its evidence -> a verdict, and the boxes that prove it."""

from rag.attribution.ablate import Ablated, ablate, masked
from rag.attribution.attribute import attributed, relocated
from rag.attribution.print_check import PrintCheck
from rag.attribution.statements import AnswerStatement, statements

__all__ = ["Ablated", "AnswerStatement", "PrintCheck", "ablate", "attributed", "masked", "relocated", "statements"]
