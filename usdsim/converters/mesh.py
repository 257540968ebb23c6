"""Mesh files to USD."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Usd

from usdsim.core.errors import ConversionError, InvalidValueError
from usdsim.math.inertia import MassProperties, combine, principal
from usdsim.math.mesh_files.raw_mesh import RawMesh
from usdsim.math.mesh_files.reading import load_mesh
from usdsim.math.meshes.operations import volume_properties, with_area
from usdsim.math.quaternion_order import rot_quat
from usdsim.math.rotations import quat_normalize
from usdsim.math.transforms import Pose
from usdsim.schemas import (
    define_collision_properties,
    define_mass_properties,
    define_mesh_collision_properties,
    define_rigid_body_properties,
)
from usdsim.schemas.cfg import SchemaCfg
from usdsim.usd.draft_layers import write_draft
from usdsim.usd.drafts import LayerDraft, PrimDraft, define, fill, keep_source_name, place
from usdsim.usd.names import NameScope, legal_name

from .approximations import approximation_token
from .assets import AssetPlacer
from .cfg import MeshConverterCfg
from .emit import (
    UNPAINTED,
    bind_material,
    emit_colour,
    emit_mass,
    emit_mesh,
    emit_preview_material,
    enable_collision,
    set_approximation,
)
from .report import ConversionReport

__all__ = ["convert_mesh"]


def convert_mesh(
    source: str | Path,
    stage: Usd.Stage,
    cfg: MeshConverterCfg | None = None,
    *,
    placer: AssetPlacer | None = None,
) -> ConversionReport:
    """Convert a mesh file into an empty stage.

    The default prim is an Xform with a mesh per geometry of the file; physics properties that the
    options ask for are authored on it (mass, rigid body) and on the meshes (collision).

    Args:
        source: STL, OBJ, COLLADA, glTF or PLY file; glTF and Y-up COLLADA are turned to Z up.
        stage: where to author, Z up, metres and kilograms.
        cfg: options.
        placer: collects textures; None leaves them where they are.

    Raises:
        FileError: the file is missing or unreadable.
        InvalidValueError: an option is outside what is allowed.
    """
    cfg = cfg or MeshConverterCfg()
    file, placer = Path(source), placer or AssetPlacer()
    report = ConversionReport(source=str(source))
    meshes = load_mesh(file, z_up=True, may_read=placer.may_read)
    scale = np.asarray(cfg.scale, dtype=np.float64)
    if scale.shape != (3,) or not np.isfinite(scale).all() or not scale.all():
        raise InvalidValueError("scale", cfg.scale, "three finite numbers other than 0")
    root = f"/{legal_name(file.stem)}"
    layer = LayerDraft()
    prim = define(layer, root, "Xform")
    layer.default_prim = prim.name
    prim.metadata["kind"] = "component"
    keep_source_name(prim, file.stem)
    turn = quat_normalize(rot_quat(cfg.rotation))
    pose = Pose(np.asarray(cfg.translation, dtype=np.float64), turn)
    place(prim, pose)
    names = NameScope(stage)
    parts = [_write_part(layer, root, mesh, scale, cfg, names, placer) for mesh in meshes]
    report.count("mesh", len(parts))
    moves = bool(cfg.rigid_props or cfg.mass_props)
    if moves:
        _make_body(prim, cfg, meshes, scale, file, report)
    write_draft(layer, stage.GetEditTarget().GetLayer())
    for part in parts:
        if "PhysicsCollisionAPI" in part.schemas:
            _refine(define_collision_properties, stage, part.path, cfg.collision_props)
            _refine(define_mesh_collision_properties, stage, part.path, cfg.mesh_collision_props)
    if moves:
        _refine(define_rigid_body_properties, stage, root, cfg.rigid_props)
        _refine(define_mass_properties, stage, root, cfg.mass_props)
    return report


def _write_part(
    layer: LayerDraft,
    root: str,
    mesh: RawMesh,
    scale: np.ndarray,
    cfg: MeshConverterCfg,
    names: NameScope,
    placer: AssetPlacer,
) -> PrimDraft:
    """Define one mesh of the file, a collider if the options ask for it."""
    path = f"{root}/{names.unique(root, mesh.name or 'mesh')}"
    points = mesh.points * scale
    faces = with_area(points, _faces(mesh, scale))
    part = emit_mesh(layer, path, points, faces, uvs=mesh.uvs, rgba=UNPAINTED)
    keep_source_name(part, mesh.name)
    _dress(layer, root, part, mesh, names, placer)
    token = approximation_token(cfg.mesh_collision_props)
    if cfg.collision_props or token is not None:
        enable_collision(part, bool(_value(cfg.collision_props, "collision_enabled", True)))
        set_approximation(part, token or "convexHull")
    return part


def _value(props: Any, name: str, default: Any = None) -> Any:
    """A field of a configuration object or mapping; `default` where it says nothing."""
    found = props.get(name) if isinstance(props, Mapping) else getattr(props, name, None)
    return default if found is None else found


def _faces(mesh: RawMesh, scale: np.ndarray) -> np.ndarray:
    """Triangles that still look outwards after scaling."""
    return mesh.faces[:, ::-1] if np.prod(scale) < 0.0 else mesh.faces


def _dress(
    layer: LayerDraft,
    root: str,
    prim: PrimDraft,
    mesh: RawMesh,
    names: NameScope,
    placer: AssetPlacer,
) -> None:
    source = mesh.material
    texture = placer.place_texture(source)
    if source.rgba is None and texture is None:
        return
    rgba = np.ones(4) if source.rgba is None else source.rgba
    scope = f"{root}/Materials"
    define(layer, scope, "Scope")
    material = emit_preview_material(
        layer,
        f"{scope}/{names.unique(scope, source.name or 'material')}",
        rgba,
        roughness=source.roughness,
        metallic=source.metallic,
        texture=texture,
    )
    bind_material(prim, material)
    emit_colour(prim, rgba)


def _make_body(
    prim: PrimDraft,
    cfg: MeshConverterCfg,
    meshes: list[RawMesh],
    scale: np.ndarray,
    file: Path,
    report: ConversionReport,
) -> None:
    kinds = {
        "physics:rigidBodyEnabled": bool(_value(cfg.rigid_props, "rigid_body_enabled", True)),
        "physics:kinematicEnabled": bool(_value(cfg.rigid_props, "kinematic_enabled", False)),
    }
    fill(prim, "PhysicsRigidBodyAPI", kinds)
    mass, density = _value(cfg.mass_props, "mass"), _value(cfg.mass_props, "density")
    for name, value in (("mass", mass), ("density", density)):
        if value is not None and not 0.0 < float(value) < np.inf:
            raise InvalidValueError(f"mass_props.{name}", value, "a positive finite number")
    solid = _solid(meshes, scale, float(density or 1000.0))
    if solid.mass <= 0.0:
        raise ConversionError(f"{file}: the mesh encloses no volume; it cannot be a rigid body.")
    if mass is not None:
        solid = solid.with_mass(float(mass))
    moments, axes = principal(solid.inertia)
    emit_mass(prim, solid.mass, solid.com, moments, axes)
    report.count("body")


def _refine(apply: Callable[..., object], stage: Usd.Stage, path: str, props: Any) -> None:
    """Author all fields of a schema configuration; mappings and flags have been dealt with."""
    if isinstance(props, SchemaCfg):
        apply(path, props, stage)


def _solid(meshes: list[RawMesh], scale: np.ndarray, density: float) -> MassProperties:
    """The meshes as solids; ones that are not closed count as their hulls."""
    parts = []
    for mesh in meshes:
        points = mesh.points * scale
        hull = volume_properties(points, mesh.faces, density, hull=True)
        exact = volume_properties(points, _faces(mesh, scale), density)
        parts.append(exact if 0.0 < exact.mass <= hull.mass * (1.0 + 1e-9) else hull)
    return combine(parts)
