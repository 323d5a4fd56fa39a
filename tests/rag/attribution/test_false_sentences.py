"""Two hundred false sentences against the rules, each in two wordings, and the true sentences they were made from."""

import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from indexing import Collection, Element
from indexing.language import tokens
from rag.attribution.attribute import Checker
from rag.types import Evidence
from tests.support import fakes

pytestmark = [pytest.mark.slow, pytest.mark.gate]

FILE = Path(__file__).with_name("false_sentences.yaml")
SAMPLES = {
    "ferry": "sallow-bay-annual-report.pdf",
    "swifts": "counting-swifts-article.pdf",
    "bus": "night-bus-trial-slides.pdf",
    "bridge": "mill-lane-inspection-1987.pdf",
    "gauge": "tg40-tide-gauge-manual.pdf",
    "clock": "uhrenmuseum-faltblatt.pdf",
}
MOST_FALSE = 0.02
"""The most of the false sentences that words alone confirm."""
LEAST_TRUE = {"verbatim": 0.98, "reworded": 0.62}
"""The least share of the true ones that they confirm: 0.98 and 0.63 were measured, as before the false were met."""
PARTS, GROUPS = 12, 6
"""The most paragraphs and groups of a document, those with most of its words, that a sentence is held against."""
_CHANGED = re.compile(r"\{([^|{}]*)\|([^{}]*)\}")


class Told(NamedTuple):
    """A sentence of the set: `half` says if the rules were made with it at hand (0) or only measured by it (1)."""

    kind: str
    half: int
    document: str
    wording: str
    true: bool
    text: str


def told() -> list[Told]:
    """Return every sentence of the set, the true form and the false one of each wording."""
    found = []
    for kind, entries in yaml.safe_load(FILE.read_text(encoding="utf-8")).items():
        for n, (document, *wordings) in enumerate(entries):
            for wording, text in zip(("verbatim", "reworded"), wordings, strict=True):
                forms = [" ".join(_CHANGED.sub(rf"\{k}", text).split()) for k in (1, 2)]
                found += [
                    Told(kind, n % 2, document, wording, true, form[0].upper() + form[1:])
                    for true, form in zip((True, False), forms, strict=True)
                ]
    return found


def documents(samples: Collection) -> dict[str, list[Element]]:
    """Return the elements of the samples, and those of the made documents, five sentences each."""
    found = {}
    for name, file in SAMPLES.items():
        document = samples.document(file)
        found[name] = [e for n in range(1, document.n_pages + 1) for e in samples.page_elements(document.id, n)]
    made = defaultdict(list)
    for one in told():
        if one.true and one.wording == "verbatim" and one.document not in SAMPLES:
            made[one.document].append(one.text)
    for name, sentences in made.items():
        pieces = [" ".join(sentences[at : at + 5]) for at in range(0, len(sentences), 5)]
        found[name] = [fakes.element(piece, name, 1, n) for n, piece in enumerate(pieces, 1)]
    return found


def confirmed(sentence: str, elements: list[Element]) -> bool:
    """Return True if words confirm a sentence by the paragraphs of a document, or by these and its groups."""
    words = {t.stem for t in tokens(sentence)}
    elements = sorted(elements, key=lambda e: -len(words & {t.stem for t in tokens(e.text)}))
    near = [e for e in elements if e.kind != "group"][:PARTS]
    for shown in (near, [e for e in elements if e.kind == "group"][:GROUPS] + near):
        evidence = [Evidence(f"E{n}", element, "d", 1.0) for n, element in enumerate(shown, 1)]
        if Checker()(sentence, (), evidence).verdict == "confirmed":
            return True
    return False


@pytest.fixture(scope="module")
def outcomes(samples: Collection) -> list[tuple[Told, bool]]:
    every = documents(samples)
    return [(one, confirmed(one.text, every[one.document])) for one in told()]


def test_there_are_twenty_of_each_kind() -> None:
    kinds = Counter(one.kind for one in told() if not one.true and one.wording == "reworded")
    assert (len(kinds), set(kinds.values())) == (10, {20})


@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize("wording", LEAST_TRUE)
def test_hardly_any_false_sentence_is_confirmed(outcomes: list[tuple[Told, bool]], wording: str, half: int) -> None:
    false = [(one, proven) for one, proven in outcomes if (one.true, one.wording, one.half) == (False, wording, half)]
    wrong = [one.text for one, proven in false if proven]
    assert len(wrong) <= MOST_FALSE * len(false), wrong


@pytest.mark.parametrize("wording", LEAST_TRUE)
def test_true_sentences_do_not_pay(outcomes: list[tuple[Told, bool]], wording: str) -> None:
    true = [(one, proven) for one, proven in outcomes if one.true and one.wording == wording]
    open_ = [one.text for one, proven in true if not proven]
    assert len(open_) <= (1 - LEAST_TRUE[wording]) * len(true), open_
