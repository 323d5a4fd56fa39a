"""The options that a method declares: values and defaults, and refusals of what it does not have."""

import pytest

from rag import Pipeline
from rag.errors import OptionRefused
from rag.options import AnswerOptions, Question
from ui.cli.parser import build_parser
from vouch import hooks

SHORT = hooks.AnswerMethod(
    "short", "Short", "short", "a short quote", "rag.methods.quote:quote_method", model=False, pages=False,
    options=(hooks.MethodOption("min_words", 3, "the fewest words"), hooks.MethodOption("share", 0.5, "the share"),
             hooks.MethodOption("in_order", False, "in order")),
)  # fmt: skip


@pytest.fixture(autouse=True)
def plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    plugin = hooks.Plugin("brief", "It is brief.", methods=(SHORT,))
    monkeypatch.setattr(hooks, "load_installed", lambda: hooks.Installed((plugin,), ()))


def test_a_method_reads_its_options_with_their_defaults() -> None:
    question = Question("Why?", method_options={"min_words": 5, "share": 1}).for_method("short")
    assert question.method_options == {"min_words": 5, "share": 1, "in_order": False}


@pytest.mark.parametrize(
    ("method", "options", "why"),
    [
        ("quote", {"method_options": {"min_words": 5}}, "'min_words': ask with method short"),
        ("short", {"method_options": {"min_word": 5}}, "'min_word', did you mean min_words"),
        ("short", {"method_options": {"min_words": "5"}}, "takes a value of the type int"),
        ("short", {"method_options": {"min_words": True}}, "takes a value of the type int"),
        ("short", {"extract": True}, "'extract': ask with method vanilla or cot"),
        ("short", {"pages": [("mill", 1)]}, "'pages': ask with method vanilla or cot or visa"),
    ],
    ids=str,
)
def test_what_a_method_does_not_have_is_refused(
    pipeline: Pipeline, method: str, options: AnswerOptions, why: str
) -> None:
    with pytest.raises(OptionRefused, match=why):
        pipeline.stream("Why?", **{**options, "method": method})


def test_a_command_has_the_options_of_methods() -> None:
    args = build_parser().parse_args(["ask", "Why?", "--min-words", "5", "--in-order"])
    assert (args.min_words, args.share, args.in_order) == (5, None, True)
