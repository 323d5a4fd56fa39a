"""What verifying and localizing stand on: numbers, dates, tables and wording, read and compared. No stage itself."""
