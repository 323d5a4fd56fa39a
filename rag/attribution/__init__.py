"""Attribution: a sentence and its evidence -> a verdict, and the boxes that prove it."""

from rag.attribution.ablate import Ablated, ablate, masked
from rag.attribution.attribute import attributed, relocated

__all__ = ["Ablated", "ablate", "attributed", "masked", "relocated"]
