"""Names of a face whose modules are heavy, and packages of others: they are loaded when they are first asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any


def late(package: str, modules: Mapping[str, str]) -> Callable[[str], object]:
    """Return the `__getattr__` (PEP 562) of `package`: it takes a name from the module of it that `modules` gives."""

    def load(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{modules[name]}"), name)

    return load


def leave_unloaded(name: str) -> None:
    """Let a package of others run no sooner than somebody takes a name from it.

    Its submodules are imported as ever. Nothing is done where it was imported before, or is not installed.
    """
    spec = None if name in sys.modules else find_spec(name)
    if spec is None or spec.loader is None:
        return
    package, loader = module_from_spec(spec), spec.loader

    def load(wanted: str) -> object:
        del package.__dict__["__getattr__"]
        loader.exec_module(package)
        return getattr(package, wanted)

    package.__dict__["__getattr__"] = load
    sys.modules[name] = package


def import_without(name: str, left_out: str) -> None:
    """Let a package of others, when it is imported, find that another one is not installed.

    It is for processes in which the two never meet: the package behaves so until the process ends. All other imports
    find the one that is left out as ever. Nothing is done where either of the two was imported before.
    """
    if name not in sys.modules and left_out not in sys.modules:
        sys.meta_path.insert(0, _FinderWithout(name, left_out))


class _FinderWithout(MetaPathFinder):
    """It finds one package, and hides another one while the first is run."""

    def __init__(self, name: str, left_out: str) -> None:
        """Keep the name of the package, and of the one it is to do without."""
        self._name, self._left_out = name, left_out
        self._hiding = False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of the package; for the other one raise ModuleNotFoundError while the first is run."""
        if self._hiding and fullname == self._left_out:
            raise ModuleNotFoundError(f"{fullname} is left out here", name=fullname)
        if fullname != self._name:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _LoaderInside(spec.loader, self._hidden)
        return spec

    @contextmanager
    def _hidden(self) -> Iterator[None]:
        """Hide the one that is left out, and step aside at the end."""
        self._hiding = True
        try:
            yield
        finally:
            self._hiding = False
            sys.meta_path.remove(self)


class _LoaderInside(Loader):
    """The loader of a package, which runs it inside a context."""

    def __init__(self, loader: Loader, context: Callable[[], Any]) -> None:
        """Keep the loader of the package, and what makes the context."""
        self._loader, self._context = loader, context

    def __getattr__(self, name: str) -> Any:
        """Return what the loader offers besides, readers of files in the package for one."""
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Have the loader make the module."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Have the loader run the module, inside the context."""
        with self._context():
            self._loader.exec_module(module)
