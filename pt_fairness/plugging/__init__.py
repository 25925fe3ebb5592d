"""How other packages learn of this one: the ``.pth`` file, and code that runs after an import."""
