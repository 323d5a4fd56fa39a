"""Written: answers that models really wrote, checked by Vouch, beside what judges thought of them."""

from evaluation.written_answers.cli import add_options, written

__all__ = ["add_options", "written"]
