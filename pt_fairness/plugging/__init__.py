"""Activation of this package in ir_measures and ir_datasets: ``.pth`` file and import hook."""
