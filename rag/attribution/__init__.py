"""Attribution: a sentence and its evidence -> a verdict, and the boxes that prove it."""

from rag.attribution.ablate import Ablated, ablate, masked
from rag.attribution.attribute import attributed, relocated
from rag.attribution.statements import Statement, statements

__all__ = ["Ablated", "Statement", "ablate", "attributed", "masked", "relocated", "statements"]
