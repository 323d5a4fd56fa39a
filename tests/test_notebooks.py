"""The notebooks run from top to bottom as they stand, show pictures, and define nothing."""

import ast
import importlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
RUN = (
    "import sys, nbformat; from nbclient import NotebookClient; book = nbformat.read(sys.argv[1], 4); "
    "NotebookClient(book, timeout=280).execute(cwd='.'); nbformat.write(book, sys.argv[2])"
)
OURS = ("vouch", "rag", "indexing", "ui", "evaluation")
PICTURES = {"1-first-steps": 1, "2-three-modes": 1, "3-late-interaction": 1, "4-attribution": 2, "5-reading-a-run": 1}
"""At least so many; the sixth has one where a server answers."""


def cells(path: Path) -> list[dict[str, Any]]:
    return [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of the collection that all notebooks share: the first one indexes it."""
    return tmp_path_factory.mktemp("notebooks")


def executed(notebook: Path, home: Path, **more: str) -> list[dict[str, Any]]:
    """The code cells with their outputs; fails when a cell does."""
    place = {name: str(home / "own") for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "HOME")}
    quiet = {"VOUCH_HOME": str(home / "vouch"), "PYTHONPATH": str(ROOT), "JUPYTER_RUNTIME_DIR": str(home / "run")}
    done = subprocess.run(
        [sys.executable, "-c", RUN, notebook.name, home / notebook.name],
        cwd=notebook.parent,
        env=os.environ | place | quiet | more,
        capture_output=True,
        text=True,
        timeout=290,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return cells(home / notebook.name)


def shown(made: list[dict[str, Any]]) -> str:
    """All that the cells show as text."""
    outputs = [output for cell in made for output in cell["outputs"]]
    return "\n".join("".join(o.get("text", []) or o.get("data", {}).get("text/plain", [])) for o in outputs)


def pictures(made: list[dict[str, Any]]) -> int:
    """How many pictures the cells show."""
    kinds = [kind for cell in made for output in cell["outputs"] for kind in output.get("data", {})]
    return sum(kind.startswith("image/") for kind in kinds)


def test_there_are_six_and_they_are_short_define_nothing_and_keep_no_output() -> None:
    assert len(NOTEBOOKS) == 6
    for notebook in NOTEBOOKS:
        made = cells(notebook)
        assert sum(len(cell["source"]) for cell in made) <= 60
        assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in made)
        defined = [n for cell in made for n in ast.walk(ast.parse("".join(cell["source"])))]
        assert not [n for n in defined if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_they_import_of_vouch_is_there(notebook: Path) -> None:
    """Running them takes a minute; that a name was changed is seen at once."""
    nodes = [n for cell in cells(notebook) for n in ast.walk(ast.parse("".join(cell["source"])))]
    taken = [n for n in nodes if isinstance(n, ast.ImportFrom) and (n.module or "").split(".")[0] in OURS]
    assert taken
    for line in taken:
        module = importlib.import_module(line.module or "")
        assert [
            a.name for a in line.names if not hasattr(module, a.name) and not _module(f"{line.module}.{a.name}")
        ] == []


def _module(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    "notebook",
    [*NOTEBOOKS[:2], *(pytest.param(path, marks=pytest.mark.thorough) for path in NOTEBOOKS[2:5])],
    ids=lambda path: path.stem,
)
def test_it_runs(notebook: Path, home: Path) -> None:
    made = executed(notebook, home)
    assert pictures(made) >= PICTURES[notebook.stem]
    if notebook.stem.startswith("2"):  # the metadata of a node
        assert all(f"'{key}'" in shown(made) for key in ("document", "page", "kind", "section", "bbox", "element_id"))
    if notebook.stem.startswith("4"):
        assert "'contradicted'" in shown(made)  # the forged number
        assert "True" in shown(made)  # a citation that is crucial
