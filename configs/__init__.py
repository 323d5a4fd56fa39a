"""Profiles (one YAML file each), the embedders and methods by name, and the argument parser that all commands share.

Every key of a profile is documented where it is defined (`indexing.settings`, `rag.settings`).
"""

from configs.command_line import CommandParser
from configs.embedders import EMBEDDERS, NO_VISUAL, embedder_spec, embedders, loads_checkpoint
from configs.json_text import parsed_json
from configs.methods import METHODS, method_spec, methods, methods_with_notes
from configs.spelling import did_you_mean, known_name

__all__ = [
    "EMBEDDERS",
    "METHODS",
    "NO_VISUAL",
    "CommandParser",
    "did_you_mean",
    "embedder_spec",
    "embedders",
    "known_name",
    "loads_checkpoint",
    "method_spec",
    "methods",
    "methods_with_notes",
    "parsed_json",
]
