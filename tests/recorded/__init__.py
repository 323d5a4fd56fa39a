"""Replies of a capable vision-language model to questions about the samples, recorded once and answered again."""
