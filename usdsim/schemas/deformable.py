"""Deformable bodies: volumes of tetrahedra, surfaces of triangles, and curves of segments."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from pxr import Usd, UsdGeom

from usdsim.core.arguments import choice
from usdsim.core.errors import StageError
from usdsim.math.deformable.tetrahedra import fill_with_tetrahedra
from usdsim.schemas.authoring.family import Family, resolve
from usdsim.schemas.authoring.result import SchemaResult
from usdsim.schemas.authoring.write import Write, prepare, write_prim
from usdsim.usd.prims import define_prim
from usdsim.usd.queries import traverse
from usdsim.usd.stage import stage_or_current

from .deformable_cfg import DeformableBodyBaseCfg, PhysxDeformableBodyPropertiesCfg

__all__ = [
    "define_deformable_body_properties",
    "modify_deformable_body_properties",
    "read_deformable_body_properties",
]

DEFORMABLE = Family(
    "deformable body",
    "OmniPhysicsDeformableBodyAPI",
    conflicts=("PhysicsRigidBodyAPI", "PhysicsArticulationRootAPI"),
)

Kind = Literal["volume", "surface", "curves"]
Array = NDArray[np.float64]


def define_deformable_body_properties(
    prim_path: str,
    cfg: DeformableBodyBaseCfg,
    stage: Usd.Stage | None = None,
    deformable_type: Kind = "volume",
    sim_mesh_prim_path: str | None = None,
) -> SchemaResult:
    """Make a prim a deformable body.

    The one mesh at or below the prim is what is seen. It is simulated through a mesh of its own,
    hidden from renderers: tetrahedra that fill it, or a copy of its triangles. A single tetrahedral
    mesh below the prim is simulated as it is, and so is the one prim of linear curves (BasisCurves)
    at or below the prim of a body of curves.

    Args:
        prim_path: the body.
        cfg: its properties; fields that are None stay as authored.
        stage: where the prim is; None: the current stage.
        deformable_type: ``volume``, ``surface`` or ``curves``.
        sim_mesh_prim_path: the simulation mesh; None: ``sim_mesh`` below the prim. Curves have none
            and are simulated as they are.

    Raises:
        ValueError: there is no such prim, not exactly one mesh or prim of curves below it, or a
            value is not allowed.
        TypeError: the prim is a rigid body or an articulation.
    """
    choice("deformable_type", deformable_type, get_args(Kind))
    where = stage_or_current(stage)
    root = resolve(prim_path, where)
    cfg.validate()
    path = sim_mesh_prim_path or f"{prim_path}/sim_mesh"
    if deformable_type == "volume":
        mesh, writes = _volume(where, root, path, cfg.simulation_hexahedral_resolution)
        api = "OmniPhysicsVolumeDeformableSimAPI"
    elif deformable_type == "curves":
        mesh, writes = _curves(root)
        api = "OmniPhysicsCurvesDeformableSimAPI"
    else:
        mesh, writes = _surface(where, root, path)
        api = "OmniPhysicsSurfaceDeformableSimAPI"
    result = DEFORMABLE.define(prim_path, cfg, where)
    writes.append(Write("physics:collisionEnabled", "bool", True))
    apis = [api, "PhysicsCollisionAPI"]
    if deformable_type != "curves":
        # What is seen follows the simulation mesh from the pose that it is bound in.
        apis.append("OmniPhysicsDeformablePoseAPI:default")
        writes += [
            Write("purpose", "token", "guide"),
            Write("deformablePose:default:omniphysics:purposes", "token[]", ["bindPose"]),
            Write("deformablePose:default:omniphysics:points", "point3f[]", mesh.points),
        ]
    _, changed, skipped = write_prim(mesh.prim, apis, [prepare(w) for w in writes])
    return result + SchemaResult((), changed, skipped)


class _SimulationMesh:
    """A simulation mesh and its points."""

    def __init__(self, prim: Usd.Prim, points: Array):
        self.prim, self.points = prim, points


def _below(root: Usd.Prim, kind: type) -> list[Usd.Prim]:
    return [prim for prim in traverse(root.GetStage(), root) if prim.IsA(kind)]


def _only_mesh(root: Usd.Prim) -> tuple[Array, NDArray[np.int32]]:
    """Points in the root's frame and triangles of the one mesh at or below a prim."""
    found = [prim for prim in _below(root, UsdGeom.Mesh) if prim.GetName() != "sim_mesh"]
    if len(found) != 1:
        raise StageError(
            f"{root.GetPath()} has {len(found)} meshes at or below it, and a deformable body needs "
            f"exactly one. Found: {', '.join(str(p.GetPath()) for p in found) or 'none'}."
        )
    mesh = UsdGeom.Mesh(found[0])
    points = np.array(mesh.GetPointsAttr().Get() or (), dtype=np.float64).reshape(-1, 3)
    counts = np.array(mesh.GetFaceVertexCountsAttr().Get() or (), dtype=np.int64)
    corners = np.array(mesh.GetFaceVertexIndicesAttr().Get() or (), dtype=np.int32)
    if len(points) == 0 or len(counts) == 0:
        raise StageError(f"{found[0].GetPath()} is an empty mesh and cannot deform.")
    first = np.cumsum(counts) - counts
    triangles = [
        [corners[f], corners[f + i], corners[f + i + 1]]
        for f, n in zip(first, counts, strict=True)
        for i in range(1, n - 1)
    ]
    cache = UsdGeom.XformCache()
    matrix, _ = cache.ComputeRelativeTransform(found[0], root)
    m = np.array(matrix)
    return points @ m[:3, :3] + m[3, :3], np.array(triangles, dtype=np.int32)


def _volume(
    stage: Usd.Stage, root: Usd.Prim, path: str, resolution: int
) -> tuple[_SimulationMesh, list[Write]]:
    existing = _below(root, UsdGeom.TetMesh)
    if len(existing) > 1:
        raise StageError(
            f"{root.GetPath()} has {len(existing)} tetrahedral meshes; a body needs exactly one."
        )
    if existing:
        mesh = UsdGeom.TetMesh(existing[0])
        points = np.array(mesh.GetPointsAttr().Get(), dtype=np.float64)
        tets = np.array(mesh.GetTetVertexIndicesAttr().Get(), dtype=np.int32)
        prim = existing[0]
        writes = []
    else:
        points, tets = fill_with_tetrahedra(*_only_mesh(root), resolution)
        prim = define_prim(stage, path, "TetMesh")
        writes = [
            Write("points", "point3f[]", points),
            Write("tetVertexIndices", "int4[]", tets),
        ]
    writes += [
        Write("omniphysics:restShapePoints", "point3f[]", points),
        Write("omniphysics:restTetVtxIndices", "int4[]", tets),
    ]
    return _SimulationMesh(prim, points), writes


def _surface(stage: Usd.Stage, root: Usd.Prim, path: str) -> tuple[_SimulationMesh, list[Write]]:
    points, triangles = _only_mesh(root)
    prim = define_prim(stage, path, "Mesh")
    return _SimulationMesh(prim, points), [
        Write("points", "point3f[]", points),
        Write("faceVertexCounts", "int[]", np.full(len(triangles), 3, dtype=np.int32)),
        Write("faceVertexIndices", "int[]", triangles.ravel()),
        Write("subdivisionScheme", "token", "none"),
        Write("omniphysics:restShapePoints", "point3f[]", points),
        Write("omniphysics:restTriVtxIndices", "int3[]", triangles),
    ]


def _curves(root: Usd.Prim) -> tuple[_SimulationMesh, list[Write]]:
    found = _below(root, UsdGeom.BasisCurves)
    if len(found) != 1:
        raise StageError(
            f"{root.GetPath()} has {len(found)} BasisCurves at or below it, and a body of curves "
            f"needs exactly one. Found: {', '.join(str(p.GetPath()) for p in found) or 'none'}."
        )
    curves = UsdGeom.BasisCurves(found[0])
    if curves.GetTypeAttr().Get() != UsdGeom.Tokens.linear:
        raise StageError(
            f"{found[0].GetPath()} is of type {curves.GetTypeAttr().Get()!r}; only linear curves "
            "deform. Author its points along the curve and type = 'linear'."
        )
    points = np.array(curves.GetPointsAttr().Get() or (), dtype=np.float64).reshape(-1, 3)
    writes = [Write("omniphysics:restShapePoints", "point3f[]", points)]
    return _SimulationMesh(found[0], points), writes


def modify_deformable_body_properties(
    prim_path: str,
    cfg: DeformableBodyBaseCfg,
    stage: Usd.Stage | None = None,
    *,
    subtree: bool = False,
    uninstance: bool = False,
) -> SchemaResult:
    """Change deformable bodies at and below a prim.

    Args:
        prim_path: where to begin.
        cfg: the properties; fields that are None stay as authored.
        stage: where the prim is; None: the current stage.
        subtree: whether to go on below the first body of each branch.
        uninstance: whether to make instances editable instead of skipping them.

    Raises:
        ValueError: there is no such prim, or a value is not allowed.
    """
    return DEFORMABLE.modify(prim_path, cfg, stage, subtree=subtree, uninstance=uninstance)


def read_deformable_body_properties(
    prim_path: str,
    cfg_type: type[DeformableBodyBaseCfg] = PhysxDeformableBodyPropertiesCfg,
    stage: Usd.Stage | None = None,
) -> DeformableBodyBaseCfg:
    """The configuration a deformable body's authored attributes amount to."""
    return DEFORMABLE.read(prim_path, cfg_type, stage)
