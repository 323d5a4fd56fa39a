"""`vouch models get`: what is fetched, checked, resumed and refused."""

import shutil
from pathlib import Path

import pytest

from indexing.embed.visual.checkpoints import locate
from plugins.models.catalogue import Entry, catalogue, entry_of
from plugins.models.hub import choose_files, fetch, plan
from plugins.models.library import installed_models, models_folder, part_folder, sha256_of
from tests.plugins.models.hub_server import REVISION, HubServer
from ui.cli import main


def entries() -> dict[str, Entry]:
    from plugins.models import catalogue as module

    return {entry.name: entry for entry in module.catalogue()}


@pytest.mark.usefixtures("hub")
def test_a_model_is_fetched_by_name_with_its_licence_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "get", "tiny", "--yes"]) == 0
    shown = capsys.readouterr().out
    assert "licence: mit" in shown
    assert "Do with it what you like." in shown
    assert REVISION in shown
    (manifest,) = installed_models()
    folder = models_folder() / "tiny"
    assert sorted(manifest.files) == ["Tiny-Q4_K_M.gguf", "mmproj-Tiny-Q8_0.gguf"]
    assert all(sha256_of(folder / name) == digest for name, digest in manifest.files.items())
    assert (manifest.revision, manifest.role) == (REVISION, "writer")
    assert sorted(path.name for path in models_folder().iterdir()) == ["tiny"]


def test_a_model_that_is_here_keeps_its_revision(hub: HubServer) -> None:
    assert main(["models", "get", "tiny", "--yes"]) == 0
    assert "/revision/" not in hub.asked[0], "the first fetch asks for the latest"
    hub.asked.clear()
    assert main(["models", "get", "tiny", "--yes"]) == 0
    assert f"/revision/{REVISION}" in hub.asked[0]


@pytest.mark.usefixtures("hub")
def test_an_adapter_is_fetched_with_the_model_that_it_changes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "get", "adapter", "--yes"]) == 0
    assert "/acme/adapted at revision" in capsys.readouterr().out
    folder = models_folder() / "adapter"
    assert locate(str(folder), "colpali").base == folder / "base"
    (manifest,) = installed_models()
    assert manifest.files["base/model.safetensors"] == sha256_of(folder / "base" / "model.safetensors")
    assert not list(folder.rglob(".cache"))


def test_the_licence_of_an_adapted_model_counts_too(hub: HubServer, capsys: pytest.CaptureFixture[str]) -> None:
    hub.repositories["acme/adapted"].licence = "cc-by-nc-4.0"
    assert main(["models", "get", "adapter", "--yes"]) == 2
    assert "the licence cc-by-nc-4.0 forbids commercial use" in capsys.readouterr().err


def test_nothing_is_contacted_before_get(hub: HubServer, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models"]) == 0
    assert main(["models", "list"]) == 0
    assert hub.asked == []
    assert "tiny: a tiny one" in capsys.readouterr().out


@pytest.mark.usefixtures("hub")
def test_no_code_and_no_pickle_is_fetched() -> None:
    chosen = {file.name for file in plan(entries()["late"]).files}
    assert "weights.bin" not in chosen
    assert {"modules.json", "onnx/model.onnx", "1_Dense/model.safetensors"} <= chosen


def test_a_download_that_was_cut_off_goes_on(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.DOWNLOAD_CHUNK_SIZE", 10_000)
    hub.repositories["acme/tiny"].broken = "Tiny-Q4_K_M.gguf"
    fetch(plan(entries()["tiny"]))
    assert hub.ranges, "the second half is asked for alone"
    assert [manifest.name for manifest in installed_models()] == ["tiny"]


def test_a_wrong_hash_is_deleted_and_the_old_model_stays(hub: HubServer, capsys: pytest.CaptureFixture[str]) -> None:
    fetch(plan(entries()["tiny"]))
    hub.repositories["acme/tiny"].files["Tiny-Q4_K_M.gguf"] += bytes(8)
    hub.repositories["acme/tiny"].wrong = "Tiny-Q4_K_M.gguf"
    before = installed_models()
    assert main(["models", "get", "tiny", "--yes"]) == 2
    assert "its SHA-256 differs" in capsys.readouterr().err
    assert installed_models() == before
    assert not (part_folder("tiny") / "Tiny-Q4_K_M.gguf").exists()


@pytest.mark.usefixtures("hub")
def test_a_file_that_differs_from_the_pinned_one_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pinned = entries()["tiny"].model_copy(update={"sha256": {"Tiny-Q4_K_M.gguf": "0" * 64}})
    monkeypatch.setattr("plugins.models.catalogue.catalogue", lambda: (pinned,))
    assert main(["models", "get", "tiny", "--yes"]) == 2
    assert "its SHA-256 differs" in capsys.readouterr().err
    assert installed_models() == ()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["research", "--yes"], "forbids commercial use: if yours is none, add --accept cc-by-nc-4.0"),
        (["nobody"], "no model 'nobody' is known"),
        (["tinny"], "did you mean tiny?"),
        (["tiny"], "there is no terminal to ask on: add --yes"),
        (["hf:acme/nothing", "--yes"], "there is no acme/nothing at"),
        (["hf:acme/tiny:Q2_K", "--yes"], "its GGUF files: Tiny-Q4_K_M.gguf, Tiny-Q8_0.gguf"),
    ],
)
@pytest.mark.usefixtures("hub")
def test_what_cannot_be_fetched_says_why(capsys: pytest.CaptureFixture[str], words: list[str], says: str) -> None:
    assert main(["models", "get", *words]) == 2
    assert says in capsys.readouterr().err
    assert installed_models() == ()


@pytest.mark.usefixtures("hub")
def test_a_licence_is_accepted_by_its_name() -> None:
    assert main(["models", "get", "research", "--yes", "--accept", "cc-by-nc-4.0"]) == 0
    assert installed_models()[0].licence == "cc-by-nc-4.0"


def test_a_licence_that_has_changed_is_shown_and_refused(hub: HubServer, capsys: pytest.CaptureFixture[str]) -> None:
    hub.repositories["acme/tiny"].licence = "other"
    assert main(["models", "get", "tiny", "--yes"]) == 2
    assert "was mit and is other now" in capsys.readouterr().err


def test_a_full_disk_is_seen_before_anything_is_fetched(
    hub: HubServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    usage = shutil.disk_usage(Path.cwd())
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1000))
    assert main(["models", "get", "tiny", "--yes"]) == 2
    assert "1.0 kB are free: make room, or set VOUCH_MODELS" in capsys.readouterr().err
    assert not [path for path in hub.asked if path.endswith(".gguf")]


def test_a_hub_that_is_away_names_the_next_step(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    assert main(["models", "get", "qwen3-vl-2b", "--yes"]) == 2
    assert "check the network, or set HF_ENDPOINT to a mirror" in capsys.readouterr().err


def test_offline_forbids_fetching(
    hub: HubServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert main(["models", "get", "tiny", "--yes"]) == 2
    assert "HF_HUB_OFFLINE is set" in capsys.readouterr().err
    assert hub.asked == []


def test_the_catalogue_is_sound() -> None:
    """Names are unique, each entry can be asked for, and a writer names both of its files."""
    names = [entry.name for entry in catalogue()]
    assert len(set(names)) == len(names)
    for entry in catalogue():
        assert entry_of(entry.name) is entry
        assert entry.licence
        assert entry.memory > entry.disk or entry.estimated
        assert (entry.role != "writer") or len(entry.files) > 1
        assert bool(entry.score) == bool(entry.source)


def test_a_model_of_any_repository_has_a_name_of_its_own() -> None:
    entry = entry_of("hf:Acme/Some.Model-GGUF:Q8_0")
    assert (entry.name, entry.repo, entry.role) == ("some.model-q8-0", "Acme/Some.Model-GGUF", "writer")
    names = ["a-Q8_0.gguf", "a-Q4_K_M.gguf", "mmproj-a-F16.gguf", "mmproj-a-Q8_0.gguf"]
    assert choose_files(entry, names) == {"a-Q8_0.gguf", "mmproj-a-Q8_0.gguf"}
