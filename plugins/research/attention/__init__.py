"""Measure where a vision-language model on this machine looks while it answers."""
