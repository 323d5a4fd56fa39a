"""A trained reader as files for `rag.reader`: reader.onnx, whose weights have eight bits, and its tokenizer.json.

Weights are quantised channel by channel and products computed with eight-bit inputs (dynamic quantisation). They are
unsigned: signed ones are a tenth faster, but overflow on processors without VNNI, and are then less exact.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from evaluation.errors import ModelTooLarge
from evaluation.fit.reader.network import ReaderNetwork
from evaluation.fit.reader.report import Logits, Read, Rows, Run

MODEL, TOKENIZER = "reader.onnx", "tokenizer.json"
INPUTS, OUTPUTS = ("ids", "mask", "types"), ("answers", "start", "end", "support")
MOST_BYTES = 25_000_000
MOST_ROWS, MOST_LENGTH = 1024, 512


@dataclass(frozen=True, slots=True)
class ExportedReader:
    """A file that was written: its size in bytes and its hash."""

    path: Path
    size: int
    sha256: str


def export(model: ReaderNetwork, tokenizer: Path, folder: Path) -> tuple[ExportedReader, ExportedReader]:
    """Write model and tokenizer into a folder. Raises ModelTooLarge, with nothing written."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    with tempfile.TemporaryDirectory() as made:
        whole, small = Path(made, "float.onnx"), Path(made, MODEL)
        write_float(model, whole)
        quieted = logging.getLogger()
        quieted.disabled = True  # it advises to optimise the graph first, which changes nothing here
        try:
            quantize_dynamic(whole, small, per_channel=True, weight_type=QuantType.QUInt8)
        finally:
            quieted.disabled = False
        if small.stat().st_size > MOST_BYTES:
            raise ModelTooLarge(f"the model has {small.stat().st_size:,} bytes, over {MOST_BYTES:,}: make it smaller")
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(small, folder / MODEL)
    shutil.copyfile(tokenizer, folder / TOKENIZER)
    return _exported(folder / MODEL), _exported(folder / TOKENIZER)


def write_float(model: ReaderNetwork, path: Path) -> None:
    """Write a reader as ONNX, as exact as it is: int64 inputs (b, n), and its four outputs."""
    import onnx

    model.eval()
    ids = torch.ones((2, 16), dtype=torch.long)
    rows, length = torch.export.Dim("b", min=1, max=MOST_ROWS), torch.export.Dim("n", min=4, max=MOST_LENGTH)
    torch.onnx.export(
        model,
        (ids, torch.ones_like(ids), torch.zeros_like(ids)),
        path,
        input_names=INPUTS,
        output_names=OUTPUTS,
        dynamic_shapes=({0: rows, 1: length},) * len(INPUTS),
        dynamo=True,
        external_data=False,
        verbose=False,
    )
    written = onnx.load(path)
    del written.graph.value_info[:]  # shapes that can be inferred: some are wrong once weights are transposed
    onnx.save(written, path)


def exported_runner(path: Path, threads: int = 1) -> Run:
    """Have an exported model read arrays."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])

    def run(ids: Rows, mask: Rows, types: Rows) -> list[Logits]:
        found: list[Logits] = session.run(OUTPUTS, dict(zip(INPUTS, (ids, mask, types), strict=True)))
        return found

    return run


def differences(exact: Sequence[Read], small: Sequence[Read]) -> list[str]:
    """Write, as lines, how far the readings of two models of the same items are apart."""
    apart = np.abs(_probabilities(exact) - _probabilities(small))
    pairs = list(zip(exact, small, strict=True))
    sides = _share((a.answers > 0) == (b.answers > 0) for a, b in pairs)
    places = _share(a.span == b.span for a, b in pairs if a.item.starts)
    support = _share(a.support == b.support for a, b in pairs if a.item.support >= 0)
    return [
        f"of {len(exact)} held-out examples, float and eight bits:",
        f"  probability of answering: {apart.mean():.4f} apart on average, {apart.max():.4f} at most",
        f"  the same: side of one half {sides:.3f}, place {places:.3f}, support {support:.3f}",
    ]


def _probabilities(read: Sequence[Read]) -> NDArray[np.float64]:
    logits = np.array([r.answers for r in read], np.float64)
    return np.asarray(1 / (1 + np.exp(-logits)))


def _share(same: Iterable[bool]) -> float:
    found = list(same)
    return sum(found) / len(found) if found else 1.0


def _exported(path: Path) -> ExportedReader:
    return ExportedReader(path, path.stat().st_size, sha256(path.read_bytes()).hexdigest())
