"""Questions about tables, answered in code: over the cells of one, and by the ratios of a report's statements."""
