"""Breadth-first walks that know about instances."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from pxr import Usd

from .result import Skipped

__all__ = ["Descent", "candidates"]


class Descent:
    """Lets the caller of `candidates` stop the walk below the current prim."""

    __slots__ = ("stopped",)

    def __init__(self) -> None:
        self.stopped = False

    def stop(self) -> None:
        """Skip the prims below this one."""
        self.stopped = True


def candidates(
    root: Usd.Prim, skipped: list[Skipped], *, uninstance: bool = False
) -> Iterator[tuple[Usd.Prim, Descent]]:
    """Prims at and below `root` that can be edited, parents first.

    Args:
        root: where to begin.
        skipped: receives instances, which are left out with everything below them.
        uninstance: make instances editable instead of leaving them out.
    """
    if root.IsInstanceProxy() or root.IsInPrototype():
        skipped.append(Skipped(str(root.GetPath()), "its content is shared by instances"))
        return
    queue = deque([root])
    while queue:
        prim = queue.popleft()
        if prim.IsInstance():
            if not uninstance:
                skipped.append(
                    Skipped(str(prim.GetPath()), "instance: its content is shared; uninstance it")
                )
                continue
            prim.SetInstanceable(False)
        descent = Descent()
        yield prim, descent
        if not descent.stopped:
            queue.extend(prim.GetChildren())
