"""Describe figures, tables and texts with a model before any question is asked (MAVIS, arXiv 2511.12142, section 3.1).

Layout models mistake the first row for a header, and misplace cells, which led to "46 litres = 38 litres". What code
cannot decide is left to a model, or kept as it is in the table.

Every element is rewritten, texts too. Code reads tables with sure column headers; the model looks at figures and other
tables, and reads texts. A label in a figure shares the knowledge of the figure, for which there is one call. Replies
are cached in the collection by model and prompt version. An element that fails has a problem instead of knowledge; the
others are not affected.
"""

from __future__ import annotations

import logging
import re
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from indexing import Collection, Element, IndexingError
from indexing.language import YEAR
from rag.attribution.words import Slot, TableGrid, grid_of
from rag.crops import Crops
from rag.errors import ModelError
from rag.events import Extracted
from rag.llm import ChatModel, Form, Message, complete_as, context_line, fence, load_prompt, visible
from rag.settings import RagSettings
from rag.types import Evidence
from rag.usage import NO_USAGE, Usage

if TYPE_CHECKING:
    from PIL import Image


MOST_CHARS = 6000
"""The most characters of facts; further rows are left out whole, and a line says how many."""
_MOSTLY = 0.8
"""The least share of the cells of a column that are values, or none, for all to be of one kind."""
_VALUE = re.compile(r"[^\w\s]*\d|(?:[-\u2010-\u2015\u2212]|n\.?/?a\.?)$", re.IGNORECASE)
"""The beginning of a value, or all of a cell that says that there is none."""
_YEAR = re.compile(rf"{YEAR}\W*")
_LEADERS = re.compile(r" ?(?:\. ?){3,}")
"""The dots that lead from a label to its value."""


def facts_of_table(element: Element) -> str:
    """Return the caption and a line for each row, such as `Merrow: Seats = 12; Grade = A`.

    If the column headers are unsure, the values have no names: `Toilet: 46 litres`. A row with only a label is a line
    of its own, as it is not known which of the rows below belong to it. Empty for a table without values.
    """
    grid = grid_of(element)
    sure_head = has_sure_head(element)
    slots = sorted((*grid.body, *(() if sure_head else grid.head)), key=lambda s: (s.row, s.col))
    rows: dict[int, list[Slot]] = {}
    for slot in slots:
        rows.setdefault(slot.row, []).append(slot)
    if not any(len(row) > 1 or row[0].col > 0 for row in rows.values()):
        return ""
    lines = [element.caption] if element.caption else []
    room = MOST_CHARS - sum(map(len, lines))
    for index, row in enumerate(rows.values()):
        line = _line(grid, row, sure_head)
        room -= len(line) + 1
        if room < 0:
            lines.append(f"({len(rows) - index} more rows)")
            break
        lines.append(line)
    return "\n".join(lines)


def has_sure_head(element: Element) -> bool:
    """Return True if the header cells of a table surely name its columns, so that `name = value` is safe.

    The header has no values and covers every column; every row has a label, and no two values under the same header; no
    cell holds, or spans, two columns; the cells of a column are of one kind, in some columns numbers. A list of names
    and values in two columns has no header, whatever its first row says.
    """
    grid = grid_of(element)
    values = [slot for slot in grid.body if not grid.is_label(slot)]
    names = [slot for slot in grid.head if slot.col > 0]
    if not names or not values or any(map(_reads_as_value, names)) or any(map(_has_several_numbers, (*names, *values))):
        return False
    if not all(grid.labels.get(slot.row) and slot.cols == 1 for slot in values):
        return False
    columns = {slot.col for slot in values}
    labels = [slot for row in grid.labels.values() for slot in row]
    is_list = len(columns) == 1 and any(slot.col == 0 for slot in grid.head)
    if is_list and _share_of_values(labels) < _MOSTLY:
        return False
    shares = [_share_of_values([slot for slot in values if slot.col == col]) for col in columns]
    of_one_kind = all(share >= _MOSTLY or share <= 1 - _MOSTLY for share in shares)
    return of_one_kind and max(shares) >= _MOSTLY and _head_covers(grid, columns) and _have_unique_names(grid, values)


def _head_covers(grid: TableGrid, columns: set[int]) -> bool:
    """Return True if every header row covers all columns; otherwise it is unclear which columns it names."""
    rows: dict[int, set[int]] = {}
    for slot in grid.head:
        rows.setdefault(slot.row, set()).update(range(slot.col, slot.col + min(slot.cols, max(columns) + 1)))
    return all(columns <= head_columns for head_columns in rows.values())


def _have_unique_names(grid: TableGrid, values: Sequence[Slot]) -> bool:
    """Return True if no two values of a row have the same column headers."""
    places: set[tuple[int, str]] = set()
    for slot in values:
        place = slot.row, _names(grid, slot)
        if place in places:
            return False
        places.add(place)
    return True


def _share_of_values(slots: Sequence[Slot]) -> float:
    return sum(map(_holds_value, slots)) / max(1, len(slots))


def _holds_value(slot: Slot) -> bool:
    return slot.numeric or bool(_VALUE.match(slot.text.lstrip()))


def _reads_as_value(slot: Slot) -> bool:
    """Return True for a cell of a head that is a value itself, such as 46 litres; a year is a name."""
    return _holds_value(slot) and not _YEAR.fullmatch(slot.text.strip())


def _has_several_numbers(slot: Slot) -> bool:
    """Return True for a cell of several numbers and nothing else: columns that were not separated."""
    words = slot.text.split()
    return sum(bool(_VALUE.match(word)) for word in words) > 1 and not any(c.isalpha() for c in slot.text)


def _line(grid: TableGrid, row: Sequence[Slot], sure: bool) -> str:
    """Return the cells of a row: its label, then each value, with the names of its columns if they are sure."""
    label = row[0] if row[0].col == 0 else None
    if label is not None and len(row) == 1:
        return _one_line(label)
    values = "; ".join(f"{_names(grid, s)} = {_one_line(s)}" if sure else _one_line(s) for s in row if s is not label)
    return f"{_LEADERS.sub(' ', _one_line(label)).rstrip()}: {values}" if label is not None else values


def _names(grid: TableGrid, slot: Slot) -> str:
    return " / ".join(dict.fromkeys(_one_line(h) for h in grid.heads(slot)))


def _one_line(slot: Slot) -> str:
    return " ".join(slot.text.split())


INSIDE = 0.8
"""The least share of a text's box that lies in a figure for the text to be a part of it."""
LABEL_CHARS = 200
"""The most characters of a label in a figure; a longer text is a passage of a page that is all one picture."""
_KEPT_AT_ONCE = 16
"""The number of answers after which they are written down, so that a stopped run keeps most of its work."""
_BLIND = "needs a model that sees images (rag.model.images)"
_NOTHING = "the model found nothing to note"


@dataclass(frozen=True, slots=True)
class Knowledge:
    """The knowledge of an element; `problem` says why there is none, `usage` the cost of asking."""

    text: str
    usage: Usage = NO_USAGE
    problem: str = ""


class Extractor:
    """The extractor of the elements of one collection; a model that sees no images is asked for what has text."""

    def __init__(
        self, collection: Collection, model: ChatModel, crop: Callable[[Element], Image.Image], at_once: int = 4
    ) -> None:
        """Keep `crop`, which gives an element's picture and may raise IndexingError; `at_once` calls run at a time."""
        self._collection = collection
        self._model = model
        self._crop = crop
        self._at_once = at_once

    def extract(self, elements: Sequence[Element]) -> Generator[tuple[Element, Knowledge]]:
        """Yield the knowledge of each element: first what needs no model or is cached, then the model's new answers.

        New answers are cached. Closing the iterator also caches answers that have arrived and calls in progress. The
        labels of a figure come together, and the first of them carries the cost.
        """
        each = list({e.id: e for e in elements}.values())
        pages = self._pages(each)
        sees = self._model.capacity.images > 0
        by_source: dict[str, list[Element]] = defaultdict(list)
        sources: dict[str, Element] = {}
        for element in each:
            source = source_of(element, pages.get((element.doc_id, element.page), ())) if sees else element
            sources[source.id] = source
            by_source[source.id].append(element)
        for source, knowledge in self._knowledge(list(sources.values()), pages):
            for n, element in enumerate(by_source[source.id]):
                yield element, replace(knowledge, usage=NO_USAGE) if n else knowledge

    def _pages(self, elements: Iterable[Element]) -> Mapping[tuple[str, int], tuple[Element, ...]]:
        """Return all elements of the pages of `elements`, by (document, page), to find figures around labels."""
        places = list(dict.fromkeys((e.doc_id, e.page) for e in elements if e.kind not in ("picture", "table")))
        return dict(zip(places, self._collection.elements_on(places), strict=True)) if places else {}

    def _knowledge(
        self, sources: Sequence[Element], pages: Mapping[tuple[str, int], tuple[Element, ...]]
    ) -> Generator[tuple[Element, Knowledge]]:
        sees = self._model.capacity.images > 0
        ways = {}
        for source in sources:
            inside = frozenset(e.kind for e in pages.get((source.doc_id, source.page), ()) if e.id in source.parts)
            ways[source.id] = way_of(source, inside, sees)
        cache = self._read_cache([(s, way) for s in sources if (way := ways[s.id]) in VERSIONS])
        pending: list[tuple[Element, Way]] = []
        for source in sources:
            way = ways[source.id]
            if way is None:
                yield source, Knowledge("", problem=_BLIND)
            elif way == "tell":
                yield source, Knowledge(facts_of_table(source))
            elif source.id in cache:
                yield source, Knowledge(cache[source.id])
            else:
                pending.append((source, way))
        yield from self._ask_all(pending)

    def _ask_all(self, elements: Sequence[tuple[Element, Way]]) -> Generator[tuple[Element, Knowledge]]:
        """Ask the model about each element, in parallel."""
        new: list[tuple[Element, Way, str]] = []
        pool = ThreadPoolExecutor(self._at_once)
        running = {pool.submit(self._ask, element, way): (element, way) for element, way in elements}
        waiting = set(running)
        try:
            for future in as_completed(running):
                waiting.discard(future)
                knowledge = future.result()
                element, way = running[future]
                if knowledge.text:
                    new.append((element, way, knowledge.text))
                if len(new) >= _KEPT_AT_ONCE:
                    self._store(new)
                    new = []
                yield element, knowledge
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            completions = [f for f in waiting if not f.cancelled() and f.exception() is None]
            self._store([*new, *((*running[f], f.result().text) for f in completions if f.result().text)])

    def _ask(self, element: Element, way: Way) -> Knowledge:
        """Return the model's knowledge of an element, or none with the problem."""
        try:
            if way == "look":
                text, usage = look_at(self._model, element, self._crop(element))
            else:
                text, usage = self._extract_facts(element)
        except ModelError as error:
            return Knowledge("", error.usage, str(error))
        except IndexingError as error:
            return Knowledge("", problem=f"its picture cannot be drawn: {error}")
        return Knowledge(text, usage, "" if text else _NOTHING)

    def _extract_facts(self, element: Element) -> tuple[str, Usage]:
        """Extract the facts of a text; OCR text and formulas go with their picture if the model sees images."""
        picture = None
        if self._model.capacity.images and (element.source == "ocr" or element.kind == "formula"):
            try:
                picture = self._crop(element)
            except IndexingError:
                logging.getLogger(__name__).debug("%s is read without its picture", element.id, exc_info=True)
        return extract_facts(self._model, element, picture)

    def _read_cache(self, pairs: Sequence[tuple[Element, Way]]) -> Mapping[str, str]:
        """Return cached answers by element id."""
        texts: dict[str, str] = {}
        for way, version in VERSIONS.items():
            own = [element for element, asked_by in pairs if asked_by == way]
            texts |= self._collection.knowledge.read(own, self._model.name, version) if own else {}
        return texts

    def _store(self, new: Sequence[tuple[Element, Way, str]]) -> None:
        """Store new answers in the collection's cache; log a warning if it cannot be written."""
        for way, version in VERSIONS.items():
            texts = {element: text for element, asked_by, text in new if asked_by == way}
            try:
                self._collection.knowledge.keep(texts, self._model.name, version)
            except IndexingError as error:  # the collection is being indexed, or the disk is full: ask again next time
                log = logging.getLogger(__name__)
                log.warning("the notes of the model on %d elements could not be stored: %s", len(texts), error)


def source_of(element: Element, page: Sequence[Element]) -> Element:
    """Return the smallest figure of the page that contains an element as a label; else the element itself.

    A table in a figure, a figure in another, and a passage longer than a label are read by themselves.
    """
    if element.kind in ("picture", "table") or len(element.text) > LABEL_CHARS:
        return element
    holds = [p for p in page if p.kind == "picture" and p.bbox.overlap(element.bbox) >= INSIDE * element.bbox.area]
    return min(holds, key=lambda figure: figure.bbox.area, default=element)


def with_knowledge(evidence: Sequence[Evidence], knowledge: Mapping[str, Knowledge]) -> tuple[Evidence, ...]:
    """Return the evidence with its knowledge, which is given by element id."""
    return tuple(
        replace(e, knowledge=knowledge[e.element.id].text) if e.element.id in knowledge else e for e in evidence
    )


def describe(
    collection: Collection, settings: RagSettings, model: ChatModel, documents: Sequence[str] = ()
) -> Generator[Extracted]:
    """Describe the figures, and tables that code cannot read, of all documents or of those named by id, name or path.

    Cached descriptions are reused. Texts are left until a search finds them: a call for each paragraph would be too
    many. Yields the progress after each. Closing it keeps what was described. Raises DocumentMissing.
    """
    selected_documents = [collection.document(name) for name in documents] or collection.documents()
    names = {d.id: d.name for d in selected_documents}
    places = [(d.id, page) for d in selected_documents for page in range(1, d.n_pages + 1)]
    elements = [e for place in places for e in collection.page_elements(*place) if needs_model(e) and e.kind != "group"]
    crops = Crops(collection, settings.writing.page_width, settings.writing.picture_side)
    extractor = Extractor(collection, model, crops, at_once=settings.model.concurrency if settings.model else 1)
    with closing(extractor.extract(elements)) as extracting:
        for count, (element, knowledge) in enumerate(extracting, 1):
            problem = f"{names[element.doc_id]}, page {element.page}: {knowledge.problem}" if knowledge.problem else ""
            yield Extracted(count, len(elements), problem)


Way = Literal["tell", "look", "read"]
"""The ways to knowledge: code reads a table, the model looks at a picture, or reads a text."""
_LOOK_RULES, _LOOK = load_prompt("extract"), load_prompt("extract_picture", "around", "words")
_READ_RULES, _READ = load_prompt("extract_text"), load_prompt("extract_passage", "around", "passage")
VERSIONS: dict[Way, str] = {
    "look": f"{_LOOK_RULES.version}-{_LOOK.version}",
    "read": f"{_READ_RULES.version}-{_READ.version}",
}
"""The versions of the prompts, under which a model's replies are cached."""
_MAX_TOKENS = 1200
_WORDS = 4000
"""The most characters of recognised words that go with a picture."""
_CHARS_A_FACT, _MOST_FACTS = 40, 40
"""A passage has a fact in so many characters at most, and so many at most: small models fill lists without end."""


class _Fact(Form):
    series: str = Field(max_length=80)
    at: str = Field(max_length=80)
    value: str = Field(max_length=60)


class _Picture(Form):
    kind: Literal["chart", "table", "diagram", "map", "photograph", "other"]
    shows: str = Field(max_length=400)
    axes: str = Field(max_length=200)
    facts: list[_Fact] = Field(max_length=60)
    seen: list[Annotated[str, Field(max_length=240)]] = Field(max_length=20)


class _Passage(Form):
    facts: list[Annotated[str, Field(max_length=300)]] = Field(min_length=1, max_length=_MOST_FACTS)


def needs_model(element: Element) -> bool:
    """Return True for figures, elements without text, and tables without certain headers or read by OCR."""
    return element.kind == "picture" or not element.text.strip() or (element.kind == "table" and not _is_sure(element))


def way_of(element: Element, inside: frozenset[str], sees: bool) -> Way | None:
    """Return the way to extract an element's knowledge; `inside` are the kinds of its parts.

    A model that `sees` images looks at figures, uncertain tables, and groups with a figure or a table. Another model
    reads texts, but no figures, whose text says too little: then the result is None.
    """
    if element.kind == "table" and _is_sure(element):
        return "tell"
    looks = needs_model(element) or not inside.isdisjoint(("picture", "table"))
    if looks and sees:
        return "look"
    return None if element.kind == "picture" or not element.text.strip() else "read"


def look_at(model: ChatModel, element: Element, picture: Image.Image) -> tuple[str, Usage]:
    """Ask the model what a picture shows; return a line for each fact. Raises ModelError."""
    words = facts_of_table(element) if element.kind == "table" else element.text
    prompt = _LOOK.fill(around=context_line(element), words=fence(words[:_WORDS]) or "none")
    messages = (Message("system", (_LOOK_RULES.fill(),)), Message("user", (picture, prompt)))
    reply, usage = complete_as(model, messages, _Picture, _MAX_TOKENS)
    return _format_picture(reply), usage


def extract_facts(model: ChatModel, element: Element, picture: Image.Image | None) -> tuple[str, Usage]:
    """Ask the model for the facts in a text; return a line for each. `picture` is the image that OCR read it from.

    The model is not asked about a text without visible characters. Raises ModelError.
    """
    lines = fence(facts_of_table(element) if element.kind == "table" else element.text)
    if not lines:
        return "", NO_USAGE
    prompt = _READ.fill(around=context_line(element), passage=lines)
    parts = (prompt,) if picture is None else (picture, prompt)
    messages = (Message("system", (_READ_RULES.fill(),)), Message("user", parts))
    most = {"facts": min(_MOST_FACTS, 2 + len(lines) // _CHARS_A_FACT)}
    reply, usage = complete_as(model, messages, _Passage, _MAX_TOKENS, most=most)
    return "\n".join(f"- {fact}" for fact in dict.fromkeys(map(visible, reply.facts)) if fact), usage


def _is_sure(element: Element) -> bool:
    return element.source == "layer" and has_sure_head(element)


def _format_picture(picture: _Picture) -> str:
    """Return the model's reply about a picture as lines of text; empty if it gives only the kind of picture."""
    lines = [f"{picture.kind}: {shows}"] if (shows := visible(picture.shows)) else []
    if axes := visible(picture.axes):
        lines.append(f"axes: {axes}")
    facts = dict.fromkeys((visible(f.series), visible(f.at), visible(f.value)) for f in picture.facts)
    lines += [f"{', '.join(p for p in (series, at) if p)}: {value}" for series, at, value in facts if value]
    lines += [f"- {text}" for text in dict.fromkeys(map(visible, picture.seen)) if text]
    return "\n".join(lines)
