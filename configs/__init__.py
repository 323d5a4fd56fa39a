"""Profiles, and what people type: one YAML file a profile, the parser of commands, the spelling of names.

Every key of a profile is documented where it is defined (`indexing.settings`, `rag.settings`).
"""

from configs.command_line import CommandParser
from configs.spelling import did_you_mean

__all__ = ["CommandParser", "did_you_mean"]
