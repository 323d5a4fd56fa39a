"""LanceDB without the client of a catalogue's server, which it imports and Vouch has no use for.

`import lancedb` imports the package `lance_namespace_urllib3_client`, whose 366 functions each make a schema of their
arguments: 1.3 of the 2.9 seconds that the import took on two cores, in each process that opens a collection.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec, module_from_spec

CLIENT = "lance_namespace_urllib3_client"


def leave_client_unloaded() -> None:
    """Let the client's package run no sooner than somebody takes a name from it; its models are imported as ever."""
    spec = None if CLIENT in sys.modules or "lancedb" in sys.modules else find_spec(CLIENT)
    if spec is None or spec.loader is None:
        return
    package, loader = module_from_spec(spec), spec.loader

    def load(name: str) -> object:
        del package.__dict__["__getattr__"]
        loader.exec_module(package)
        return getattr(package, name)

    package.__dict__["__getattr__"] = load  # PEP 562: asked for a name that the package does not have yet
    sys.modules[CLIENT] = package
