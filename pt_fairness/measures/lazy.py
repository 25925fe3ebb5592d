"""Lazy imports of numpy, pt_fairness.numerics and scipy.special.

Measures can be declared without importing them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__all__ = ["np", "numerics", "special"]

if TYPE_CHECKING:
    import numpy as np
    from scipy import special

    from pt_fairness import numerics


class _Lazy:
    """Proxy that imports a module on the first attribute access."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # copy and pickle look up such names
            raise AttributeError(name)
        value = getattr(importlib.import_module(self._module), name)
        setattr(self, name, value)
        return value


if not TYPE_CHECKING:
    np = _Lazy("numpy")
    numerics = _Lazy("pt_fairness.numerics")
    special = _Lazy("scipy.special")
