"""Answers side by side: columns, figures and marked differences."""

import csv
import html
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing import BBox
from indexing.embed.minilm import MiniLM
from indexing.types import Element, Kind
from rag import Answer, Citation, Evidence, Profile, RagSettings, Sentence
from rag.usage import Usage
from tests.support import fakes
from tests.ui.asking_over import asking_over
from tests.ui.markup import harmless, read
from tests.ui.stand_ins import HOSTILE, LINE, answer, citation, evidence
from ui.show.moment import Moment
from ui.show.sanitize import clean
from ui.web.ask.asking import Asking
from ui.web.compare.comparisons import SLOTS, Comparison, Comparisons, Contender, contenders_of
from ui.web.compare.figures import (
    as_csv,
    differences,
    figures,
    marked_html,
    table,
)
from ui.web.compare.page import (
    CompareView,
    Side,
    below_html,
    columns_html,
    comparison_view,
    follow_comparison,
    objection,
    welcome,
)

PAGES = {"mill.pdf": [["The mill was built in 1887 by Anna Holm.", "Nine barrels of cider lie in its cellar."]]}
QUESTION = "When was the mill built by Anna Holm?"
TWO = (Contender("Text", "text", "quote"), Contender("Again", "text", "quote"))


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Asking:
    home = tmp_path_factory.mktemp("home")
    fakes.index(fakes.collection(home, embedder, "mills"), PAGES)
    return asking_over(home, Profile(rag=RagSettings(min_confidence=0)))


def ended(asking: Asking, run: Comparison) -> CompareView:
    return list(follow_comparison(asking.open_collections, run))[-1]


def test_columns_evidence_and_figures_come_at_the_end(asking: Asking) -> None:
    run = Comparisons(asking).start("me", "mills", QUESTION, TWO)
    last = ended(asking, run)
    assert not last.busy
    assert ["1887" in column for column in last.columns] == [True, True]
    assert f'data-answer="{run.id}"' in last.evidence
    assert read(last.evidence).values("data-cite")[:1] == ["1"]
    assert "Found by both" in last.below
    assert "the same numbers and names" in last.below


def test_a_collection_that_is_gone_is_told_everywhere(asking: Asking) -> None:
    last = ended(asking, Comparisons(asking).start("me", "nowhere", QUESTION, TWO))
    assert all("nowhere" in column for column in last.columns)
    assert "cannot be shown" in last.evidence
    assert last.below == ""


def test_a_visitor_has_one_comparison_and_nobody_elses(asking: Asking) -> None:
    comparisons = Comparisons(asking)
    first = comparisons.start("me", "mills", QUESTION, TWO)
    second = comparisons.start("me", "mills", QUESTION, TWO)
    assert comparisons.last("me") is second
    assert comparisons.last("you") is None
    ended(asking, second)
    assert all(m.state in ("done", "stopped") for m in first.now)
    assert not comparison_view(asking.open_collections, second, second.now).busy
    comparisons.stop("you")
    assert asking.history.turns("me") == (), "comparing leaves the history of asking alone"


@pytest.mark.parametrize(
    ("collection", "question", "contenders", "said"),
    [
        (None, "Why?", TWO, "no documents yet"), ("mills", "  ", TWO, "question is empty"),
        ("mills", "Why?", TWO[:1], "Fewer than two"),
    ],
)  # fmt: skip
def test_what_cannot_begin_says_why(
    collection: str | None, question: str, contenders: tuple[Contender, ...], said: str
) -> None:
    note = objection(collection, question, contenders)
    assert note is not None
    assert said in note.columns[0]
    assert objection("mills", "Why?", TWO) is None
    assert "side by side" in welcome().columns[0]


def test_widgets_say_who_competes() -> None:
    assert [c.mode for c in contenders_of("modes", "multi", "quote", True, [])] == ["text", "image", "multi"]
    assert not any(c.extract for c in contenders_of("modes", "multi", "quote", True, []))
    assert all(c.extract for c in contenders_of("modes", "multi", "cot", True, []))
    by_method = contenders_of("methods", "text", "cot", False, ["Quote", "Written in steps"])
    assert [(c.mode, c.method) for c in by_method] == [("text", "quote"), ("text", "cot")]


def test_models_compete_by_one_method_that_writes() -> None:
    by_model = contenders_of("models", "text", "quote", True, [], ["big", "small"])
    assert [(c.title, c.model, c.method, c.mode) for c in by_model] == [
        ("big", "big", "vanilla", "text"),
        ("small", "small", "vanilla", "text"),
    ]
    assert all(c.extract for c in by_model)
    assert {c.method for c in contenders_of("models", "text", "cot", False, [], ["big", "small"])} == {"cot"}
    assert len(contenders_of("models", "text", "cot", False, [], [str(n) for n in range(30)])) == SLOTS
    assert objection("mills", "Why?", contenders_of("models", "text", "cot", False, [], ["big"])) is not None


ONE = citation(1)


def side(title: str, found: Answer | None, state: str = "done", **more: str) -> Side:
    moment = Moment(state=state, answer=found, **more)  # type: ignore[arg-type]
    return Side(title, moment, figures(found, {}) if found else None)


def said(text: str, *cited: object) -> Answer:
    return answer(Sentence(text, cited, "confirmed"), found=[evidence(1), evidence(2, page=2)])  # type: ignore[arg-type]


def columns(*sides: Side) -> tuple[str, ...]:
    return columns_html(sides, "run", "Why?")


def chips(column: str) -> list[str]:
    return re.findall(r'class="v-cite v-role-proves" data-cite="(\d+)"', column)


def test_failures_and_abstentions_stand_in_their_column() -> None:
    shown = columns(
        side("Text", None, "failed", error="the collection has no visual embedder"),
        side("Images", None, "stopped"),
        side("Both", answer(found=[evidence(1)])),
    )
    assert "no visual embedder" in shown[0]
    assert "Stopped." in shown[1]
    assert "report.pdf, page 1" in shown[2]


def found(title: str, *places: tuple[int, str, int], text: str = "It fell.") -> Side:
    """A column that found these elements, each on the page of a document, and cites the first."""
    number, document, page = places[0]
    cited = citation(number, document=document, page=page)
    pieces = [evidence(n, document=name, page=page) for n, name, page in places]
    return side(title, answer(Sentence(text, (cited,), "confirmed"), found=pieces))


def below(*sides: Side) -> str:
    answers = [s.moment.answer for s in sides]
    rows = table([s.figures for s in sides])
    return below_html("Why?", sides, rows, as_csv("Why?", [s.title for s in sides], answers, rows))


def test_nothing_that_is_said_gets_out() -> None:
    hostile = citation(document=f"{HOSTILE}.pdf", quote=HOSTILE, boxes=(LINE,))
    failed = side("C", None, "failed", error=HOSTILE)
    sides = (side(HOSTILE, said(f"{HOSTILE} 5%", hostile)), side("B", said("7%", ONE)), failed)
    for shown in (*columns_html(sides, "run", HOSTILE), below(*sides)):
        harmless(shown)


BOX = BBox(0.1, 0.2, 0.5, 0.3)


def piece(name: str, kind: Kind = "text", page: int = 1, parts: tuple[str, ...] = ()) -> Element:
    return Element(name, "doc", page, kind, name, BOX, "layer", parts=parts)


def cited(label: str, element: Element) -> Citation:
    return Citation.of(Evidence(label, element, "a.pdf", 1.0), "q", (BOX,))


def answer_of_figures(evidence: dict[str, Element], *sentences: Sentence, usage: Usage | None = None) -> Answer:
    found = tuple(Evidence(label, e, "a.pdf", 1.0) for label, e in evidence.items())
    times = {"retrieve": 0.25, "answer": 0.5, "total": 0.75}
    return Answer("Why?", "text", sentences, found, 0.9, times, "hash", usage=usage or Usage())


TABLE, FIGURE, WORDS = piece("t", "table"), piece("f", "picture", 2), piece("w", page=3)


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def test_the_file_has_numbers_that_a_spreadsheet_can_add() -> None:
    usage = Usage(prompt_tokens=1200, completion_tokens=34, images=2, calls=1)
    tables = {"E1": TABLE, "E2": piece("u", "table"), "E3": piece("v", "table")}
    answers = [
        answer_of_figures(tables, Sentence("A.", (cited("E1", TABLE),), "confirmed"), usage=usage),
        answer_of_figures(tables),
        None,
    ]
    rows = rows_of(as_csv("Why?", ["A", "B", "C"], answers, table([figures(a, {}) if a else None for a in answers])))
    found = {label: cells for label, *cells in rows}
    assert found["Seconds searching"] == ["0.25", "0.25", ""]
    assert found["Tokens"] == ["1234", "0", ""]
    assert found["Tables cited, of those found"] == ["0.3333", "0.0", ""]
    assert found["Sentences quoted, computed or confirmed"] == ["1.0", "", ""]


def test_a_hostile_question_stays_one_cell() -> None:
    made = answer_of_figures({}, Sentence(f"={HOSTILE}", (), "unconfirmed"))
    rows = rows_of(as_csv(f"{HOSTILE}\n=1", [f"-{HOSTILE}"], [made], ()))
    assert [len(row) for row in rows] == [2, 2]
    assert rows[0][1].startswith("'-")
    assert rows[1][1].startswith("'=")


def marked(*answers: list[str]) -> list[list[str]]:
    """The words that are marked in each answer."""
    return [
        [clean(s)[d.start : d.end] for s, of_sentence in zip(answer, found, strict=True) for d in of_sentence]
        for answer, found in zip(answers, differences(answers), strict=True)
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It fell by 12.5%.", "A fall of 12.5 percent."),
        ("1,236,000 people came.", "1.2 million people came."),
        ("It opened on 3 May 2021.", "It opened on May 3, 2021."),
        ("The ferry to Gull Island was late.", "Late was the ferry, Gull Island says."),
    ],
)
def test_the_same_in_other_words_is_no_difference(one: str, other: str) -> None:
    assert marked([one], [other]) == [[], []]


def test_a_hostile_answer_is_escaped_inside_and_outside_marks() -> None:
    text = f"{HOSTILE} 41% of <b>Mill Lane</b>"
    found = differences([[text], ["It was 43% of nothing."]])
    shown = marked_html(text, found[0][0], ['<i>"Text"', "<script>", "Multi"])
    assert '<mark class="v-differs"' in shown
    assert set(re.findall(r"<[^>]*>", shown)) <= {
        "</mark>",
        '<mark class="v-differs" title="Missing from &lt;script&gt;">',
    }


def plain(shown: str) -> str:
    return html.unescape(re.sub(r"</?mark[^>]*>", "", shown))


@given(st.lists(st.lists(st.text(max_size=80), max_size=3), min_size=1, max_size=4))
def test_nothing_is_lost_and_marks_never_overlap(answers: list[list[str]]) -> None:
    for one, of_answer in zip(answers, differences(answers), strict=True):
        for sentence, found in zip(one, of_answer, strict=True):
            text = clean(sentence)
            ends = [0, *(d.end for d in found)]
            assert all(end <= d.start < d.end <= len(text) for end, d in zip(ends, found, strict=False))
            assert plain(marked_html(sentence, found, list("abcd"))) == text
