"""The benchmark of the verifier: pairs made to mislead it."""
