"""Models that are here: import, pack, use, remove, compare, and what `vouch doctor` says of them."""

import json
import re
import resource
import tarfile
from pathlib import Path

import pytest
import yaml

from indexing import Collection
from plugins.models import advice, profile
from plugins.models.compare import OwnQuestion, keep_speed, read_questions
from plugins.models.errors import ModelsError
from plugins.models.library import MANIFEST, installed_models, models_folder, sha256_of
from rag import load_profile, own_profile
from tests.plugins.models.conftest import TEXTS
from tests.support.gguf_files import gguf
from tests.support.late_checkpoint import make
from ui.cli import main


@pytest.fixture
def late(tmp_path: Path) -> Path:
    """A text embedder that was imported."""
    assert main(["models", "import", str(make(tmp_path / "late", TEXTS).folder)]) == 0
    return models_folder() / "late"


def write_model(tmp_path: Path) -> list[str]:
    model, eyes = gguf(tmp_path / "Some Model.gguf"), gguf(tmp_path / "eyes.gguf", "clip")
    return ["models", "import", str(model), "--mmproj", str(eyes)]


def test_a_gguf_is_imported_with_its_vision_part(tmp_path: Path) -> None:
    assert main(write_model(tmp_path)) == 0
    (manifest,) = installed_models()
    assert (manifest.name, manifest.role) == ("some-model", "writer")
    assert list(manifest.files) == ["Some Model.gguf", "mmproj-eyes.gguf"]


def test_the_list_says_what_a_model_takes_and_how_fast_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(write_model(tmp_path))
    profile.write_changes({"rag": {"model": {"gguf": str(models_folder() / "some-model" / "Some Model.gguf")}}})
    keep_speed("default", {"answered": 0, "asked": 2, "median_seconds": 9.0})
    assert main(["models"]) == 0
    shown = capsys.readouterr().out
    assert "on disk; not tried yet, in use" in shown
    assert "1.6 GB on disk, about 4.0 GB of memory, apache-2.0; about" in shown
    assert "estimated; several languages\n" in shown
    assert "English; nDCG@10 on 15 sets of BEIR .572 (BM25 .415) (https://huggingface.co/lightonai/LateOn)\n" in shown
    keep_speed("default", {"answered": 2, "asked": 2, "median_seconds": 7.5})
    keep_speed("embedded", {"answered": 2, "asked": 2, "median_seconds": 0.1})
    assert main(["models", "list"]) == 0
    assert "; 7.5 s a question on this machine, the median of 2 of your own, in use" in capsys.readouterr().out


def test_the_folder_of_a_model_is_imported_again(late: Path) -> None:
    assert main(["models", "import", str(late), "--name", "again"]) == 0
    again, first = installed_models()
    assert again.files == first.files
    assert all(sha256_of(models_folder() / "again" / name) == digest for name, digest in again.files.items())


@pytest.mark.parametrize(
    ("make_file", "says"),
    [
        (lambda path: path / "gone.gguf", "give a .gguf file"),
        (lambda path: (path / "text.txt", (path / "text.txt").write_text("x"))[0], "is no model"),
        (lambda path: (path / "cut.gguf", (path / "cut.gguf").write_bytes(b"GGUF"))[0], "damaged or cut off"),
        (lambda path: gguf(path / "eyes.gguf", "clip"), "the model itself comes first"),
        (lambda path: (path / "empty", (path / "empty").mkdir())[0], "no weights as safetensors or ONNX"),
    ],
)
def test_what_is_no_model_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], make_file: object, says: str
) -> None:
    path = make_file(tmp_path)  # type: ignore[operator]
    assert main(["models", "import", str(path)]) == 2
    assert says in capsys.readouterr().err
    assert installed_models() == ()


def test_a_disk_that_is_full_leaves_nothing_behind(
    late: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))  # no file may be larger, as on a disk that is full
    try:
        assert main(["models", "import", str(late), "--name", "again"]) == 2
        assert main(["models", "pack", "late", "--to", str(tmp_path / "packed.tar")]) == 2
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert capsys.readouterr().err.count("File too large") == 2
    assert [*(p.name for p in models_folder().iterdir()), *tmp_path.glob("packed.tar")] == ["late"]


@pytest.mark.slow
@pytest.mark.gate
def test_a_text_embedder_is_tried_and_can_be_used_by_its_name(
    late: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["models", "use", "late"]) == 0
    shown = capsys.readouterr().out
    assert f"--text colbert --checkpoint {late}" in shown
    speed = installed_models()[0].speed
    assert re.fullmatch(r"embeds [\d.e+]+ passages a second on this machine", speed)
    assert main(["models"]) == 0
    assert f"on disk; {speed}" in capsys.readouterr().out
    assert not own_profile().exists(), "collections keep the embedder that they were made with"
    (tmp_path / "mill.txt").write_text(TEXTS[1])
    assert main(["index", str(tmp_path / "mill.txt"), "--collection", "mills"]) == 0
    assert main(["models", "use", "late", "--collection", "mills"]) == 0
    capsys.readouterr()
    assert main(["ask", "When was the mill built?", "--collection", "mills", "--json"]) == 0
    assert "1871" in json.loads(capsys.readouterr().out)["sentences"][0]["text"]


def test_a_model_that_cannot_be_loaded_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(write_model(tmp_path))
    own_profile().write_text("rag:\n  top_k: 7\n")
    assert main(["models", "use", "some-model"]) == 2
    assert "nothing was changed" in capsys.readouterr().err
    assert own_profile().read_text() == "rag:\n  top_k: 7\n"


def test_the_own_profile_is_the_default_one_and_keeps_its_other_keys() -> None:
    model = {"base_url": "http://127.0.0.1:8000/v1", "name": "m"}
    profile.write_changes({"rag": {"top_k": 7}})
    profile.write_changes({"rag": {"model": model, "method": "vanilla", "mode": None}})
    loaded = load_profile()
    assert (loaded.rag.top_k, loaded.rag.method, loaded.rag.model and loaded.rag.model.name) == (7, "vanilla", "m")
    assert main(["models", "use", "--quotes"]) == 0
    assert yaml.safe_load(own_profile().read_text()) == {"rag": {"top_k": 7, "method": "quote"}}
    assert load_profile("embedded").rag.top_k != 7


def test_an_own_profile_is_kept_with_its_comments_and_an_empty_one_is_no_fault() -> None:
    own_profile().parent.mkdir(parents=True)
    own_profile().write_text("# nothing yet\n")
    profile.write_changes({"rag": {"method": "quote"}})
    assert own_profile().with_suffix(".yaml.before").read_text() == "# nothing yet\n"
    assert yaml.safe_load(own_profile().read_text()) == {"rag": {"method": "quote"}}


def test_a_profile_that_cannot_be_read_is_left_alone() -> None:
    own_profile().parent.mkdir(parents=True)
    own_profile().write_text("rag: [")
    with pytest.raises(ModelsError, match="correct it there, or remove it"):
        profile.write_changes({"rag": {"method": "quote"}})
    assert own_profile().read_text() == "rag: ["


@pytest.mark.usefixtures("late")
def test_a_packed_model_is_imported_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = tmp_path / "late.tar"
    assert main(["models", "pack", "late", "--to", str(packed)]) == 0
    before = installed_models()
    monkeypatch.setenv("VOUCH_MODELS", str(tmp_path / "elsewhere"))
    assert main(["models", "import", str(packed)]) == 0
    assert installed_models() == before
    assert models_folder() == tmp_path / "elsewhere"


@pytest.mark.parametrize("harm", ["changed", "outside", "without manifest", "cut off"])
def test_a_packed_file_that_is_not_whole_is_refused(
    late: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], harm: str
) -> None:
    packed = tmp_path / "late.tar"
    if harm == "changed":
        (late / "tokenizer.json").write_text("{}")
    elif harm == "without manifest":
        with tarfile.open(packed, "w") as archive:
            archive.add(late / "tokenizer.json", "late/tokenizer.json")
    elif harm == "outside":
        with tarfile.open(packed, "w") as archive:
            archive.add(late / MANIFEST, "late/../../../outside.json")
    if harm in ("changed", "cut off"):
        main(["models", "pack", "late", "--to", str(packed)])
    if harm == "cut off":
        packed.write_bytes(packed.read_bytes()[:3000])
    monkeypatch.setenv("VOUCH_MODELS", str(tmp_path / "elsewhere"))
    assert main(["models", "import", str(packed)]) == 2
    assert "late" in capsys.readouterr().err
    assert installed_models() == ()
    assert not (tmp_path / "outside.json").exists()


def test_doctor_names_what_is_used_and_what_is_here_and_not_used(late: Path) -> None:
    found = {what: (state, says) for what, state, says in advice.findings(load_profile("embedded"))}
    assert found["model that embeds texts"] == (
        "skipped", "minilm, which comes with Vouch; late is here and not used: vouch models use late",
    )  # fmt: skip
    profile.write_changes({"indexing": {"embedder": "colbert", "text_checkpoint": str(late)}})
    found = {what: (state, says) for what, state, says in advice.findings(load_profile())}
    assert found["model that embeds texts"] == ("good", "colbert late")


def test_a_small_machine_is_suggested_the_fastest_writer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advice, "memory", lambda: 64_000_000_000)
    names = []
    for cores in (1, 12, 64):
        monkeypatch.setattr(advice, "cores", lambda cores=cores: cores)
        best = advice.suggestion("writer")
        assert best is not None
        names.append(best.name)
    assert names == ["qwen3-vl-2b", "qwen3-vl-4b", "qwen3-vl-8b"]


def test_three_ways_to_a_model_are_suggested(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(advice, "memory", lambda: 9_000_000_000)
    assert main(["models", "suggest"]) == 0
    shown = capsys.readouterr().out
    assert "vouch models get qwen3-vl-" in shown
    assert "vouch connect https://HOST/v1 --key-env VARIABLE" in shown
    monkeypatch.setattr(advice, "memory", lambda: 500_000_000)
    assert main(["models", "suggest"]) == 0
    assert "models get" not in capsys.readouterr().out


def test_a_model_in_use_is_not_removed(late: Path) -> None:
    profile.write_changes({"indexing": {"embedder": "colbert", "text_checkpoint": str(late)}})
    assert main(["models", "remove", "late"]) == 2
    own_profile().unlink()
    assert main(["models", "remove", "late"]) == 0
    assert not late.exists()


@pytest.mark.parametrize("name", ["../some-model", "..", ".", ""])
def test_only_a_model_is_removed(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    main(write_model(tmp_path))
    assert main(["models", "remove", name]) == 2
    assert "is not here" in capsys.readouterr().err
    assert [model.name for model in installed_models()] == ["some-model"]


def test_doctor_suggests_what_fits_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advice, "memory", lambda: 9_000_000_000)
    monkeypatch.setattr(advice, "cores", lambda: 16)
    found = {what: (state, says) for what, state, says in advice.findings(load_profile("embedded"))}
    cost = "3.0 GB on disk, about 6.5 GB of memory, apache-2.0, about 3 min a question on 16 cores, estimated"
    assert found["model that writes answers"] == (
        "skipped",
        f"none: answers are quotes; qwen3-vl-4b would fit ({cost}): vouch models get qwen3-vl-4b --use",
    )
    assert "ettin-reranker-150m would fit" in found["model that orders what a search finds"][1]
    assert found["model that judges whether a text proves a sentence"][1].startswith("none: rules decide")
    assert len(found) == 5
    monkeypatch.setattr(advice, "memory", lambda: 500_000_000)
    assert {state for _, state, _ in advice.findings(load_profile("embedded"))} == {"good"}, "nothing would fit"
    assert advice.suggestion("text", english=False) is None
    monkeypatch.setattr(advice, "memory", lambda: 9_000_000_000)
    better = advice.suggestion("text", english=False)
    assert better is not None
    assert better.name == "mlateon"


@pytest.mark.slow
@pytest.mark.gate
def test_own_questions_are_compared(
    samples: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOUCH_HOME", str(Path(str(samples.path)).parent))
    questions = tmp_path / "questions.txt"
    questions.write_text("How many departures were cancelled?\tannual-report.pdf\t5\nWho?\n")
    assert main(["models", "compare", "--collection", "samples", "--questions", str(questions)]) == 0
    shown = capsys.readouterr().out
    assert "1. How many departures were cancelled?" in shown
    assert "right page cited" in shown
    command = ["models", "compare", "--collection", "samples", "--questions", str(questions), "--limit", "1"]
    assert main([*command, "--json"]) == 0
    captured = capsys.readouterr()
    assert (len(json.loads(captured.out)["questions"]), captured.err) == (1, "1 of 1\n")


def test_questions_are_read_with_their_pages(tmp_path: Path) -> None:
    path = tmp_path / "questions.txt"
    path.write_text("Who?\n\nWhen?\treport.pdf\t3\n")
    assert read_questions(path) == [OwnQuestion("Who?"), OwnQuestion("When?", "report.pdf", 3)]
    path.write_text("When?\treport.pdf\tthree\n")
    with pytest.raises(ModelsError, match="line 1: after the question come the document and its page"):
        read_questions(path)
