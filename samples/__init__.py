"""Vouch's own sample collection: seven original documents, and the questions with the boxes that answer them."""

from pathlib import Path

DOCUMENTS = Path(__file__).parent / "documents"
"""The folder of the sample documents; it lies in an installed Vouch too."""
NAME = "samples"
"""The name of the collection that `make demo` and `vouch index --samples` make of them."""
QUESTIONS = (
    "How many departures were cancelled?",
    "Which Modbus register holds the supply voltage?",
    "How many litres a day go down the toilet, per person?",
)
"""Questions that the page offers for a click: answered by a sentence, a row of a table, and words in a picture."""
