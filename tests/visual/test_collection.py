"""Documents indexed with a model that looks at them: stored, searched, mapped, refused to another, gone on with."""

import json
from collections.abc import Callable
from pathlib import Path

import pymupdf
import pytest

pytest.importorskip("torch", reason="no torch here: make visual-env, then make test-visual")

from indexing import BBox, Collection, build_index
from indexing.embed.protocol import SCALE
from rag.attribution.localizer import PatchLocalizer
from tests.support import documents
from tests.visual.conftest import settings
from ui.cli.parser import main

Checkpoint = Callable[[str], Path]
ROOT = Path(__file__).resolve().parents[2]
PAGES = (["The mill was built in 1912.", "It grinds rye."], ["The lighthouse was lit in 1887."], ["Nothing."])
MODELS = {"colpali": "colmodernvbert", "mm_embed": "mm_embed", "qwen3_vl_embedding": "qwen3_vl_embedding"}
EACH = pytest.mark.parametrize("visual", MODELS)
GRIDS = ("colmodernvbert", "colqwen2_5")
"""Patches of tiles, and patches of the page as it is."""
PLATE = BBox(0.1, 0.1, 0.7, 0.4)


@pytest.fixture(scope="module")
def collection(checkpoint: Checkpoint, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Collection]:
    """`collection(visual)`: three pages, indexed with a tiny model."""
    folder = tmp_path_factory.mktemp("indexed")
    documents.pdf(folder / "book.pdf", *PAGES)
    made: dict[str, Collection] = {}

    def find(visual: str) -> Collection:
        if visual not in made:
            kind = visual if visual in MODELS else "colpali"  # else it is another of that family's checkpoints
            chosen = settings(kind, checkpoint(MODELS.get(visual, visual)), page_batch=2)
            made[visual] = Collection.create(visual, folder / "home", chosen)
            report = build_index(made[visual], [folder / "book.pdf"], settings=chosen)
            assert report.exit_code == 0, report
        return made[visual]

    return find


@EACH
def test_the_best_page_has_the_nearest_stored_vectors(visual: str, collection: Callable[[str], Collection]) -> None:
    made = collection(visual)
    question = "When was the lighthouse lit?"
    query = made.embed_query(question, "visual")
    snapshot = made._store.snapshot()
    keys = snapshot.page_keys()
    scores = {}
    for number, row in zip(keys["number"].to_pylist(), keys["_rowid"].to_pylist(), strict=True):
        vectors, spans = snapshot.vectors([row], "visual")[0]
        if visual != "colpali":  # in mode image the pixels of the page alone
            vectors = vectors[[first for ordinal, first, _ in spans.tolist() if ordinal == -1]]
        scores[number] = float((query.vectors @ vectors.T / SCALE).max(axis=1) @ query.weights)
    found = made.search(question, mode="image")
    ranked = [scores[p.number] for p in found.pages]
    assert ranked == pytest.approx(sorted(scores.values(), reverse=True), abs=1e-5)
    assert found.hits[0].element.page == found.pages[0].number
    assert {h.element.text for h in found.hits} >= {"The lighthouse was lit in 1887."}


@pytest.mark.parametrize("visual", [*MODELS, "colqwen2_5"])
def test_maps_are_in_fractions_of_the_page(visual: str, collection: Callable[[str], Collection]) -> None:
    made = collection(visual)
    warm = made.similarity_map("When was the lighthouse lit?", made.documents()[0].id, 2)
    query = made.embed_query("When was the lighthouse lit?", "visual")
    seen = made.page_regions(made.documents()[0].id, 2)
    assert len(warm) == len(seen.boxes) > 0
    expected = (seen.vectors @ query.vectors.T / SCALE) @ query.weights
    assert [score for _, score in warm] == pytest.approx(expected.tolist(), abs=1e-5)
    if visual in ("colpali", "colqwen2_5"):
        assert sum(box.area for box, _ in warm) == pytest.approx(1.0)


@pytest.mark.parametrize("family", GRIDS)
def test_the_patch_localizer_boxes_what_stands_out(family: str, checkpoint: Checkpoint, tmp_path: Path) -> None:
    """A black plate on a white page: even a model that knows nothing has another vector where it stands."""
    said, pdf = "The mill was built in 1912.", tmp_path / "plate.pdf"
    with pymupdf.open() as drawn:
        page = drawn.new_page(width=420, height=595)
        page.insert_text((40, 300), said)
        page.draw_rect(pymupdf.Rect(*PLATE.to_page(420, 595)), fill=(0, 0, 0))
        drawn.save(pdf)
    chosen = settings("colpali", checkpoint(family))
    made = Collection.create(family, tmp_path / "home", chosen)
    assert build_index(made, [pdf], settings=chosen).exit_code == 0
    doc_id, localize = made.documents()[0].id, PatchLocalizer(made)
    elements = {e.kind: e for e in made.page_elements(doc_id, 1)}
    warmest, _ = max(made.similarity_map(said, doc_id, 1), key=lambda seen: seen[1])
    (box,) = localize(said, elements["picture"]).boxes
    assert box.overlap(warmest) == pytest.approx(warmest.area)
    assert box.overlap(PLATE) > 0.7 * box.area
    edges = {x for seen in made.page_regions(doc_id, 1).boxes for x in (seen.x0, seen.x1)}
    assert {box.x0, box.x1} <= edges
    assert localize(said, elements["text"]).boxes == ()  # the words, of which the map says nothing


@pytest.mark.gate
def test_from_the_command_line(
    checkpoint: Checkpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))
    pdf, folder = documents.pdf(tmp_path / "book.pdf", *PAGES), checkpoint("colqwen2_5")
    model = ["--visual", "colpali", "--checkpoint", str(folder), "--token-pooling", "2"]
    assert main(["index", str(pdf), "-c", "seen", *model, "--workers", "1"]) == 0
    told = json.loads((tmp_path / "home" / "seen" / "collection.json").read_text())
    assert (told["visual"], told["token_pooling"]) == ("colpali", 2)
    capsys.readouterr()
    assert main(["search", "When was the mill built?", "-c", "seen", "--mode", "image", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["evidence"]
    assert main(["index", str(pdf), "-c", "new", "--visual", "mm_embed", "--checkpoint", str(folder)]) == 2
    assert "mm_embed cannot use the checkpoint" in capsys.readouterr().err
    assert not (tmp_path / "home" / "new").exists()
