"""Build benchmark data out of your own documents."""

from evaluation.construct import crops, sft
from evaluation.construct.cli import add_options, construct

__all__ = ["add_options", "construct", "crops", "sft"]
