"""Tendons and the paths they run along."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import mujoco
import numpy as np

from usdsim.core.errors import CompileError
from usdsim.parser.description import GenericDescription

from .overrides import apply_overrides

__all__ = ["FORCE_SCALE", "LIMIT_STIFFNESS", "TENDON_OFFSET", "add_tendon"]

FIXED = 1
"""Code of the token ``fixed`` in the tendon table."""
LIMIT_STIFFNESS = "limit:stiffness"
"""Stiffness of the limits [N/m]; what the spec needs for it is known after compilation."""
TENDON_OFFSET = "length:offset"
"""Offset of the length on the stage [m]; the other lengths are already shifted by it."""
FORCE_SCALE = "force:scale"
"""Force of a tendon on its joints per force that its springs and dampers state; 1 where unset."""
_PATH = (
    "type", "path", "path:indices", "path:segments", "path:divisors", "path:coef", "path:pulleys",
    "path:geoms", "sideSites", "sideSites:indices", LIMIT_STIFFNESS, TENDON_OFFSET,
    FORCE_SCALE,
)  # fmt: skip


def add_tendon(spec: mujoco.MjSpec, element: GenericDescription, names: Mapping[str, str]) -> Any:
    """Add a fixed or spatial tendon.

    Raises:
        CompileError: the path refers to a point it does not have.
    """
    tendon = spec.add_tendon(name=names[element.path])
    values = dict(element.overrides)
    path = {name: values.pop(name) for name in _PATH if name in values}
    apply_overrides(tendon, "tendon", values, names)
    if FORCE_SCALE in path:
        tendon.stiffness = np.asarray(tendon.stiffness) * path[FORCE_SCALE]
        tendon.damping = np.asarray(tendon.damping) * path[FORCE_SCALE]
    points = path.get("path", ())
    order = [int(i) for i in path.get("path:indices", range(len(points)))]
    _check_path(element.path, len(points), order, path)
    if path.get("type", 0) == FIXED:
        coefficients = path.get("path:coef", [1.0] * len(order))
        for i, coefficient in zip(order, coefficients, strict=True):
            tendon.wrap_joint(names[points[i]], float(coefficient))
    else:
        _wrap(tendon, points, order, path, names)
    return tendon


def _check_path(where: str, count: int, order: Sequence[int], path: Mapping[str, Any]) -> None:
    """Raise unless all arrays of a path fit each other."""
    for name, least, most in (
        ("path:indices", 0, count - 1),
        ("path:segments", 0, max(0, len(path.get("path:divisors", ())) - 1)),
        ("sideSites:indices", -1, len(path.get("sideSites", ())) - 1),
    ):
        given = [int(i) for i in path.get(name, ())]
        if name == "path:segments" and "path:divisors" not in path:
            most = max(given, default=0)
        if any(not least <= i <= most for i in given):
            raise CompileError(f"{where}.mjc:{name} is {given}; allowed: {least} to {most}.")
    for name in ("path:segments", "path:coef"):
        if name in path and len(path[name]) != len(order):
            raise CompileError(
                f"{where}.mjc:{name} has {len(path[name])} values for {len(order)} points."
            )


def _wrap(
    tendon: Any,
    points: Sequence[str],
    order: Sequence[int],
    path: Mapping[str, Any],
    names: Mapping[str, str],
) -> None:
    geoms = {int(i) for i in path.get("path:geoms", ())}
    segments = [int(i) for i in path.get("path:segments", [0] * len(order))]
    divisors = [float(d) for d in path.get("path:divisors", ())]
    pulleys = path.get("path:pulleys")
    starts = _starts(segments, divisors) if pulleys is None else {int(i) for i in pulleys}
    sides = [int(i) for i in path.get("sideSites:indices", [-1] * len(order))]
    side_sites = path.get("sideSites", ())
    for i, point in enumerate(order):
        if i in starts:
            tendon.wrap_pulley(divisors[segments[i]] if segments[i] < len(divisors) else 1.0)
        name = names[points[point]]
        if point in geoms:
            side = names[side_sites[sides[i]]] if i < len(sides) and sides[i] >= 0 else ""
            tendon.wrap_geom(name, side)
        else:
            tendon.wrap_site(name)


def _starts(segments: Sequence[int], divisors: Sequence[float]) -> set[int]:
    """Points with a pulley before them, where only segments say so."""
    starts = {i for i in range(1, len(segments)) if segments[i] != segments[i - 1]}
    if divisors and segments and divisors[segments[0]] != 1.0:
        starts.add(0)
    return starts
