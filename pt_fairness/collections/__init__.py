"""Collections with group annotations, as ir_datasets ids and as group sources."""


def register() -> None:
    """Adds the dataset ids to ir_datasets' registry; once."""
