"""Effects that a model takes part in only once somebody asks for them."""

from __future__ import annotations

import numpy as np
from mujoco import batch as mjbatch

__all__ = ["carry_effects"]

_FIELDS = ("body_gravcomp", "geom_adhesion", "geom_surfacevel", "pair_adhesion")
"""Parameters that the engine skips where the model was compiled without any."""


def carry_effects(source: mjbatch.Batch, target: mjbatch.Batch) -> None:
    """Carry effects that worlds got while they ran over to the worlds copied from them.

    It derives constants anew; copy all parameters after it.

    Args:
        source: the worlds that are copied.
        target: the new ones, as many.
    """
    found = {name: source.expanded(name) for name in _FIELDS}
    written = {name: values for name, values in found.items() if values is not None}
    if not written:
        return
    for name, values in written.items():
        target.expand(name)[...] = values
    target.set_const(np.arange(source.nsim))
