"""Names that hold the object that they stand for."""

from __future__ import annotations

from typing import Any


class BoundName(str):
    """A name with its object, which a measure uses whatever is registered under the name."""

    value: Any

    def __new__(cls, name: str, value: Any) -> BoundName:
        bound = super().__new__(cls, name)
        bound.value = value
        return bound

    def __reduce__(self) -> Any:
        return BoundName, (str(self), self.value)
