"""The rules of the house that no linter knows: sizes, names, who may import what (late imports too), what is public."""

from __future__ import annotations

import ast
import importlib
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("indexing", "rag", "ui", "evaluation", "configs")
MAX_FILE_LINES = 300
MAX_FUNCTION_LINES = 60
NAMES_THAT_SAY_NOTHING = {"base", "common", "helper", "helpers", "manager", "misc", "util", "utils"}
MODELS = ("colpali", "loading", "mm_embed", "mm_embed_model", "pooling", "qwen3_vl_embedding")
WITH_A_MODEL = tuple(f"indexing/embed/{name}.py" for name in MODELS)  # of the extra `visual`; the base has no torch
TUNING = ("evaluation/finetune_model.py", "evaluation/finetune_loop.py")
WATCHING = ("evaluation/attention_model.py", "evaluation/fluency.py", "evaluation/qwen_vl.py")
ONLY_IN = {  # a package -> the only modules that may import it, at their top or inside a function
    "lancedb": ("indexing/store.py", "evaluation/lance_exact.py"),  # the second measures LanceDB's own search
    "gradio": ("ui/app.py", "ui/tab_ask.py", "ui/tab_collections.py", "ui/tab_compare.py", "ui/tab_frame.py"),
    "torch": WITH_A_MODEL + TUNING + WATCHING,
    "transformers": WITH_A_MODEL + TUNING + WATCHING,
    "peft": TUNING,
    "colpali_engine": WITH_A_MODEL,
}
COMES_WITH = {"mauve": "mauve-text"}  # where it is not installed, the distribution of a package of another name
STARTS_WITHOUT = {"gradio", "lancedb", "numpy", "onnxruntime", "PIL", "pyarrow", "pymupdf", "rapidocr", "tokenizers"}

SOURCES = sorted(p for name in PACKAGES for p in (ROOT / name).rglob("*.py"))
SCRIPTS = sorted((ROOT / "samples").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))


def short(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imported(module: ast.AST) -> Iterator[str]:
    """Top-level names of everything imported anywhere in a module."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    return (node.end_lineno or first) - first + 1


def test_there_is_something_to_look_at() -> None:
    assert {short(p).split("/")[0] for p in SOURCES} >= {"indexing", "rag", "ui"}
    assert [name for name in PACKAGES if not (ROOT / name / "__init__.py").is_file()] == []


def test_files_stay_small() -> None:
    lines = {short(p): p.read_text(encoding="utf-8").count("\n") for p in SOURCES + SCRIPTS + TESTS}
    assert {path: n for path, n in lines.items() if n > MAX_FILE_LINES} == {}


def test_functions_stay_small() -> None:
    lengths = {
        f"{short(path)}:{node.lineno} {node.name}": length(node)
        for path in SOURCES + SCRIPTS + TESTS
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert {where: n for where, n in lengths.items() if n > MAX_FUNCTION_LINES} == {}


def test_every_module_says_what_it_is_for() -> None:
    assert [short(p) for p in SOURCES + SCRIPTS + TESTS if len(ast.get_docstring(tree(p)) or "") < 20] == []


def test_every_name_says_what_is_in_it() -> None:
    paths = [p.relative_to(ROOT).with_suffix("") for p in SOURCES + SCRIPTS + TESTS]
    assert [p.as_posix() for p in paths if NAMES_THAT_SAY_NOTHING.intersection(p.parts)] == []


def test_one_folder_level_inside_a_package() -> None:
    assert [short(p) for p in SOURCES if len(p.relative_to(ROOT).parts) > 3] == []


def test_heavy_packages_stay_where_they_belong() -> None:
    strays = {
        (short(path), name)
        for path in SOURCES
        for name in ONLY_IN.keys() & set(imported(tree(path)))
        if short(path) not in ONLY_IN.get(name, ())
    }
    assert strays == set()


def test_what_is_imported_is_declared() -> None:
    ours = {*PACKAGES, "samples", "__future__"} | sys.stdlib_module_names
    distributions = packages_distributions()
    undeclared = {
        (short(path), name)
        for path in SOURCES + SCRIPTS
        for name in set(imported(tree(path))) - ours
        if not declared().intersection(normal(d) for d in distributions.get(name, [COMES_WITH.get(name, name)]))
    }
    assert undeclared == set()


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@cache
def declared() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    lines = project["dependencies"] + extras["visual"] + extras["bench"] + extras["mauve"]
    return {normal(re.match(r"[\w.-]+", line).group()) for line in lines}  # type: ignore[union-attr]


def bound(module: ast.Module) -> Iterator[str]:
    """Public names that a package binds itself or takes from our packages; `if TYPE_CHECKING` counts."""
    statements = list(module.body)
    while statements:
        node = statements.pop()
        if isinstance(node, ast.If):
            statements += node.body + node.orelse
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in PACKAGES:
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (t.id for t in targets if isinstance(t, ast.Name))


@pytest.mark.parametrize("package", [p for p in PACKAGES if (ROOT / p / "__init__.py").exists()])
def test_the_public_face_is_what_is_visible(package: str) -> None:
    visible = {n for n in bound(tree(ROOT / package / "__init__.py")) if not n.startswith("_")}
    module = importlib.import_module(package)
    public = getattr(module, "__all__", [])
    assert sorted(public) == sorted(visible)
    assert [name for name in public if not hasattr(module, name)] == []


@pytest.mark.parametrize(
    ("module", "without"),
    [
        ("ui.cli", STARTS_WITHOUT),
        ("ui.commands", {"gradio", "lancedb", "llama_index", "openai", "pymupdf", "torch"}),
        ("indexing.search, indexing.embed.ocr_regions, rag.pipeline, rag.extractive", {"gradio", "pymupdf", "torch"}),
    ],
)
def test_commands_start_without_the_heavy_packages(module: str, without: set[str]) -> None:
    """`vouch --help` has 0.3 s, a cold question 4: what a command needs is imported when it is needed."""
    code = f"import json, sys, {module}; print(json.dumps(sorted({{m.partition('.')[0] for m in sys.modules}})))"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(json.loads(run.stdout)) & without == set()
