"""Unsupported features of the Warp engine, refused before it starts."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import mujoco
import mujoco_warp as mjw
import numpy as np

from usdsim.core.errors import UnsupportedError
from usdsim.engine.compile.pipeline import CompiledModel

from .pid import single_input, unsupported_pid
from .sleeping import automatic_policies

__all__ = ["device_model"]

# What kinds of equalities and sensors there are, and which models its steps refuse, the library
# says under no public name: `put_model` refuses the former one at a time without saying which
# element it is, and nothing but a step would find the latter.
_EqType, _SensorType = mjw._src.types.EqType, mjw._src.types.SensorType
_check_steps = mjw._src.forward.check_discrete

_KINDS: tuple[tuple[str, str, Any, Any], ...] = (
    ("actuator", "actuator_trntype", mujoco.mjtTrn, mjw.TrnType),
    ("actuator", "actuator_dyntype", mujoco.mjtDyn, mjw.DynType),
    ("actuator", "actuator_gaintype", mujoco.mjtGain, (*mjw.GainType, mujoco.mjtGain.mjGAIN_PID)),
    ("actuator", "actuator_biastype", mujoco.mjtBias, mjw.BiasType),
    ("equality", "eq_type", mujoco.mjtEq, _EqType),
    ("geom", "geom_type", mujoco.mjtGeom, mjw.GeomType),
    ("sensor", "sensor_type", mujoco.mjtSensor, _SensorType),
)
"""Element, model field, the engine's kinds and those the device knows."""

_OPTIONS: tuple[tuple[str, Any, Any], ...] = (
    ("integrator", mujoco.mjtIntegrator, mjw.IntegratorType),
    ("cone", mujoco.mjtCone, mjw.ConeType),
    ("solver", mujoco.mjtSolver, mjw.SolverType),
)
_FLAGS: tuple[tuple[str, Any, Any], ...] = (
    ("disableflags", mujoco.mjtDisableBit, mjw.DisableBit),
    ("enableflags", mujoco.mjtEnableBit, mjw.EnableBit),
)
_PLUGINS = (("body", "body_plugin"), ("actuator", "actuator_plugin"), ("sensor", "sensor_plugin"))
_BLIND = {
    int(mujoco.mjtGeom.mjGEOM_HFIELD): "height fields",
    int(mujoco.mjtGeom.mjGEOM_SDF): "signed distance fields",
}
"""Shapes whose contacts with deformable bodies the device does not find."""


def device_model(compiled: CompiledModel) -> Any:
    """The model on the device, if the Warp engine can simulate it.

    Raises:
        UnsupportedError: it cannot; names every prim and the reason.
    """
    own = [*unsupported_pid(compiled), *_flexes(compiled)]
    found = [*_elements(compiled), *own, *_scene(compiled)]
    if found:
        raise _refusal(found)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = mjw.put_model(automatic_policies(compiled, single_input(compiled.mj)))
            _check_steps(model)
    except (NotImplementedError, ValueError) as error:
        # What the device's own check refuses beyond that, in its words.
        raise _refusal([("", str(error))]) from error
    return model


def _refusal(found: list[tuple[str, str]]) -> UnsupportedError:
    """The error for prim paths (empty: the scene) and reasons."""
    lines = "\n".join(f"  {path or 'the scene'}: {reason}" for path, reason in found[:20])
    more = f"\n  and {len(found) - 20} more" if len(found) > 20 else ""
    return UnsupportedError(
        f"The Warp engine cannot simulate this model:\n{lines}{more}\n"
        "Simulate it on the CPU (device='cpu', or fallback='cpu'), or change these prims."
    )


def _elements(compiled: CompiledModel) -> Iterable[tuple[str, str]]:
    model, names = compiled.mj, compiled.names
    for kind, field, enum, known in _KINDS:
        values = getattr(model, field)
        for index in np.flatnonzero(~np.isin(values, [int(value) for value in known])):
            paths, word = names.paths(kind), enum(values[index]).name.partition("_")[2]
            yield paths[index] or names.names(kind)[index], f"no {kind} of the kind {word}"
    for kind, field in _PLUGINS:
        for index in np.flatnonzero(getattr(model, field) != -1):
            yield names.paths(kind)[index], "no plugins"


def _flexes(compiled: CompiledModel) -> Iterable[tuple[str, str]]:
    """Shapes that a deformable body would fall through."""
    model, paths = compiled.mj, compiled.names.paths("geom")
    for geom in np.flatnonzero(np.isin(model.geom_type, list(_BLIND))):
        types, affinities = model.flex_contype, model.flex_conaffinity
        meets = (types & model.geom_conaffinity[geom]) | (affinities & model.geom_contype[geom])
        if meets.any():
            what = _BLIND[int(model.geom_type[geom])]
            yield paths[geom], f"no contact of flexible bodies with {what}"


def _scene(compiled: CompiledModel) -> Iterable[tuple[str, str]]:
    options = compiled.mj.opt
    for field, enum, known in _OPTIONS:
        value = int(getattr(options, field))
        if value not in [int(entry) for entry in known]:
            yield "", f"no {field} {enum(value).name.partition('_')[2]}"
    for field, enum, known in _FLAGS:
        extra = int(getattr(options, field)) & ~sum(int(flag) for flag in known)
        for flag in enum.__members__.values():
            if extra & int(flag) and bin(int(flag)).count("1") == 1:
                yield "", f"no option {flag.name.partition('_')[2]} ({field})"
