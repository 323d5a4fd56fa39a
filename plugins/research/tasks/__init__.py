"""The benchmarks of papers, one module each, with the data sets' items and tables that they share."""
