"""docs/architecture.md agrees with the code: its tree, its layers, and the names in its walks."""

import re
from pathlib import Path

import pytest

from tests.architecture.names import pairs, section, wrong
from tests.architecture.page import PACKAGES, PAGE, ROOT, contracts, drifted, first_sentence, with_generated

TEXT = PAGE.read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SIZE = re.compile(r"indexing/ +(\d+\.\dk)")
READ = (".py", ".css", ".js", ".html")


def test_the_page_is_as_the_code_is() -> None:
    assert not drifted(TEXT, with_generated(TEXT)), "run make architecture"


def test_every_package_begins_with_a_short_sentence() -> None:
    """It stands in one line of the tree, and says what the package does."""
    packages = [path for name in PACKAGES for path in (ROOT / name).rglob("__init__.py")]
    sentences = {path.relative_to(ROOT).as_posix(): first_sentence(path) for path in packages}
    assert {path: text for path, text in sentences.items() if not 25 <= len(text) <= 118 or text[-1] != "."} == {}


@pytest.mark.parametrize("heading", ["Walk one", "Walk two", "Walk three"])
def test_walks_name_what_is_there(heading: str) -> None:
    walk = section(TEXT, heading)
    assert len(list(pairs(walk))) > 15
    assert wrong(walk) == []


def test_the_table_of_changes_names_what_is_there() -> None:
    table = section(CONTRIBUTING, "Where changes belong")
    assert len(re.findall(r"^\| ", table, re.MULTILINE)) > 10
    assert wrong(table) == []


def test_layers_leave_nothing_out() -> None:
    """Each package has a contract of its layers, in which every module and folder of it must stand."""
    inside = [c for c in contracts() if c["type"] == "layers" and "containers" in c]
    assert {name for c in inside for name in c["containers"]} == {"indexing", "rag", "ui", "ui.web", "evaluation"}
    assert [c["name"] for c in inside if not c.get("exhaustive")] == []
    independent = sorted(name for c in contracts() if c["type"] == "independence" for name in c["modules"])
    folders = [path.parent for where in ("plugins", "rag/methods") for path in ROOT.glob(f"{where}/*/__init__.py")]
    folders.append(ROOT / "rag/methods/visa")
    assert independent == sorted(short(folder).replace("/", ".") for folder in folders)


def test_the_packages_stand_in_one_order() -> None:
    (order,) = [c["layers"] for c in contracts() if c["type"] == "layers" and "containers" not in c]
    assert {name.partition(".")[0] for layer in order for name in layer.split(" | ")} == set(PACKAGES)


@pytest.mark.parametrize(
    ("change", "example", "packages"),
    [
        ("a file format", '".docx"', "indexing plugins/formats"),
        ("a file format", '".epub"', "indexing/parse indexing/conversion"),
        ("a format that `vouch check` or `vouch audit` reads", '".docx"', "plugins/audit"),
        ("a text embedder", '"openai"', "configs indexing rag ui"),
        ("a visual embedder", '"colpali"', "configs indexing rag ui"),
        ("a model server with another protocol", "ServedModel(", "indexing rag ui evaluation/harness"),
        ("a method of answering", '"visa"', "configs rag ui"),
        ("an export format for answers", '"xlsx"', "configs rag ui"),
        ("a column in LanceDB", '"label"', "indexing/store"),
        ("another option of `vouch ask`", "top_k", "ui rag/llamaindex vouch"),
        ("a label on a sentence of the page", "v-says", "ui"),
        ("a label on a sentence of the page", "answers(sentence)", "ui"),
        ("a benchmark task", "evaluation.tasks.own_questions", "evaluation"),
        ("a limit for uploads", "limits.max_files", "ui"),
        ("the colour of boxes", "#18694e", "configs indexing ui plugins"),
        ("the colour of boxes", "#a3261d", "configs indexing ui plugins"),
    ],
)
def test_the_table_of_changes_leaves_out_no_file(change: str, example: str, packages: str) -> None:
    """Every file that mentions an existing example is named in the row of the change, or its folder is."""
    row = next(line for line in CONTRIBUTING.splitlines() if line.startswith(f"| {change} |"))
    files = [path for name in packages.split() for path in (ROOT / name).rglob("*") if path.suffix in READ]
    mentioned = [path for path in files if example in path.read_text(encoding="utf-8")]
    assert mentioned
    assert [short(path) for path in mentioned if not named(row, path)] == []


def short(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def named(row: str, path: Path) -> bool:
    """True where a row has the path of a file, or of a folder that it is in."""
    return f"`{short(path)}`" in row or any(f"`{short(folder)}/`" in row for folder in path.parents[:3])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`page_row` and `element_row` in `indexing/store/rows.py`", []),
        ("`Writer.add` in `indexing/store/writer.py`, then `Writer.add`", []),
        ("`cite` in `ui/web/static/viewer.js`", []),
        ("`nothing_such` in `indexing/store/rows.py`", ["no nothing_such in indexing/store/rows.py"]),
        ("`add` in `indexing/store/writer.py`", ["no add in indexing/store/writer.py"]),
        ("`citing` in `ui/web/static/viewer.js`", ["no citing in ui/web/static/viewer.js"]),
        ("it is in `indexing/store/lines.py`", ["no file indexing/store/lines.py"]),
        ("`page_row` makes a row", ["page_row: in which file?"]),
    ],
)
def test_names_are_looked_up(text: str, expected: list[str]) -> None:
    assert wrong(text) == expected
