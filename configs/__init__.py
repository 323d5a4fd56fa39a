"""Profiles (one YAML file each), what is listed by name (embedders, methods and so on), and the parser and colours.

Every key of a profile is documented where it is defined (`indexing.settings`, `rag.settings`).
"""

from configs.colours import CONTRADICTION, PROOF, UNCONFIRMED, Shades
from configs.command_line import CommandParser, did_you_mean, known_name
from configs.embedders import EMBEDDERS, NO_VISUAL, embedder_spec, embedders, embeds_pages, loads_checkpoint
from configs.executors import LOCAL, executors
from configs.exports import EXPORTS, export_spec, exports, offered_exports
from configs.json_text import parsed_json
from configs.methods import METHODS, method_options, method_spec, methods, methods_with_notes

__all__ = [
    "CONTRADICTION",
    "EMBEDDERS",
    "EXPORTS",
    "LOCAL",
    "METHODS",
    "NO_VISUAL",
    "PROOF",
    "UNCONFIRMED",
    "CommandParser",
    "Shades",
    "did_you_mean",
    "embedder_spec",
    "embedders",
    "embeds_pages",
    "executors",
    "export_spec",
    "exports",
    "known_name",
    "loads_checkpoint",
    "method_options",
    "method_spec",
    "methods",
    "methods_with_notes",
    "offered_exports",
    "parsed_json",
]
