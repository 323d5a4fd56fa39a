"""Profiles: one YAML file each, every key documented where it is defined (`indexing.settings`, `rag.settings`)."""
