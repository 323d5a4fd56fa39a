"""Index and search on the nodes of a Ray cluster: files and questions travel there, rows and scores come back."""
