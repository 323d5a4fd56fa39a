"""Identifiers out of databases and archives: whatever they say, no path made of them leads out of its folder."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexing import Collection, IndexingSettings
from indexing.errors import BadCollectionName, CollectionDamaged
from indexing.identifiers import document_id, relative_path, sha256_digest
from indexing.originals import Originals
from indexing.storage import FolderRoot
from indexing.store import place_of
from indexing.store.rows import document_of, document_row
from tests.support import fakes
from tests.test_house import ROOT

NAMES = st.lists(
    st.sampled_from(["..", ".", "", "/", "x", "a" * 63, "~", "\\", "\0", "é", "%2e%2e"]) | st.text(), max_size=6
)
HOSTILE = st.tuples(NAMES, st.sampled_from(["/", "", "\\"])).map(lambda pair: pair[1].join(pair[0]))
EVERY = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@EVERY
@given(key=HOSTILE)
def test_no_key_of_a_folder_leads_out_of_it(key: str, tmp_path: Path) -> None:
    root = FolderRoot(tmp_path / "home" / "sources")
    for use in (root.find, root.exists, root.delete, root.below):
        try:
            came = use(key)
        except CollectionDamaged:
            continue
        if isinstance(came, FolderRoot):
            assert Path(os.path.realpath(came.folder)).is_relative_to(tmp_path / "home" / "sources")
        assert relative_path(key) == key


@EVERY
@given(said=HOSTILE)
def test_a_document_whose_ids_are_none_is_not_read(said: str) -> None:
    row = document_row(fakes.document("mill.pdf", [["The mill."]]))
    assert document_of(row).sha256 == row["sha256"]
    for changed in ({"sha256": said}, {"id": said}):
        with pytest.raises(CollectionDamaged, match="restore"):
            document_of(row | changed)


@pytest.mark.parametrize("said", ["", "0" * 63, "0" * 65, "A" * 64, "0" * 64 + "\n", "/" + "0" * 63, None, 7])
def test_what_is_no_hash_is_refused(said: object) -> None:
    for check in (sha256_digest, document_id):
        with pytest.raises(ValueError, match="is not"):
            check(said)


@EVERY
@given(said=HOSTILE)
def test_a_collection_has_a_name_that_stays_in_its_home(said: str, tmp_path: Path) -> None:
    try:
        place = place_of(said, tmp_path)
    except BadCollectionName:
        return
    assert Path(os.path.realpath(str(place))).parent == tmp_path


def test_a_link_out_of_the_folder_is_not_followed(collection: Collection, tmp_path: Path) -> None:
    secret = tmp_path / "secret.pdf"
    secret.write_bytes(b"not for others")
    document = fakes.document("mill.pdf", [["The mill."]])
    sources = collection.path / "sources"
    (sources / f"{document.sha256}.pdf").symlink_to(secret)
    with pytest.raises(CollectionDamaged, match="leads out"):
        Originals(sources, IndexingSettings()).path(document)


def test_no_other_module_says_what_a_name_or_a_hash_is() -> None:
    patterns = ("[0-9a-f]{64}", "[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
    modules = [path for package in ("indexing", "rag", "ui", "vouch") for path in (ROOT / package).rglob("*.py")]
    found = [path.relative_to(ROOT).as_posix() for path in modules if any(p in path.read_text() for p in patterns)]
    assert found == ["indexing/identifiers.py"]
