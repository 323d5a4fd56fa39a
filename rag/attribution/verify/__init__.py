"""Verify: a sentence and the element it cites -> supported, partial or unsupported, and why."""

from rag.attribution.verify.judge import ModelJudge, judge_of
from rag.attribution.verify.verify import SUPPORTED, Check, contradiction, repair, verify, verify_all

__all__ = ["SUPPORTED", "Check", "ModelJudge", "contradiction", "judge_of", "repair", "verify", "verify_all"]
