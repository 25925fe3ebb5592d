"""Qrels and runs as arrays, with the groups of every judged and ranked document."""
