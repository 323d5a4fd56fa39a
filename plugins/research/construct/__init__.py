"""Make benchmark data in the forms of the papers out of your own documents, by a model."""
