"""The benchmarks by name."""

from __future__ import annotations

from evaluation.tasks import citevqa, mavis, mcitebench, mmdocir, samples, vidore, visa
from evaluation.tasks.protocol import Task

TASKS: dict[str, Task] = {
    mmdocir.NAME: mmdocir,
    citevqa.NAME: citevqa,
    visa.NAME: visa,
    mcitebench.NAME: mcitebench,
    mavis.NAME: mavis,
    vidore.NAME: vidore,
    samples.NAME: samples,
}
