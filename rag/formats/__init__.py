"""Read and write answers with boxes in formats that others define."""

from rag.formats.citevqa import SCALE, CitedRegion, Reading, Statement, read_citevqa, statements_of, write_citevqa
