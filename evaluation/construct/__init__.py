"""Construction: benchmark data out of documents of your own."""

from evaluation.construct import crops, sft
from evaluation.construct.cli import add_options, construct

__all__ = ["add_options", "construct", "crops", "sft"]
