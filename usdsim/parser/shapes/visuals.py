"""Visual shapes of a stage: what is only looked at, by name and place among the geoms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from usdsim.parser.context import ParseContext
from usdsim.parser.prims import PrimView

__all__ = ["VisualShape", "visual_shapes"]


@dataclass(frozen=True, slots=True)
class VisualShape:
    """A shape that is only looked at, which a scene has where it is described exactly."""

    path: str
    """Prim path."""
    name: str | None
    """Name in the source file, as `GeomDescription.name`."""
    body: int
    """Index of the body that carries it; -1: the world."""
    before: int
    """Number of the scene's geoms that come before it on the stage."""


def visual_shapes(
    context: ParseContext, seen: Sequence[tuple[int, PrimView]], numbers: Sequence[int]
) -> tuple[VisualShape, ...]:
    """Visual shapes in stage order.

    Args:
        context: the parse.
        seen: each with how many prims that have geoms come before it.
        numbers: number of the geoms of each of those prims.
    """
    before = [0, *accumulate(numbers)]
    return tuple(
        VisualShape(view.path, view.source_name, context.body_above(view.path), before[count])
        for count, view in seen
    )
