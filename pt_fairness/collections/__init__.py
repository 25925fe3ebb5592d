"""Collections with group annotations, as ir_datasets ids and as group sources."""


def register() -> None:
    """Adds the dataset ids to ir_datasets' registry."""
    import ir_datasets

    from pt_fairness.collections import debates
    for module in (debates,):
        module.register(ir_datasets.registry)
