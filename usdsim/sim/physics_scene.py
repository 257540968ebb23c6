"""Physics scene of a stage, and what a configuration says instead."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from pxr import Usd, UsdPhysics, UsdShade

from usdsim.parser.description import SceneDescription
from usdsim.parser.report import Report
from usdsim.parser.units import stage_units
from usdsim.schemas import NewtonScenePropertiesCfg, define_physics_scene
from usdsim.sim.environments.finding import Environments
from usdsim.usd.prims import get_prim

from .cfg import SimulationCfg

__all__ = ["author_physics_scene", "with_settings"]

logger = logging.getLogger("usdsim")

_MATERIAL = "defaultMaterial"
_STEP, _GRAVITY = "option.timestep", "option.gravity"
_MARK = {"option.cone": 0}
"""Default that keeps saying that a stage brings its own solver settings."""


def author_physics_scene(stage: Usd.Stage, cfg: SimulationCfg, environments: Environments) -> None:
    """Author a physics scene where a stage has none, and the default material.

    Args:
        stage: the stage.
        cfg: what to author.
        environments: those of the stage; physics scenes inside them do not count.
    """
    scene = _find_scene(stage, environments)
    stated = (cfg.dt, cfg.gravity, cfg.physics_material)
    if scene is None and any(value is not None for value in stated):
        define_physics_scene(cfg.physics_prim_path, _scene_cfg(stage, cfg), stage)
        scene = get_prim(stage, cfg.physics_prim_path)
    if scene is not None and cfg.physics_material is not None:
        _author_material(scene, cfg)


def with_settings(
    scene: SceneDescription, cfg: SimulationCfg
) -> tuple[SceneDescription, list[tuple[str, str]]]:
    """A scene with the time step and gravity of a configuration.

    Returns:
        The scene, and a note for every value of the stage that had to give way.
    """
    notes: list[tuple[str, str]] = []
    changes: dict[str, Any] = {}
    options = dict(scene.options)
    if cfg.dt is not None:
        before = options.pop(_STEP, scene.timestep)
        if before is not None and not np.isclose(before, cfg.dt, rtol=1e-6, atol=0.0):
            notes.append((scene.source, f"time step {before:g} s gives way to {cfg.dt:g} s"))
        changes["timestep"] = float(cfg.dt)
    if cfg.gravity is not None:
        wanted = np.array(cfg.gravity, dtype=np.float64)
        before = _gravity(scene.gravity, options)
        if not np.allclose(before, wanted, rtol=1e-6, atol=1e-6):
            notes.append(
                (scene.source, f"gravity {before.tolist()} gives way to {wanted.tolist()}")
            )
        options = {k: v for k, v in options.items() if not k.startswith(_GRAVITY)}
        changes["gravity"] = wanted
    if len(options) != len(scene.options):
        changes["options"] = options or _MARK
    for _, message in notes:
        logger.warning("%s: %s. Set it to None in SimulationCfg to keep it.", scene.source, message)
    return (replace(scene, **changes) if changes else scene), notes


def _gravity(gravity: np.ndarray, options: Mapping[str, Any]) -> np.ndarray:
    """The gravity a scene would have, with what the MuJoCo dialect says."""
    result = np.array(options.get(_GRAVITY, gravity), dtype=np.float64)
    for axis in range(3):
        result[axis] = options.get(f"{_GRAVITY}[{axis}]", result[axis])
    return result


def _find_scene(stage: Usd.Stage, environments: Environments) -> Usd.Prim | None:
    """The physics scene outside environments that counts: the first one."""
    inside = frozenset(environments.paths)
    walk = iter(Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies()))
    for prim in walk:
        if inside and str(prim.GetPath()) in inside:
            walk.PruneChildren()
        elif prim.IsA(UsdPhysics.Scene):
            return prim
    return None


def _scene_cfg(stage: Usd.Stage, cfg: SimulationCfg) -> NewtonScenePropertiesCfg:
    rate = None if cfg.dt is None else 1.0 / cfg.dt
    whole = rate is not None and abs(rate - round(rate)) < 1e-6 * rate
    direction = magnitude = None
    if cfg.gravity is not None:
        units = stage_units(stage, Report())
        gravity = np.array(cfg.gravity, dtype=np.float64)
        size = float(np.linalg.norm(gravity))
        down = gravity / size if size else np.array([0.0, 0.0, -1.0])
        direction = [float(c) for c in units.to_z_up_matrix.T @ down]
        magnitude = size
    return NewtonScenePropertiesCfg(
        # Attributes for it take whole numbers; other steps are in the configuration alone.
        time_steps_per_second=round(rate) if rate is not None and whole else None,
        gravity_direction=direction,
        gravity_magnitude=magnitude,
    )


def _author_material(scene: Usd.Prim, cfg: SimulationCfg) -> None:
    material_cfg = cfg.physics_material
    if material_cfg is None:
        return
    stage, path = scene.GetStage(), f"{scene.GetPath()}/{_MATERIAL}"
    if stage.GetPrimAtPath(path):
        stage.RemovePrim(path)
    prim = material_cfg.func(path, material_cfg, stage=stage)
    UsdShade.MaterialBindingAPI.Apply(scene).Bind(
        UsdShade.Material(prim), UsdShade.Tokens.weakerThanDescendants, "physics"
    )
