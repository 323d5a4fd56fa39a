"""Compare a sentence with what it cites, by words alone: confirmed, open or contradicted."""

from rag.attribution.rules.compare import LEAST_SUPPORTED, MAX_SENTENCE, Compared, Outcome, compare
from rag.attribution.rules.prose import Difference
