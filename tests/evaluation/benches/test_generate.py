"""What a prompt is counted as: images and tokens, ours against whole pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.benches.generate import WHOLE_SIDE, Sent, meter, ours, rows, spread, whole
from evaluation.benches.inputs import BenchQuestion
from indexing.embed.minilm import MiniLM
from rag import Pipeline, RagSettings
from rag.llm.images import image_tokens
from tests.support import fakes

PAGES = [["The mill was built in 1887."], *[["Nothing of note."]] * 4]


def asked(text: str = "When was the mill built?") -> BenchQuestion:
    return BenchQuestion(text, "mill.pdf", (1,))


def test_the_reference_is_every_page_at_its_size(tmp_path: Path) -> None:
    made = fakes.collection(tmp_path, MiniLM(threads=1), "mills")
    fakes.index(made, {"mill.pdf": PAGES})
    model = meter()
    reference = whole(made, model, asked())
    page = image_tokens(round(WHOLE_SIDE * 420 / 595), WHOLE_SIDE, model.settings)
    assert reference.images == 5
    assert 5 * page < reference.tokens < 5 * page + 60
    text = ours(Pipeline(made, RagSettings(top_k=1)), model, asked(), "text", "crops")
    assert text.images == 0
    assert text.tokens < reference.tokens


@pytest.mark.parametrize(("tokens", "verdict"), [(90, "PASS"), (110, "over")])
def test_a_tenth_is_the_aim(tokens: int, verdict: str) -> None:
    images, sent, share = rows("x", [Sent(2, tokens)], [Sent(10, 1000)])
    assert (images.ours, images.reference, images.verdict) == (2, 10, "-")
    assert (sent.verdict, share.verdict, share.ours) == (verdict, verdict, pytest.approx(tokens / 10))


def test_questions_are_taken_at_even_distances() -> None:
    many = [asked(str(n)) for n in range(10)]
    assert [q.text for q in spread(many, 5)] == ["0", "2", "4", "6", "8"]
    assert spread(many[:2], 5) == many[:2]
