"""Physics scene of MJCF: gravity, time step, options, flags, sizes, statistics, visual settings."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from usdsim.core.dialects.mjc import MjcRow
from usdsim.core.dialects.mjc_scene import DISABLE, ENABLE, OPTION, SIZE, STATISTIC, VISUAL
from usdsim.usd.drafts import apply, fill, keep, write

from .context import MjcfContext
from .rows import default_spec, row_value

__all__ = ["convert_scene"]

_SHORTEST = 2.0**-31
"""Time step from which on an integer can say how many there are per second [s]."""


def convert_scene(context: MjcfContext) -> None:
    """Define the physics scene beside the model."""
    model = context.model
    path = f"/{context.scope.unique('/', 'PhysicsScene')}"
    prim = context.define(path, "PhysicsScene")
    gravity = np.array(model.opt.gravity)
    magnitude = float(np.linalg.norm(gravity))
    if model.opt.disableflags >> DISABLE.index("gravity") & 1:
        magnitude = 0.0
    direction = gravity / magnitude if magnitude else np.array([0.0, 0.0, -1.0])
    standard = {"physics:gravityDirection": direction, "physics:gravityMagnitude": magnitude}
    fill(prim, "PhysicsScene", standard)
    apply(prim, "MjcSceneAPI", "NewtonSceneAPI")
    iterations = max(0, int(model.opt.iterations))
    rate = 1.0 / max(float(model.opt.timestep), _SHORTEST)
    exact = {"timestep": model.opt.timestep, "gravity": gravity, "gravity_enabled": bool(magnitude)}
    keep(prim, exact)
    if rate < 1.0 / _SHORTEST and abs(rate - round(rate)) < 1e-6 * rate:
        # An integer cannot say 0.003 s; then the exact step stands in mjc:option:timestep alone.
        write(prim, "newton:timeStepsPerSecond", "int", round(rate), uniform=True)
    write(prim, "newton:maxSolverIterations", "int", iterations, uniform=True)
    write(prim, "newton:gravityEnabled", "bool", bool(magnitude))
    context.set(path, "mjc:compiler:angle", "token", "degree")
    for row in OPTION:
        value = _owned(model.opt, row)
        # The standard attributes say gravity.
        if row.spec != "option.gravity" and not np.array_equal(value, _default(row)):
            context.set(path, row.usd, row.type, row_value(row, value))
    context.restate(path, "newton:maxSolverIterations", "mjc:option:iterations")
    _write_flags(context, path)
    _write_sizes(context, path)
    for row in STATISTIC:
        value = np.asarray(_owned(context.source.spec.stat, row), dtype=np.float64)
        # Unset statistics are NaN: the compiler computes them.
        if not np.isnan(value).any():
            context.set(path, row.usd, row.type, value if value.ndim else float(value))
    for row in VISUAL:
        value = _owned(context.source.spec.visual, row)
        if not np.array_equal(value, _default(row)):
            context.set(path, row.usd, row.type, row_value(row, value))


def _owned(owner: Any, row: MjcRow) -> Any:
    """A value by the row's dotted path, whose first part is `owner`."""
    for name in row.spec.split(".")[1:]:
        owner = getattr(owner, "global_" if name == "global" else name)
    return owner


@cache
def _default(row: MjcRow) -> Any:
    """The engine's default of an option or a visual setting."""
    return _owned(getattr(default_spec(), row.spec.partition(".")[0]), row)


def _write_flags(context: MjcfContext, path: str) -> None:
    option, default = context.model.opt, default_spec().option
    for names, mask, usual, on in (
        (DISABLE, option.disableflags, default.disableflags, False),
        (ENABLE, option.enableflags, default.enableflags, True),
    ):
        for bit, name in enumerate(names):
            if bool(mask >> bit & 1) != bool(usual >> bit & 1):
                context.set(path, f"mjc:flag:{name}", "bool", bool(mask >> bit & 1) == on)
    groups = [group for group in range(31) if option.disableactuator >> group & 1]
    if groups:
        context.set(path, "mjc:option:actuatorgroupdisable", "int[]", groups)


def _write_sizes(context: MjcfContext, path: str) -> None:
    spec, default = context.source.spec, default_spec()
    for row in SIZE:
        counted = row.spec.startswith("nuser")
        value = int(getattr(context.model if counted else spec, row.spec))
        # Of user data, none is what the compiler counts where none is given.
        if value != (0 if counted else int(getattr(default, row.spec))):
            context.set(path, row.usd, row.type, value)
