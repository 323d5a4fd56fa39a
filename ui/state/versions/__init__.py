"""Migrate the state database one version at a time; a migration is never changed."""
