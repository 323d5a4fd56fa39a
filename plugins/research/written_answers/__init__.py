"""Check answers that real models wrote, and compare the verdicts with those of judges."""
