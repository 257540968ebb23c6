"""Curves as cables, ropes and rings that deform, or are only seen."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from pxr import Usd

from usdsim.core.errors import InvalidValueError
from usdsim.math.meshes.bounds import bounds
from usdsim.schemas import DeformableMaterialBaseCfg, define_deformable_body_properties
from usdsim.usd.attributes import author
from usdsim.usd.prims import define_prim

from .cfg import DeformableObjectSpawnerCfg
from .materials import PhysicsMaterialCfg, VisualMaterialCfg
from .rigid import add_materials
from .shapes import positive
from .spawner import SpawnPoint, spawner

__all__ = ["CurvesCfg", "spawn_curves"]


@spawner
def spawn_curves(at: SpawnPoint, cfg: CurvesCfg) -> Usd.Prim:
    """Spawn a curve through points, which is a rod of circular section if it deforms."""
    points = _checked(cfg)
    root = at.define()
    geometry = f"{at.path}/geometry"
    path = f"{geometry}/curves"
    curves = define_prim(at.stage, path, "BasisCurves")
    author(curves, "type", "token", "linear", uniform=True)
    author(curves, "wrap", "token", "periodic" if cfg.periodic else "nonperiodic", uniform=True)
    author(curves, "points", "point3f[]", points)
    author(curves, "curveVertexCounts", "int[]", [len(points)])
    author(curves, "widths", "float[]", np.full(len(points), 2.0 * cfg.radius))
    author(curves, "extent", "float3[]", bounds(points) + np.array([[-cfg.radius], [cfg.radius]]))
    if cfg.deformable_props is not None:
        props = cfg.deformable_props
        if cfg.mass_props is not None and cfg.mass_props.mass is not None:
            props = dataclasses.replace(props, mass=cfg.mass_props.mass)
        define_deformable_body_properties(at.path, props, at.stage, deformable_type="curves")
    add_materials(at.stage, geometry, path if cfg.deformable_props is None else at.path, cfg)
    return root


def _checked(cfg: CurvesCfg) -> np.ndarray:
    """The points of a configuration, after checking it."""
    positive(cfg, "radius")
    points = np.asarray(cfg.points, dtype=np.float64)
    least = 3 if cfg.periodic else 2
    if points.ndim != 2 or points.shape[1] != 3 or len(points) < least:
        raise InvalidValueError(
            "CurvesCfg.points", f"of shape {points.shape}", f"(n, 3) with n of at least {least}"
        )
    material = cfg.physics_material
    if material is not None and not isinstance(material, DeformableMaterialBaseCfg):
        raise InvalidValueError(
            "CurvesCfg.physics_material",
            type(material).__name__,
            "a deformable material",
            "Use CurvesDeformableBodyMaterialCfg.",
        )
    return points


@dataclass(kw_only=True)
class CurvesCfg(DeformableObjectSpawnerCfg):
    """A curve through points; deformable, it is a cable."""

    func: Callable[..., Usd.Prim] = spawn_curves
    points: Sequence[Sequence[float]]
    """Points along the curve, in stage units, shape (n, 3). Deformable, it is at rest there, and
    bends at them."""
    radius: float
    """Radius of its section, in stage units."""
    periodic: bool = False
    """Whether the last point is joined to the first one."""
    visual_material_path: str = "material"
    """Path of the display material; relative: below ``{prim}/geometry``."""
    visual_material: VisualMaterialCfg | None = None
    """Display material; None: none."""
    physics_material_path: str = "material"
    """Path of the physics material; relative: below ``{prim}/geometry``."""
    physics_material: PhysicsMaterialCfg | None = None
    """Physics material; None: none."""
