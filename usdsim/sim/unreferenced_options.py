"""Solver options that referenced files have and the stage does not get."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import mujoco
import numpy as np
from pxr import Sdf, Tf, Usd

from usdsim.core.errors import UsdsimError
from usdsim.engine import compile_scene
from usdsim.parser import parse_stage
from usdsim.sim.environments.finding import Environments

__all__ = ["options_left_behind"]

_TYPE = "PhysicsScene"
_CONFIGURED = ("timestep", "gravity")
"""Options that the configuration of a simulation says, with notes of its own."""


def options_left_behind(
    stage: Usd.Stage, environments: Environments, model: mujoco.MjModel
) -> list[tuple[str, str]]:
    """Physics scenes next to the prims that a stage refers to, with options it does not have.

    A reference brings a prim and what is below it. The physics scene of a file usually lies beside
    its robot; its options then have no effect, which is easily overlooked.

    Args:
        stage: the stage.
        environments: those of the stage; content is looked for in the first.
        model: what is simulated.

    Returns:
        For each such physics scene its file, and what does not reach the stage.
    """
    own = set(stage.GetLayerStack())
    found = [spec for layer in stage.GetUsedLayers() if layer not in own for spec in _scenes(layer)]
    if not found:
        return []
    scenes = list(_composed(stage, environments.paths[1:]))
    reached = {(spec.layer, spec.path) for scene in scenes for spec in scene.GetPrimStack()}
    simulated, standard = _options(model.opt), _options(mujoco.MjOption())
    notes = []
    for spec in sorted(found, key=lambda spec: (spec.layer.identifier, str(spec.path))):
        options = {} if (spec.layer, spec.path) in reached else _authored(spec)
        lost = [
            f"{name} {_shown(value)} (simulated: {_shown(simulated[name])})"
            for name, value in options.items()
            if not np.array_equal(value, simulated[name])
            and not np.array_equal(value, standard[name])
        ]
        if lost:
            where = scenes[0].GetPath() if scenes else "a physics scene"
            message = (
                f"options of {spec.path} have no effect, because a reference brings its prim alone:"
                f" {', '.join(lost)}. Author them on {where} of the stage that is simulated"
            )
            notes.append((spec.layer.identifier, message))
    return notes


def _scenes(layer: Sdf.Layer) -> Iterator[Any]:
    """Physics scenes at the top of a layer or one level below, but not in its default prim."""
    # Of prims whose names are no names, as in damaged files, there is None.
    default = _default_prim(layer)
    for prim in filter(None, layer.rootPrims):
        if prim.name != default:
            near = filter(None, (prim, *prim.nameChildren))
            yield from (spec for spec in near if spec.typeName == _TYPE)


def _default_prim(layer: Sdf.Layer) -> str:
    """Name of a layer's default prim; empty if it has none, or one that is no name."""
    try:
        return str(layer.defaultPrim)
    except Tf.ErrorException:
        return ""


def _composed(stage: Usd.Stage, skipped: Iterable[str]) -> Iterator[Usd.Prim]:
    skip = frozenset(skipped)
    walk = iter(Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies()))
    for prim in walk:
        if skip and str(prim.GetPath()) in skip:
            walk.PruneChildren()
        elif prim.GetTypeName() == _TYPE:
            yield prim


def _authored(spec: Any) -> Mapping[str, Any]:
    """Options that a physics scene alone would give the engine; none if it is invalid."""
    mask = Usd.StagePopulationMask([spec.path])
    try:
        scene = parse_stage(Usd.Stage.OpenMasked(spec.layer, mask)).scene
        return _options(compile_scene(scene).mj.opt)
    except (UsdsimError, Tf.ErrorException):  # The latter of values that OpenUSD cannot unpack.
        return {}


def _options(options: mujoco.MjOption) -> dict[str, Any]:
    names = (name for name in dir(options) if not name.startswith("_"))
    values = {name: getattr(options, name) for name in names if name not in _CONFIGURED}
    return {name: np.array(value) for name, value in values.items() if not callable(value)}


def _shown(value: Any) -> str:
    numbers = np.asarray(value)
    return f"{numbers.item():g}" if numbers.ndim == 0 else str(numbers.tolist())
