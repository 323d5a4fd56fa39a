"""Read Office files, web pages, mail and plain texts, by converting each to pages."""
