"""Functions of single prims, applied to prims below a path until they succeed."""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable
from typing import Any

from pxr import Sdf

from usdsim.usd.prims import get_prim
from usdsim.usd.stage import stage_or_current

__all__ = ["apply_nested"]

logger = logging.getLogger("usdsim")


def apply_nested(func: Callable[..., bool]) -> Callable[..., None]:
    """Function of a path, applied to the prim there and to those below until it succeeds.

    Prims below one where it succeeded are left out, as are instances. A warning is logged where it
    succeeds nowhere.

    Args:
        func: takes a path first, may take a `stage`, and returns whether it succeeded.

    Returns:
        What takes the same arguments; the original is its ``__wrapped__``.

    Raises:
        StageError: when called: there is no prim at the path.
    """
    signature = inspect.signature(func)

    @functools.wraps(func)
    def nested(prim_path: str | Sdf.Path, *args: Any, **kwargs: Any) -> None:
        stage = signature.bind(prim_path, *args, **kwargs).arguments.get("stage")
        waiting = [get_prim(stage_or_current(stage), prim_path)]
        succeeded, instances = 0, []
        while waiting:
            prim = waiting.pop(0)
            if prim.IsInstance():
                instances.append(str(prim.GetPath()))
            elif func(str(prim.GetPath()), *args, **kwargs):
                succeeded += 1
            else:
                waiting += prim.GetChildren()
        if not succeeded:
            left_out = f" Instances are left out: {instances}." if instances else ""
            logger.warning("%s: no prim below %s is fit.%s", func.__name__, prim_path, left_out)

    return nested
