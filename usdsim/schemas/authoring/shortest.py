"""Back from stored single precision to the number a person wrote."""

from __future__ import annotations

import numpy as np

from .table import Target

__all__ = ["shortest"]


def shortest(stored: float, factor: float, target: Target) -> float:
    """The shortest decimal that is written as `stored`.

    0.1 is stored as 0.10000000149 in single precision and read back as 0.1, also through a change
    of unit: what is read is written back bit by bit.

    Args:
        stored: the attribute's value.
        factor: attribute value per configuration value.
        target: where it is stored.
    """
    value = stored / factor if factor != 1.0 else stored
    if not np.isfinite(value):
        return value
    narrow = np.float32 if target.type.startswith(("float", "point3f", "vector3f")) else np.float64
    for digits in range(6, 17):
        candidate = float(f"{value:.{digits}g}")
        if narrow(candidate * factor) == narrow(stored):
            return candidate
    return value
