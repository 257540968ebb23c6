"""Stages with one deformable body, in every dialect."""

from __future__ import annotations

import numpy as np
from pxr import Gf, Sdf, UsdShade

KINDS = Sdf.ValueTypeNames
CUBE = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
TETS = np.array([[0, 4, 6, 5], [0, 6, 2, 3], [0, 5, 3, 1], [6, 3, 5, 7], [0, 6, 3, 5]])
SHEET = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])
TRIANGLES = np.array([[0, 1, 3], [0, 3, 2]])
SIDES = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]


def author(prim, name, kind, value):
    """Author an attribute, custom where no schema has it."""
    prim.CreateAttribute(name, kind, custom=False).Set(value)
    return prim


def floats(prim, **values):
    """Author floats; two underscores stand for a colon."""
    for name, value in values.items():
        kind = KINDS.Bool if isinstance(value, bool) else KINDS.Float
        author(prim, name.replace("__", ":"), kind, value)
    return prim


def apply(prim, *apis):
    for api in apis:
        prim.AddAppliedSchema(api)
    return prim


def vectors(points):
    return [Gf.Vec3f(*map(float, point)) for point in points]


def drawn(stage, path, points=CUBE, faces=SIDES):
    """A mesh that is seen."""
    mesh = stage.DefinePrim(path, "Mesh")
    mesh.GetAttribute("points").Set(vectors(points))
    mesh.GetAttribute("faceVertexCounts").Set([len(face) for face in faces])
    mesh.GetAttribute("faceVertexIndices").Set([int(i) for face in faces for i in face])
    mesh.GetAttribute("subdivisionScheme").Set("none")
    return mesh


def material(stage, path="/World/material", old=None, **values):
    """A material of the newer dialect, or of the older one with the given schema."""
    prim = UsdShade.Material.Define(stage, path).GetPrim()
    if old:
        apply(prim, old)
        prefix = old[0].lower() + old[1:-3] + "__"
    else:
        apply(prim, "OmniPhysicsDeformableMaterialAPI")
        prefix = "omniphysics__"
    return floats(prim, **{(k if "__" in k else prefix + k): v for k, v in values.items()})


def bind(prim, target):
    binding = UsdShade.MaterialBindingAPI.Apply(prim)
    binding.Bind(UsdShade.Material(target), materialPurpose="physics")


def soft_cube(stage, path="/World/Soft", points=CUBE, tets=TETS, prefix="omni", **values):
    """A cube of the newer dialect, or of the draft of the standard with ``prefix=""``."""
    big = "OmniPhysics" if prefix else "Physics"
    root = apply(stage.DefinePrim(path, "Xform"), f"{big}DeformableBodyAPI")
    mesh = stage.DefinePrim(f"{path}/sim", "TetMesh")
    apply(mesh, f"{big}VolumeDeformableSimAPI", "PhysicsCollisionAPI")
    mesh.GetAttribute("points").Set(vectors(points))
    mesh.GetAttribute("tetVertexIndices").Set([Gf.Vec4i(*map(int, tet)) for tet in tets])
    floats(root, **values)
    return root, mesh


def soft_sheet(stage, path="/World/Cloth", points=SHEET, faces=TRIANGLES, **values):
    root = apply(stage.DefinePrim(path, "Xform"), "OmniPhysicsDeformableBodyAPI")
    mesh = drawn(stage, f"{path}/sim", points, faces)
    apply(mesh, "OmniPhysicsSurfaceDeformableSimAPI", "PhysicsCollisionAPI")
    floats(root, **values)
    return root, mesh


def old_cube(stage, path="/World/Soft", cooked=True, **values):
    """A cube of the older dialect, with or without the data its tools leave on the mesh."""
    mesh = apply(drawn(stage, path), "PhysxDeformableBodyAPI", "PhysicsCollisionAPI")
    if cooked:
        author(mesh, "physxDeformable:simulationPoints", KINDS.Point3fArray, vectors(CUBE))
        indices = TETS.ravel().tolist()
        author(mesh, "physxDeformable:simulationIndices", KINDS.IntArray, indices)
    return floats(mesh, **values)


def attachment(stage, path, kind, **targets):
    """An attachment prim with its ends; two underscores stand for a colon."""
    prim = stage.DefinePrim(path, kind)
    for name, target in targets.items():
        relationship = prim.CreateRelationship(name.replace("__", ":"), custom=False)
        relationship.SetTargets([Sdf.Path(target)] if target else [])
    return prim
