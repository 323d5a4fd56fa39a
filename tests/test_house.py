"""The rules of the house that no linter knows: sizes, names, who may import what (late imports too), what is public."""

from __future__ import annotations

import ast
import builtins
import importlib
import json
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("vouch", "indexing", "rag", "ui", "evaluation", "configs", "plugins")
MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60
MAX_MODULES = 25
NAMES_THAT_SAY_NOTHING = {"base", "common", "helper", "helpers", "manager", "misc", "util", "utils"}
MODELS = ("colpali", "loading", "mm_embed", "mm_embed_model", "qwen3_vl_embedding")
WITH_A_MODEL = tuple(
    f"indexing/embed/visual/{name}.py" for name in MODELS
)  # of the extra `visual`; the base has no torch
LATE = "indexing/embed/text/checkpoint.py"
ONLY_IN = {  # a package -> the only folders or modules that may import it, at their top or inside a function
    "lancedb": ("indexing/store/",),
    "gradio": ("ui/web/", "plugins/audit/check/tab.py", "plugins/audit/web/tab.py", "plugins/models/web/tab.py"),
    "jinja2": ("ui/show/html.py", "evaluation/rendering.py"),
    "markupsafe": (),  # only what a template has made is HTML, and no text is declared to be
    "torch": (*WITH_A_MODEL, LATE),
    "transformers": (*WITH_A_MODEL, LATE),
    "peft": (),
    "colpali_engine": WITH_A_MODEL,
    "xllamacpp": ("rag/llm/local.py",),
    "opentelemetry": ("rag/usage.py",),
    "ray": ("plugins/cluster/connection.py",),
}
READS_MARKUP = (
    "plugins/formats/", "plugins/audit/references/", "plugins/audit/manuscripts/", "ui/export/claims.py",
)  # fmt: skip
"""What reads the markup of files and lays it out, or writes that of a workbook, and shows none to a browser."""
SHIPPED = (
    "visual",
    "local",
    "ray",
    "signatures",
    "sso",
    "mcp",
    "traces",
    "bench",
)
"""The extras whose packages the product has."""
_HEAVY = "fastapi gradio jinja2 lancedb numpy onnxruntime opentelemetry PIL pyarrow pymupdf rapidocr ray tokenizers"
STARTS_WITHOUT = set(_HEAVY.split())

SOURCES = sorted(p for name in PACKAGES for p in (ROOT / name).rglob("*.py"))
SCRIPTS = sorted((ROOT / "samples").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
TEMPLATES = sorted(p for name in PACKAGES for p in (ROOT / name).glob("**/templates/*"))


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


def test_errors_are_one_tree_a_package() -> None:
    """`errors.py` of a package holds all of its exceptions, which descend from the first of them."""
    for package in ("indexing", "rag", "ui", "evaluation"):
        classes = [node for node in tree(ROOT / package / "errors.py").body if isinstance(node, ast.ClassDef)]
        module = importlib.import_module(f"{package}.errors")
        base = getattr(module, classes[0].name)
        assert base.__bases__ == (Exception,)
        assert [node.name for node in classes if not issubclass(getattr(module, node.name), base)] == []
    assert {where for where, bases in classes_outside_errors() if any(is_exception(name) for name in bases)} == set()


def classes_outside_errors() -> Iterator[tuple[str, list[str]]]:
    """The classes of all packages, private ones too, each with the names of its bases."""
    for path in SOURCES:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef) and path.name != "errors.py":
                yield f"{short(path)}:{node.lineno}", [ast.unparse(base).rpartition(".")[2] for base in node.bases]


def is_exception(name: str) -> bool:
    """True for the name of an exception of Python's or of ours."""
    errors = [importlib.import_module(f"{package}.errors") for package in ("indexing", "rag", "ui", "evaluation")]
    found = next((kind for kind in (getattr(m, name, None) for m in (builtins, *errors)) if kind), object)
    return isinstance(found, type) and issubclass(found, BaseException)


def test_no_two_classes_share_a_name() -> None:
    """A public class is called by its name alone: whoever reads it need not ask of which module it is."""
    places: dict[str, list[str]] = defaultdict(list)
    for path in SOURCES:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(short(path))
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


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


def test_a_folder_is_one_noun_with_few_modules() -> None:
    folders = {path.parent for path in SOURCES}
    counts = {
        short(f): len([p for p in f.glob("*.py") if p.name not in ("__init__.py", "__main__.py")]) for f in folders
    }
    assert {folder: n for folder, n in counts.items() if n > MAX_MODULES} == {}
    depths = {short(p): len(p.relative_to(ROOT).parts) - short(p).startswith("plugins/") for p in SOURCES}
    assert [path for path, depth in depths.items() if depth > 4] == []  # package/folder/folder/module


def test_a_folder_is_entered_by_its_face() -> None:
    """What is outside a folder imports from the folder, not from a module in it; modules beside or above are near.

    A module at the first level of a package is as good as a folder there: `rag.anchors`, `plugins.audit.marks`.
    """
    behind = {
        f"{short(path)}: {target}"
        for path in SOURCES
        for target in ours_imported(tree(path))
        if is_module(target) and not near(path, target) and not is_first_level(target)
    }
    assert behind == set()


def is_first_level(target: str) -> bool:
    """True for a module that lies in a package itself, in a plugin's folder, or in that of the page."""
    return target.count(".") - target.startswith(("plugins.", "ui.web.")) == 1


def ours_imported(module: ast.Module) -> Iterator[str]:
    """The modules of ours that are imported anywhere in a module, as they are written."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.partition(".")[0] in PACKAGES)
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] in PACKAGES:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if is_module(whole) and alias.name not in face(node.module) else node.module


def test_imports_make_no_circle() -> None:
    """What a module imports at its top never leads back to it."""
    names = {".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): p for p in SOURCES}
    graph: dict[str, set[str]] = {}
    for name, path in names.items():
        froms = [node for node in tree(path).body if isinstance(node, ast.ImportFrom)]
        targets = {(f"{node.module}.{alias.name}", node.module or "") for node in froms for alias in node.names}
        graph[name] = {whole if whole in names else module for whole, module in targets} - {name}
    assert len(list(TopologicalSorter(graph).static_order())) >= len(SOURCES)  # CycleError names the circle


@cache
def face(package: str) -> frozenset[str]:
    """The names that a package offers: modules may be among them."""
    path = ROOT / package.replace(".", "/") / "__init__.py"
    return frozenset(bound(tree(path))) if path.is_file() else frozenset()


def test_a_name_is_imported_from_the_module_that_defines_it() -> None:
    """Only a face offers what it has imported."""
    behind = {
        f"{short(path)}: {node.module}.{alias.name}"
        for path in SOURCES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ImportFrom) and node.module and is_module(node.module)
        for alias in node.names
        if alias.name in taken(node.module)
    }
    assert behind == set()


@cache
def taken(module: str) -> frozenset[str]:
    """The names that a module imports from our packages, at its top."""
    body = tree(ROOT / (module.replace(".", "/") + ".py")).body
    return frozenset(bound(ast.Module([node for node in body if isinstance(node, ast.ImportFrom | ast.If)], [])))


def is_module(name: str) -> bool:
    return (ROOT / (name.replace(".", "/") + ".py")).is_file()


def near(path: Path, target: str) -> bool:
    """True where a module stands in the importer's own folder, or in one that this folder is in."""
    return path.parent.is_relative_to((ROOT / target.replace(".", "/")).parent)


def test_heavy_packages_stay_where_they_belong() -> None:
    strays = {
        (short(path), name)
        for path in SOURCES
        for name in ONLY_IN.keys() & set(imported(tree(path)))
        if not short(path).startswith(ONLY_IN[name])
    }
    assert strays == set()


def test_what_is_imported_is_declared() -> None:
    ours = {*PACKAGES, "samples", "__future__"} | sys.stdlib_module_names
    distributions = packages_distributions()
    undeclared = {
        (short(path), name)
        for path in SOURCES + SCRIPTS
        for name in set(imported(tree(path))) - ours
        if not declared().intersection(normal(d) for d in distributions.get(name, [name]))
    }
    assert undeclared == set()


def test_html_comes_from_templates() -> None:
    """No string but a docstring holds a tag: neither one that is filled in (`f`, `%`, `+`, `.format`) nor any other."""
    tags = {
        f"{short(path)}:{text.lineno}: {found.group()}"
        for path in SOURCES
        if short(path).startswith(("ui/", "evaluation/", "plugins/")) and not short(path).startswith(READS_MARKUP)
        for text in strings(tree(path))
        if (found := re.search(r"</?[A-Za-z]\w*", text.value))
    }
    assert tags == set()


def strings(module: ast.Module) -> Iterator[ast.Constant]:
    """Every string of a module, the literal parts of those with holes too; not what only stands there to be read."""
    read = {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in read:
            yield node


def test_what_templates_are_filled_with_is_escaped() -> None:
    """`|safe` says in a comment beside it why it is right. `~` escapes less than a hole does, where a side is HTML."""
    texts = {short(path): path.read_text(encoding="utf-8") for path in TEMPLATES}
    assert {name.split("/")[0] for name in texts} >= {"ui", "evaluation"}
    lines = [(f"{name}:{n}", before, line) for name, text in texts.items() for n, before, line in beside(text)]
    assert [at for at, before, line in lines if re.search(r"\|\s*safe\b", line) and "#}" not in before + line] == []
    assert [name for name, text in texts.items() if re.search(r"autoescape|\{[{%][^}]*~", text)] == []


def beside(text: str) -> Iterator[tuple[int, str, str]]:
    """Each line with its number and the one before it."""
    lines = ["", *text.splitlines()]
    yield from zip(range(1, len(lines)), lines, lines[1:], strict=False)


def test_environments_of_templates_escape() -> None:
    made = {
        short(path): {word.arg: getattr(word.value, "value", None) for word in node.keywords}
        for path in SOURCES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "").endswith(("Environment", "Template"))
    }
    assert set(made) == set(ONLY_IN["jinja2"])
    assert [path for path, words in made.items() if words.get("autoescape") is not True] == []


def test_only_rendering_makes_html() -> None:
    makers = {
        short(path)
        for path in SOURCES
        for node in ast.walk(tree(path))
        if (isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("HTML", "Markup"))
        or (isinstance(node, ast.FunctionDef) and node.name == "__html__")
    }
    assert makers == {"ui/show/html.py"}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@cache
def declared() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    lines = [*project["dependencies"], *(line for name in SHIPPED for line in extras[name])]
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
    visible = {
        n for n in bound(tree(ROOT / package / "__init__.py")) if not n.startswith("_") or n == "__version__"
    } - {"lazy_names"}
    module = importlib.import_module(package)
    public = getattr(module, "__all__", [])
    assert sorted(public) == sorted(visible)
    assert [name for name in public if not hasattr(module, name)] == []


@pytest.mark.parametrize(
    ("module", "without"),
    [
        ("vouch", STARTS_WITHOUT),
        ("ui.cli", STARTS_WITHOUT),
        ("ui.cli.commands", {"gradio", "jinja2", "lancedb", "llama_index", "openai", "pymupdf", "torch"}),
        ("indexing.search, indexing.embed, rag.pipeline, rag.methods.quote", {"gradio", "pymupdf", "torch"}),
    ],
)
def test_commands_start_without_the_heavy_packages(module: str, without: set[str]) -> None:
    """`vouch --help` has 0.3 s, a cold question 4: what a command needs is imported when it is needed."""
    code = f"import json, sys, {module}; print(json.dumps(sorted({{m.partition('.')[0] for m in sys.modules}})))"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(json.loads(run.stdout)) & without == set()


NAMED = re.compile(r"`((?:indexing|rag|ui|evaluation|vouch|plugins)(?:\.\w+)+)`")
"""A module, or something in it, that a docstring names."""


def test_docstrings_name_what_is_there() -> None:
    dead = [f"{short(path)}: {name}" for path in SOURCES for name in NAMED.findall(path.read_text()) if not known(name)]
    assert dead == []


def known(name: str) -> bool:
    """True where a dotted name leads to a module, or to a name that stands in one."""
    place, parts = ROOT, name.split(".")
    for n, part in enumerate(parts):
        if (place / part).is_dir():
            place /= part
        else:
            module = place / f"{part}.py"
            rest = parts[n + 1 :] if module.is_file() else parts[n:]
            text = (module if module.is_file() else place / "__init__.py").read_text()
            return all(re.search(rf"\b{inner}\b", text) for inner in rest)
    return True
