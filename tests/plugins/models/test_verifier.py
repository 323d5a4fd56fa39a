"""The small judge of texts: what it decides alone, what it leaves to others, and its threshold."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from indexing import BBox, Element
from plugins.models.verifier import PIECE_CHARS, Verifier, confidence, parts_of, probabilities
from rag import RagSettings
from rag.attribution import CONFIRMS, Checker, judge_of
from rag.settings import VerifierSettings
from rag.types import Evidence, Opinion
from rag.usage import NO_USAGE, Usage
from tests.support.cross_encoder_files import MadePair, make_pair

TEXT, CLAIM = "The old mill grinds rye.", "Rye is ground there."
WORDS = [TEXT, CLAIM, "does it follow: yes or no"]


@pytest.fixture
def made(tmp_path: Path) -> MadePair:
    return make_pair(tmp_path / "pair", WORDS)


def element(text: str = TEXT, kind: str = "text", number: int = 0) -> Element:
    return Element(f"e{number}", "doc", 1, kind, text, BBox(0, 0, 1, 1), "layer")  # type: ignore[arg-type]


def sigmoid(value: float) -> float:
    return float(1 / (1 + np.exp(-value)))


class Other:
    """Another judge, which remembers what it was asked."""

    usage: Usage = NO_USAGE
    notes: Sequence[str] = ("the other judge was away",)

    def __init__(self) -> None:
        self.asked: list[str] = []

    def judge(self, sentence: str, elements: Sequence[Element], question: str = "") -> Opinion | None:
        del elements, question
        self.asked.append(sentence)
        return Opinion(0.99, "seen")


def tokens(text: str) -> list[str]:
    return text.lower().replace(".", " .").replace(":", " :").split()


def test_a_text_is_judged_by_the_model_alone(made: MadePair) -> None:
    other = Other()
    raw = sigmoid(made.score(*tokens(TEXT), *tokens(CLAIM)))
    verifier = Verifier(VerifierSettings(checkpoint=str(made.folder), threshold=raw / 2), other)
    opinion = verifier.judge(CLAIM, [element()])
    assert opinion is not None
    assert opinion.probability == pytest.approx(confidence(raw, raw / 2), abs=1e-3)
    assert opinion.probability > CONFIRMS
    assert opinion.reason == f"the verifier gives it {raw:.2f}"
    assert other.asked == []


@pytest.mark.parametrize("kind", ["picture", "table"])
def test_figures_and_tables_are_left_to_the_other_judge(made: MadePair, kind: str) -> None:
    other = Other()
    settings = VerifierSettings(checkpoint=str(made.folder))
    assert Verifier(settings, other).judge(CLAIM, [element(), element(kind=kind, number=1)]) == Opinion(0.99, "seen")
    assert Verifier(settings).judge(CLAIM, [element(kind=kind)]) is None


def test_a_model_that_cannot_be_loaded_leaves_all_to_the_other_judge_and_is_tried_once(tmp_path: Path) -> None:
    other = Other()
    verifier = Verifier(VerifierSettings(checkpoint=str(tmp_path / "gone")), other)
    for _ in range(2):
        assert verifier.judge(CLAIM, [element()]) == Opinion(0.99, "seen")
    assert [note[:30] for note in verifier.notes] == ["the verifier was not used: the", "the other judge was away"]


def test_a_template_is_filled_with_the_words_of_neither(made: MadePair) -> None:
    settings = VerifierSettings(checkpoint=str(made.folder), template="{text} does it follow: {claim} yes or no")
    filled = [*tokens("{claim}"), *tokens(TEXT), "does", "it", "follow", ":", *tokens(CLAIM), "yes", "or", "no"]
    known = ["[UNK]" if token not in tokens(" ".join(WORDS)) else token for token in filled]
    known = ["[CLS]", *["[UNK]"] * 3, *known[1:], "[SEP]"]  # {claim} is three tokens: a brace, a word, a brace
    (found,) = probabilities([("{claim} " + TEXT, CLAIM)], settings)
    assert found == pytest.approx(sigmoid(made.score(*known)), abs=1e-3)
    with pytest.raises(ValueError, match="each once"):
        VerifierSettings(checkpoint="x", template="only {text}")


def test_a_long_text_is_read_in_parts_that_overlap() -> None:
    text = "".join(chr(97 + n % 26) for n in range(3 * PIECE_CHARS))
    parts = parts_of(text)
    assert all(len(part) <= PIECE_CHARS for part in parts)
    assert all(any(text[at : at + 200] in part for part in parts) for at in range(0, len(text) - 200, 50))
    assert parts_of("short") == ["short"]
    assert parts_of("") == [""]


@pytest.mark.parametrize(("threshold", "verdict"), [(0.001, "confirmed"), (0.999, "unconfirmed")])
def test_the_threshold_decides_about_a_sentence(made: MadePair, threshold: float, verdict: str) -> None:
    verifier = Verifier(VerifierSettings(checkpoint=str(made.folder), threshold=threshold))
    item = Evidence("E1", element(), "mill.pdf", 1.0)
    sentence = Checker(verifier)("The miller is fond of cereals and sells them.", [item], [item])
    assert sentence.verdict == verdict


def test_the_confidence_meets_the_bound_of_confirming_at_the_threshold() -> None:
    values = [confidence(p, 0.3) for p in (0.0, 0.29, 0.3, 0.31, 1.0)]
    assert values == sorted(values)
    assert (values[0], values[2], values[4]) == pytest.approx((0.0, CONFIRMS, 1.0))


def test_the_settings_choose_the_judge(made: MadePair) -> None:
    verified = RagSettings(verifier=VerifierSettings(checkpoint=str(made.folder)), judge="rules")
    chosen = judge_of(verified, None, lambda _: pytest.fail("nothing is drawn"), None)
    assert isinstance(chosen, Verifier)
    assert chosen.judge(CLAIM, [element(kind="picture")]) is None
    assert judge_of(RagSettings(), None, lambda _: pytest.fail("nothing is drawn"), None) is None
    other = Other()
    assert judge_of(verified, None, lambda _: pytest.fail("nothing is drawn"), other) is other
