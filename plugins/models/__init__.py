"""Models by name: list, fetch, import, use and compare the models that Vouch can run."""
