"""Compare a sentence with what it cites, by words alone: confirmed, open or contradicted."""

from rag.attribution.rules.compare import Comparison, Outcome, compare
from rag.attribution.verify import Difference

__all__ = ["Comparison", "Difference", "Outcome", "compare"]
