"""Every reader of text that a document, question, profile or model can bring takes linear time on hostile texts."""

import contextlib
import functools
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from yaml import YAMLError

from configs import did_you_mean
from indexing import BadFilter, BadSidecar, BBox, Cell, Element
from indexing.conversion import cell_place
from indexing.filters import _tokenize
from indexing.hints import landmarks
from indexing.ingest.sidecars import _record, clean_tag
from indexing.language import fold, quantities, scale_of, sentence_spans, tokens
from indexing.parse.groups import with_groups
from indexing.parse.text import clean as clean_word
from plugins.audit.manuscripts.composition import Block, build_manuscript
from plugins.audit.manuscripts.manuscript import markdown_manuscript
from rag.anchors import find_quote, fingerprint
from rag.attribution import statements
from rag.attribution.rules import compare
from rag.attribution.sums import derived_quantities
from rag.attribution.words import claims_of
from rag.attribution.words.align import best_quote, passages
from rag.attribution.words.claims import claims_nothing, clauses, complete_claim, own_weight, strip_frames
from rag.attribution.words.table_grid import grid_of
from rag.calculation.counts import asked_for, mentions_asked_for
from rag.errors import ReplyUnusable
from rag.formats import read_citevqa
from rag.knowledge import facts_of_table
from rag.llm.prompts import fence, in_line, visible
from rag.llm.requests import text_tokens
from rag.methods.quote.form import form_of, plain_words, wanted_of
from rag.methods.quote.overview import question_about
from rag.methods.quote.pieces import pieces
from rag.methods.write.reply import read_answer_lines, read_json, read_lines
from rag.question import correct_spelling, is_foreign, slips_of
from rag.question.clauses import conditions_met, conditions_of, key_phrases, subquestions
from rag.question.hints import hints_of, load_glossary
from rag.question.planner import image_seeking, without_form_instructions
from rag.yaml_errors import read_yaml
from tests.support.fakes import element
from tests.support.hostile_strings import MOST, Shape, growth
from ui.errors import UploadError
from ui.export.markdown import escape as markdown_escape
from ui.show.html import escape
from ui.show.sanitize import clean, safe_name, shorten
from ui.web.ask.turns import is_follow_up
from ui.web.uploads.receive import collection_name
from ui.web.uploads.unzip import file_name

SENTENCE = "The harbour sold 1,200 tickets for 4 crowns each in May 2021, and not the mill."
LEAST = 0.01
"""The seconds of processor below which the short text harms nobody, even where four times as much takes 16 times."""
UNENDING = 6.0
SHARES = 4
"""The tests among which the readers are shared out."""
SHAPES = (
    *(Shape("", piece) for piece in (" ", "\n", "a", "1", ".", "(", "\u0301", "一", "[")),
    *(Shape("", piece) for piece in ("a ", "1 ", "1,", "A. ", "not ", "$1 million ", "“a” ", "a|1\n", "1 | ", "- a\n")),
    *(Shape("", piece) for piece in ("![", "[E1] ", "May 1, 2020 ", "Fig. 1 ", "<b>", "and the ", "\x1b[", "{\"a\":")),
    Shape("", "The mill was built in 1887, and the bridge in 1889. "),
    Shape("", "word", counted=True), Shape("", "Name | ", counted=True), Shape("", "It sold ", counted=True),
)  # fmt: skip


def table(text: str) -> Element:
    return element(text, kind="table")


def placed(place: str) -> Element:
    return replace(table("a"), place=place, cells=(Cell(1, 0, 1, 1, 0, 1, BBox(0.1, 0.1, 0.2, 0.2), False),))


def forget() -> None:
    """Empty the caches of texts: a text that was read before would take no time."""
    for name, module in list(sys.modules.items()):
        for cached in vars(module).values() if name.partition(".")[0] == "rag" else ():
            if isinstance(cached, functools._lru_cache_wrapper) and (cached.cache_parameters()["maxsize"] or 0) >= 64:
                cached.cache_clear()


def tolerant(read: Callable[[str], object], *refusals: type[Exception]) -> Callable[[str], object]:
    """Return a reader that remembers nothing, and to which a named refusal is an answer, too."""

    def work(text: str) -> object:
        forget()
        with contextlib.suppress(*refusals):
            return read(text)
        return None

    return work


def follows(text: str) -> object:
    return derived_quantities(text, claims_of(text).quantities)


def written(text: str) -> str:
    return json.dumps({"answerable": True, "sentences": [{"text": text, "labels": ["E1"]}]})


READERS: dict[str, Callable[[str], object]] = {
    "a word of a page": clean_word,
    "landmarks": lambda text: landmarks([element(text)]),
    "groups": lambda text: with_groups([element(text), element(text, ordinal=2, kind="picture")]),
    "sentences": sentence_spans,
    "statements": statements,
    "a manuscript": lambda text: markdown_manuscript("r.md", text),
    "a block of a manuscript": lambda text: build_manuscript("r", "html", [Block("text", text), Block("note", text)]),
    "tokens": tokens,
    "folded": fold,
    "passages": passages,
    "quantities": quantities,
    "scale": scale_of,
    "claims": claims_of,
    "claimed": strip_frames,
    "a remark": claims_nothing,
    "parts of a claim": clauses,
    "a claim with its question": lambda text: complete_claim(text, ["What was sold?"]),
    "the weight of a claim": own_weight,
    "a sum": follows,
    "a sentence that is compared": lambda text: compare(text, [element(SENTENCE)], about=["What was sold?"]),
    "a text that a sentence is compared with": lambda text: compare(SENTENCE, [element(text)]),
    "a question of a sentence that is compared": lambda text: compare(SENTENCE, [element(SENTENCE[:40])], about=[text]),
    "a quote": lambda text: best_quote(text, SENTENCE),
    "a grid": lambda text: grid_of(table(text)),
    "a table that a sentence is compared with": lambda text: compare(SENTENCE, [table(text)]),
    "facts of a table": lambda text: facts_of_table(table(text)),
    "a question of a census": asked_for,
    "a question for mentions": mentions_asked_for,
    "a wanted form": wanted_of,
    "the form of a text": lambda text: form_of("How many tickets were sold?", text),
    "plain words": plain_words,
    "pieces": lambda text: pieces(element(text)),
    "a question about a document": question_about,
    "subquestions": subquestions,
    "key phrases": key_phrases,
    "a cleaned question": without_form_instructions,
    "an image-seeking question": image_seeking,
    "hints": hints_of,
    "conditions": conditions_of,
    "conditions on pages": lambda text: conditions_met(["old mill"], [text]),
    "the glossary": lambda text: load_glossary().look_for(text),
    "a foreign question": is_foreign,
    "slips": lambda text: slips_of(text, text.split(), [SENTENCE]),
    "slips on pages": lambda text: slips_of("the tikets of the harbor", ("the",), [text]),
    "a mended question": lambda text: correct_spelling(text, {"tikets": "tickets"}),
    "a follow-up": is_follow_up,
    "lines of a reply": lambda text: read_lines(text, {"E1"}, True),
    "lines of an answer": lambda text: read_answer_lines(f"ANSWER: {text}", {"E1"}, True),
    "JSON of a reply": lambda text: read_json(text, {"E1"}, True),
    "a sentence in JSON": lambda text: read_json(written(text), {"E1"}, True),
    "a beginning of JSON": lambda text: read_json(written(text)[:-4], {"E1"}, False),
    "tags of CiteVQA": read_citevqa,
    "a tag of CiteVQA": lambda text: read_citevqa(f"Yes.<bbox {text} page=1>"),
    "fenced": fence,
    "in a line": in_line,
    "visible": visible,
    "tokens of a model": text_tokens,
    "a fingerprint": fingerprint,
    "a fingerprint in a text": lambda text: find_quote([element(text)], *fingerprint(SENTENCE)),
    "YAML": read_yaml,
    "YAML in a flow": lambda text: read_yaml(f"a: {{{text}}}"),
    "a misspelt key": lambda text: did_you_mean(text, ["page_seconds", "open_seconds"]),
    "clean": clean,
    "shortened": lambda text: shorten(text, 100),
    "HTML": escape,
    "Markdown": markdown_escape,
    "the pieces of a filter": _tokenize,
    "a quote in a filter": lambda text: _tokenize(f'name="{text}'),
    "a tag": clean_tag,
    "tags of a sidecar": lambda text: _record({"tags": text}),
    "authors of a sidecar": lambda text: _record({"author": text}),
    "a date of a sidecar": lambda text: _record({"date": f"2024-{text}"}),
    "a language of a sidecar": lambda text: _record({"language": f"en-{text}"}),
    "a place in a table": lambda text: cell_place(placed(f"Sheet, A1 and {text}"), placed("").cells[0]),
    "a safe name": safe_name,
    "a name in an archive": file_name,
    "a name of a collection": collection_name,
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "shapes",
    [pytest.param(SHAPES[::4], marks=pytest.mark.gate), pytest.param(SHAPES, marks=pytest.mark.thorough)],
    ids=["a few texts", "all texts"],
)
@pytest.mark.parametrize("share", range(SHARES))
def test_readers_take_linear_time(share: int, shapes: Sequence[Shape]) -> None:
    """At 40,000 characters at most 4.5 times as long as at 10,000, whatever is repeated in them."""
    slow: dict[tuple[str, Shape], float] = {}
    for name in list(READERS)[share::SHARES]:
        work = tolerant(READERS[name], ReplyUnusable, UploadError, YAMLError, BadFilter, BadSidecar)
        for shape in shapes:
            if (ratio := growth(work, shape, LEAST, UNENDING)) > MOST:
                slow[name, shape] = ratio
    assert slow == {}
