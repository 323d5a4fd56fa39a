"""Index on the nodes of a Ray cluster: files travel there, rows come back."""
