"""Arguments: what is read of a single one."""

from ui.cli.arguments.values import descriptor, port, positive, question_words

__all__ = ["descriptor", "port", "positive", "question_words"]
