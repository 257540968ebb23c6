"""Prims of the first environment that an expression names, with expressions of all like them."""

from __future__ import annotations

from collections.abc import Callable

from pxr import Usd

from usdsim.compat.cloner import resolve_clone_plan_source
from usdsim.sim import SimulationContext

from .finding import find_first_matching_prim, find_matching_prims

__all__ = ["resolve_matching_prims_from_source"]


def resolve_matching_prims_from_source(
    path_expr: str,
    *,
    predicate: Callable[[Usd.Prim], bool] | None = None,
    env_regex_ns: str = "/World/envs/env_.*",
) -> list[tuple[Usd.Prim, str]]:
    """Prims of the first environment that match, each with an expression of its likes in all.

    Args:
        path_expr: path expression, with one for the environment.
        predicate: which prims are kept; None: all.
        env_regex_ns: expression of environments, where no plan of clones says what was copied.

    Returns:
        Prims and expressions: with ``*`` for the environment where a plan of clones has the path,
        and as in `path_expr` otherwise.
    """
    simulation = SimulationContext.instance()
    plan = simulation.get_clone_plan() if simulation is not None else None  # type: ignore[attr-defined]
    planned = resolve_clone_plan_source(path_expr, plan) if plan is not None else None
    source, pattern, below = planned or _first_environment(path_expr, env_regex_ns)
    return [
        (prim, pattern + str(prim.GetPath())[len(source) :])
        for prim in find_matching_prims(source + below)
        if predicate is None or predicate(prim)
    ]


def _first_environment(expression: str, namespace: str) -> tuple[str, str, str]:
    """Path of the first environment that matches, its expression, and the rest of the path's."""
    parts, spaces = expression.split("/"), namespace.split("/")
    below_namespace = len(parts) >= len(spaces) and all(
        space == part or not space.isidentifier()
        for space, part in zip(spaces[1:], parts[1:], strict=False)
    )
    choices = [i for i, part in enumerate(parts) if part and not part.isidentifier()]
    end = len(spaces) if below_namespace else min(choices, default=len(parts) - 1) + 1
    first = find_first_matching_prim(expression)
    source = "/".join(str(first.GetPath()).split("/")[:end]) if first else "/".join(parts[:end])
    return source, "/".join(parts[:end]), "".join(f"/{part}" for part in parts[end:])
