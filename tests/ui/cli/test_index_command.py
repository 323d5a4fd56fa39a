"""Commands that index, follow a folder, or describe pictures."""

import getpass
from pathlib import Path

import pytest

from indexing import Collection, IndexReport, list_collections
from tests.support import documents
from ui.cli import parser as cli
from ui.cli.index import _print_report


@pytest.fixture
def profile(tmp_path: Path) -> list[str]:
    """The options of a profile that indexes fast, and does not recognise text in pictures."""
    path = tmp_path / "mine.yaml"
    path.write_text("indexing: {visual: none, workers: 1, ocr: never}")
    return ["--profile", str(path)]


def said(collection: str = "default") -> str:
    """All that the elements of a collection say."""
    made = Collection.open(collection)
    pages = [made.page_elements(d.id, n) for d in made.documents() for n in range(1, d.n_pages + 1)]
    return "\n".join(e.text for page in pages for e in page if e.kind != "group")


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        ("--workers", "5000", "workers 5000: Input should be less than or equal to 64"),
        ("--token-pooling", "99", "token_pooling 99: Input should be less than or equal to 16"),
    ],
)
def test_what_no_profile_may_say_no_option_may(
    home: Path, capsys: pytest.CaptureFixture[str], option: str, value: str, why: str
) -> None:
    assert cli.main(["index", "a.pdf", option, value]) == 2
    assert capsys.readouterr().err == f"vouch: {why}\n"
    assert not home.exists()


@pytest.mark.gate
@pytest.mark.slow
def test_a_password_is_given_or_asked_for(
    home: Path,
    tmp_path: Path,
    profile: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The prompt is Python's own, which only a terminal can answer: here somebody else does."""
    vault = str(documents.encrypted(tmp_path / "vault.pdf", "open sesame"))
    assert home
    assert cli.main(["index", vault, *profile]) == 2
    assert "vault.pdf: encrypted: " in capsys.readouterr().out
    assert cli.main(["index", vault, *profile, "--password", "sesame"]) == 2
    assert "the password is wrong" in capsys.readouterr().out
    asked: list[str] = []

    def answer(prompt: str) -> str:
        asked.append(prompt)
        return "open sesame"

    monkeypatch.setattr(getpass, "getpass", answer)
    assert cli.main(["index", vault, *profile, "--password", "-"]) == 0
    assert asked == ["Password: "]
    assert "nine barrels" in said()


def test_a_mistyped_file_leaves_no_collection_behind(
    home: Path, profile: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert home
    Collection.create("mine").close()
    for name in ("typo", "mine"):
        assert cli.main(["index", str(tmp_path / "nosuch.pdf"), "-c", name, *profile]) == 2
        assert "nosuch.pdf" in capsys.readouterr().out
    assert list_collections() == ("mine",)


def test_a_cluster_that_is_none_leaves_no_collection_behind(home: Path, profile: list[str], tmp_path: Path) -> None:
    source = documents.pdf(tmp_path / "mill.pdf", ["The mill was built in 1742."])
    assert cli.main(["index", str(source), "-c", "far", "--on", "ray://head", *profile]) == 2
    assert list_collections(home) == ()


def test_a_long_list_of_problems_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    _print_report(IndexReport("c", (), 0.1), 1, (9, [f"a.pdf, page {n}: no" for n in range(8)]), as_json=False)
    lines = capsys.readouterr().out.splitlines()[-6:]
    assert lines == [*(f"Not described: a.pdf, page {n}: no" for n in range(5)), "and 3 more"]
