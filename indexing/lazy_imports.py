"""Import the heavy names of a package on first use, and keep unneeded packages from being imported."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec, module_from_spec
from types import ModuleType


def lazy_names(package: str, modules: Mapping[str, str]) -> Callable[[str], object]:
    """Return a `__getattr__` (PEP 562) for `package` that imports a name from the module that `modules` maps it to."""

    def load(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{modules[name]}"), name)

    return load


def leave_unloaded(name: str) -> None:
    """Delay running a third-party package until one of its names is used.

    Its submodules are imported as usual. Do nothing if it was imported before, or is not installed.
    """
    spec = None if name in sys.modules else find_spec(name)
    if spec is None or spec.loader is None:
        return
    package, loader = module_from_spec(spec), spec.loader

    def load(attribute: str) -> object:
        del package.__dict__["__getattr__"]
        loader.exec_module(package)
        return getattr(package, attribute)

    package.__dict__["__getattr__"] = load
    sys.modules[name] = package


def import_without(name: str, left_out: str) -> None:
    """Hide the package `left_out` from the package `name` while that is imported, as if it were not installed.

    The importing package then behaves so until the process ends. All other imports find the hidden package as usual. Do
    nothing if either of the two was imported before.
    """
    if name not in sys.modules and left_out not in sys.modules:
        sys.meta_path.insert(0, _FinderWithout(name, left_out))


class _FinderWithout(MetaPathFinder):
    """A finder of one package that hides another one while the first is run."""

    def __init__(self, name: str, left_out: str) -> None:
        """Keep the name of the package to find, and of the one to hide from it."""
        self._name, self._left_out = name, left_out
        self._hiding = False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of the package; for the other one raise ModuleNotFoundError while the first is run."""
        if self._hiding and fullname == self._left_out:
            raise ModuleNotFoundError(f"{fullname} is not loaded here", name=fullname)
        spec = PathFinder.find_spec(fullname, path, target) if fullname == self._name else None
        if spec is not None and spec.loader is not None:
            vars(spec.loader)["exec_module"] = partial(self._run, spec.loader.exec_module)
        return spec

    def _run(self, run: Callable[[ModuleType], None], module: ModuleType) -> None:
        """Run the package while the other one is hidden, then remove this finder."""
        self._hiding = True
        try:
            run(module)
        finally:
            self._hiding = False
            sys.meta_path.remove(self)
