"""Names of a face whose modules are heavy, and packages of others: they are loaded when they are first asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec, module_from_spec


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
