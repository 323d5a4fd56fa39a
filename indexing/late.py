"""Names of a face that are loaded when they are first asked for (PEP 562), as their modules are heavy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module


def late(package: str, modules: Mapping[str, str]) -> Callable[[str], object]:
    """Return the `__getattr__` of `package`: it takes a name from the module of the package that `modules` gives."""

    def load(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{modules[name]}"), name)

    return load
