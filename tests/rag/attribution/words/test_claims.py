"""What a sentence claims: its words, frames that are taken off, its parts, and what claims nothing."""

import pytest

from rag.attribution.words import claims_nothing, claims_of, parts, strip_frames


@pytest.mark.parametrize(
    ("text", "negations"),
    [
        ("The mill did not need wheat.", ["not"]),
        ("It is not one of the nine boats.", ["not"]),
        ("No new boats came.", ["No"]),
        ("Boat no. 7 came.", []),
        ("No 7 came.", []),
        ("No more than seven came.", []),
        ("Not least the boats came.", []),
        ("They don't sail.", ["don't"]),
    ],
)
def test_what_denies_and_what_only_looks_like_it(text: str, negations: list[str]) -> None:
    claims = claims_of(text)
    assert [claims.said_word(t) for t in claims.negations] == negations


QUESTION = "How many ferries left Bergen in 2019?"


@pytest.mark.parametrize(
    ("sentence", "rest"),
    [
        ("According to the table, the share fell.", "the share fell."),
        ("The chart shows that Oslo grew.", "Oslo grew."),
        ("The answer is: Bergen.", "Bergen."),
        ("Costs fell, as shown in the figure.", "Costs fell."),
        ("According to Anna Holm, the mill was sold.", "According to Anna Holm, the mill was sold."),
    ],
)
def test_frames_are_taken_off(sentence: str, rest: str) -> None:
    assert strip_frames(sentence) == rest


@pytest.mark.parametrize(
    "sentence",
    [
        "To answer the question, we need to look at the table.",
        "To determine how many ferries left Bergen in 2019, let's examine the provided images.",
        "The table shows the relevant information:",
        "Based on the provided information, here is the answer.",
        "Is this the whole list?",
    ],
)
def test_what_claims_nothing(sentence: str) -> None:
    assert claims_nothing(sentence, QUESTION)


@pytest.mark.parametrize(
    "sentence",
    [
        "In 2019 four ferries left Bergen.",
        "It was 43%.",
        "Bergen.",
        "No.",
        "We can see that sales rose.",
        "The mill was not built in 1887.",
        "The table does not mention Anna Holm.",
        "The report shows that the ferries were late.",
    ],
)
def test_what_may_be_true_or_false_is_a_claim(sentence: str) -> None:
    assert claims_nothing(sentence, QUESTION) == ""


def test_a_claim_is_taken_apart_at_its_joints() -> None:
    assert parts("Sales rose to 4.1 million, while costs fell by 3%") == (
        "Sales rose to 4.1 million",
        "costs fell by 3%",
    )
