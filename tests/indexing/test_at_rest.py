"""What a collection leaves on the disk: locked documents stay locked, and nobody but the owner may read anything."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest

from indexing import (
    BBox,
    Collection,
    EncryptedFile,
    IndexingSettings,
    IndexReport,
    Mark,
    annotate_document,
    build_index,
)
from indexing.embed.minilm import MiniLM
from indexing.workers import Job, Workers
from tests.support import documents, fakes

pytestmark = pytest.mark.cold_workers
SETTINGS = IndexingSettings(visual="none", ocr="never", workers=1)
SECRET = "open sesame"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(params=[0o000, 0o077], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def vault(folder: Path) -> Path:
    path = folder / "vault.pdf"
    return path if path.exists() else documents.encrypted(path, SECRET)


def indexed(tmp_path: Path, embedder: MiniLM, **settings: bool) -> tuple[Collection, IndexReport]:
    """A collection in which `vault.pdf` was read by its password."""
    made = fakes.collection(tmp_path / "home", embedder)
    chosen = SETTINGS.model_copy(update=settings)
    return made, build_index(made, [vault(tmp_path)], settings=chosen, password=SECRET)


@pytest.fixture(scope="module")
def vaulted(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Iterator[tuple[Collection, IndexReport]]:
    """The same, once for all tests that only read it: as the run has it that knows the password, and its report."""
    made, report = indexed(tmp_path_factory.mktemp("vault"), embedder)
    yield made, report
    made.close()


def copy_of(collection: Collection) -> Path:
    (path,) = (collection.path / "sources").iterdir()
    return path


def reopened(collection: Collection) -> Collection:
    """The same collection as a later run opens it, which knows no password."""
    return Collection(collection.path, collection.settings)


def modes(folder: Path) -> set[str]:
    """The modes of all files, then of all folders, in and with `folder`."""
    found = [p for p in (folder, *folder.rglob("*")) if not p.is_symlink()]
    return {f"{'d' if p.is_dir() else 'f'}{stat.S_IMODE(p.stat().st_mode):o}" for p in found}


@pytest.mark.slow
@pytest.mark.gate
def test_a_locked_document_stays_locked_at_rest(vaulted: tuple[Collection, IndexReport]) -> None:
    made, report = vaulted
    assert copy_of(made).read_bytes() == vault(made.path.parents[1]).read_bytes()
    with pymupdf.open(copy_of(made)) as copy:
        assert copy.needs_pass
    assert report.exit_code == 0
    assert (report.files[0].copy, report.to_json()["files"][0]["copy"]) == ("locked", "locked")
    assert "its file remains locked: to see its pages later, give the password again" in "".join(report.notes)
    assert SECRET not in repr(report)


@pytest.mark.slow
@pytest.mark.gate
def test_its_pages_are_drawn_only_with_the_password(vaulted: tuple[Collection, IndexReport]) -> None:
    made, _ = vaulted
    (document,) = made.documents()
    drawn = made.draw_page(document.id, 1, 300)
    with reopened(made) as later:
        with pytest.raises(
            EncryptedFile, match=r"vault.pdf is locked.*VOUCH_PASSWORD, --password-fd N or --password -"
        ):
            later.draw_page(document.id, 1, 300)
        later.take_password("wrong")
        with pytest.raises(EncryptedFile):
            later.draw_page(document.id, 1, 300)
        later.take_password(SECRET)
        assert later.draw_page(document.id, 1, 300) == drawn
        assert drawn.convert("L").getextrema()[0] < 100  # there is writing


@pytest.mark.slow
@pytest.mark.gate
def test_a_marked_copy_of_a_locked_document_is_locked_too(vaulted: tuple[Collection, IndexReport]) -> None:
    made, _ = vaulted
    marked = annotate_document(made, made.documents()[0].id, [Mark(1, (BBox(0.1, 0.1, 0.9, 0.3),), "a")])
    assert b"cider" not in marked.content
    with pymupdf.open("pdf", marked.content) as copy:
        assert copy.needs_pass
        assert copy.authenticate(SECRET)
        assert "cider" in copy[0].get_text()
        assert [a.info["content"] for a in copy[0].annots()] == ["a"]


@pytest.mark.slow
@pytest.mark.gate
def test_a_decrypted_copy_is_kept_only_if_a_setting_says_so(tmp_path: Path, embedder: MiniLM) -> None:
    made, report = indexed(tmp_path, embedder, keep_decrypted=True)
    with pymupdf.open(copy_of(made)) as copy:
        assert not copy.needs_pass
    assert report.files[0].copy == "decrypted"
    assert report.notes == ("vault.pdf: a decrypted copy of its file is kept in the collection (keep_decrypted)",)
    reopened(made).draw_page(made.documents()[0].id, 1, 100)
    assert modes(made.path) == {"d700", "f600"}


@pytest.mark.slow
@pytest.mark.gate
def test_a_collection_is_its_owners_alone_under_any_umask(tmp_path: Path, embedder: MiniLM, umask: int) -> None:
    """Threads of LanceDB write it too."""
    home = tmp_path / "new" / "home"
    plain = documents.pdf(tmp_path / "plain.pdf", ["Nothing is locked here, and all of it is private."])
    made = fakes.collection(home, embedder)
    assert modes(home) <= {"d700", "f600"}  # before anything is in it
    build_index(made, [plain, vault(tmp_path)], settings=SETTINGS, password=SECRET)
    made.compact()
    assert modes(home) == {"d700", "f600"}
    assert os.umask(umask) == umask  # a library leaves that of its process alone


def test_a_worker_writes_for_its_owner_alone_whatever_umask_it_comes_by(tmp_path: Path, umask: int) -> None:
    """Pebble starts and restarts workers from a thread of its own."""
    target = tmp_path / "open.pdf"
    with Workers(1, SETTINGS) as workers:
        workers.unlock(Job(vault(tmp_path), SECRET, SETTINGS), target)
    assert (modes(target), os.umask(umask)) == ({"f600"}, umask)


@pytest.mark.slow
def test_an_older_collection_is_mended_when_it_is_opened_for_writing(tmp_path: Path, embedder: MiniLM) -> None:
    made, _ = indexed(tmp_path, embedder)
    home = made.path.parent
    for path in (home, *home.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    outside = tmp_path / "outside.txt"
    outside.write_text("not ours")
    outside.chmod(0o644)
    (made.path / "link").symlink_to(outside)
    made.remove("vault.pdf")
    assert modes(home) == {"d700", "f600"}
    assert stat.S_IMODE(outside.stat().st_mode) == 0o644


@pytest.mark.parametrize(
    ("beside", "mode"), [((), 0o700), ((".bibliographies", ".online"), 0o700), (("not ours",), 0o755)]
)
def test_a_home_is_closed_unless_it_has_things_of_others(tmp_path: Path, beside: tuple[str, ...], mode: int) -> None:
    home = tmp_path / "home"
    home.mkdir()
    for name in beside:
        (home / name).mkdir()
    home.chmod(0o755)
    made = Collection.create("papers", home, SETTINGS)
    assert stat.S_IMODE(home.stat().st_mode) == mode
    assert modes(made.path) == {"d700", "f600"}


COMMAND = """
import os, sys
os.umask(0)
from ui import cli
sys.exit(cli.main(sys.argv[1:]))
"""


@pytest.mark.slow
@pytest.mark.gate
def test_the_command_writes_for_its_person_alone_whatever_the_umask(tmp_path: Path) -> None:
    plain = documents.pdf(tmp_path / "plain.pdf", ["The mill by the river was built in 1887."])
    environment = os.environ | {"PYTHONPATH": str(ROOT), "VOUCH_HOME": str(tmp_path / "home")}

    def command(*said: str) -> None:
        subprocess.run([sys.executable, "-c", COMMAND, *said], env=environment, check=True, capture_output=True)

    command("index", str(plain))
    assert modes(tmp_path / "home") == {"d700", "f600"}
    out = tmp_path / "out"
    command("ask", "When was the mill built?", "--export", str(out), "--overlay", str(out / "pages"))
    assert modes(out) == {"d700", "f600"}
