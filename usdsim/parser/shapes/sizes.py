"""Sizes of shapes: what geometry says, and the numbers it has no room for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from usdsim.parser.context import ParseContext
from usdsim.parser.prims import PrimView
from usdsim.parser.quantities import Statement

__all__ = ["exact_size"]

_USED = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
"""Number of sizes of a shape that the stage's own geometry gives."""


def exact_size(
    context: ParseContext, view: PrimView, kind: str, given: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Half sizes of a shape, shape (3,).

    Args:
        context: of the stage.
        view: the prim.
        kind: of the shape.
        given: what the geometry says [m].
    """
    exact = view.vector("mjc:size")
    if exact is None:
        return given
    used = _USED.get(kind, 0)
    if not used:
        return exact
    stated = [
        Statement("physics", view.type_name, given[:used]),
        Statement("mjc", "mjc:size", exact[:used], precise=True),
    ]
    settled = context.quantities.settle(view, "size", stated)
    return np.concatenate([np.asarray(settled), exact[used:]])
