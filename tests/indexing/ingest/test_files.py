"""A path that is none says the next step; the language of a document is guessed where it is sure."""

from pathlib import Path

from indexing import FileMissing, IndexingSettings
from indexing.ingest import find_files


def test_an_address_is_no_file_and_the_next_step_is_said() -> None:
    (found,) = find_files([Path("https://mills.example.org/north.html")], IndexingSettings())
    assert isinstance(found.error, FileMissing)
    assert "save the web page as a PDF and index that" in str(found.error)
