"""Evidence packs: an answer in one file that a stranger can verify without its collection, and without a model."""
