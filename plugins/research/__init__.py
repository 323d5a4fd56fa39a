"""Run benchmarks of papers and of speed, and make and use test sets of one's own documents."""
