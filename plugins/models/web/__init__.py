"""The tab on which a model is chosen: one of the catalogue, a server that runs here, or an address with a key."""
