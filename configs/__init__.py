"""Profiles (one YAML file each), the argument parser of all commands, spelling suggestions, and JSON of others.

Every key of a profile is documented where it is defined (`indexing.settings`, `rag.settings`).
"""

from configs.command_line import CommandParser
from configs.json_text import parsed_json
from configs.spelling import did_you_mean

__all__ = ["CommandParser", "did_you_mean", "parsed_json"]
