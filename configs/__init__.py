"""Profiles (one YAML file each), the embedders by name, and the argument parser, spelling and JSON of all packages.

Every key of a profile is documented where it is defined (`indexing.settings`, `rag.settings`).
"""

from configs.command_line import CommandParser
from configs.embedders import EMBEDDERS, NO_VISUAL, embedder_spec, embedders, loads_checkpoint
from configs.json_text import parsed_json
from configs.spelling import did_you_mean

__all__ = [
    "EMBEDDERS",
    "NO_VISUAL",
    "CommandParser",
    "did_you_mean",
    "embedder_spec",
    "embedders",
    "loads_checkpoint",
    "parsed_json",
]
