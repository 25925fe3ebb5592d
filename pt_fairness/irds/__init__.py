"""Judgments, documents and word counts of ir_datasets, with errors that name the file."""
