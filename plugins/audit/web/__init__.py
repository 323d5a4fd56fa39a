"""The tab that audits the references of a paper."""
