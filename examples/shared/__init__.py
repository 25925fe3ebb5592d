"""What the examples share: arguments and files, comparisons with papers, made-up passages."""
