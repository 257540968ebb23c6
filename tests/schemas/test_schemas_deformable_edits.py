"""Law of edits of deformables: each field that `schemas` changes acts, or a finding says why."""

from __future__ import annotations

from functools import cache

import pytest
from converted_robots import edit_outcome, fingerprint
from pxr import Gf, Usd, UsdGeom, UsdShade
from test_schemas_table import TABLE

from usdsim import schemas
from usdsim.usd.schemas import apply_api
from usdsim.usd.stage import create_stage

SOLID = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
TETRAHEDRA = [(0, 4, 6, 5), (0, 6, 2, 3), (0, 5, 3, 1), (6, 3, 5, 7), (0, 6, 3, 5)]
SHEET = [(x, y, 0) for x in (0, 1, 2) for y in (0, 1)]
TRIANGLES = [0, 2, 1, 1, 2, 3, 2, 4, 3, 3, 4, 5]
DECIDED_BY_OTHERS = {
    # Mass goes before density, as with rigid bodies.
    ("DeformableMaterialBaseCfg", "density"),
    # Without self-collision there is nothing to filter; with it, a finding says what is missing.
    ("PhysxDeformableBodyPropertiesCfg", "self_collision_filter_distance"),
}
FIELDS = [
    (name, field, value)
    for name, field, value, *_ in TABLE
    if issubclass(
        getattr(schemas, name), (schemas.DeformableBodyBaseCfg, schemas.DeformableMaterialBaseCfg)
    )
]


def material(stage: Usd.Stage, path: str, *apis: str) -> UsdShade.Material:
    made = UsdShade.Material.Define(stage, path)
    for api in apis:
        apply_api(made.GetPrim(), api)
    return made


@cache
def stage() -> Usd.Stage:
    """A soft cube over the ground, and a cloth beside it."""
    stage = create_stage()
    ground = UsdGeom.Plane.Define(stage, "/ground")
    apply_api(ground.GetPrim(), "PhysicsCollisionAPI")
    soft = UsdGeom.Xform.Define(stage, "/soft")
    soft.AddTranslateOp().Set(Gf.Vec3d(0, 0, 2))
    solid = UsdGeom.TetMesh.Define(stage, "/soft/sim")
    solid.CreatePointsAttr([Gf.Vec3f(*map(float, point)) for point in SOLID])
    solid.CreateTetVertexIndicesAttr([Gf.Vec4i(*corners) for corners in TETRAHEDRA])
    cloth = UsdGeom.Xform.Define(stage, "/cloth")
    cloth.AddTranslateOp().Set(Gf.Vec3d(4, 0, 2))
    sheet = UsdGeom.Mesh.Define(stage, "/cloth/sim")
    sheet.CreatePointsAttr([Gf.Vec3f(*map(float, point)) for point in SHEET])
    sheet.CreateFaceVertexCountsAttr([3] * 4)
    sheet.CreateFaceVertexIndicesAttr(TRIANGLES)
    rubber = material(stage, "/rubber", "OmniPhysicsDeformableMaterialAPI")
    linen = material(stage, "/linen", "OmniPhysicsSurfaceDeformableMaterialAPI")
    for body, mesh, kind, bound in (
        (soft, solid, "Volume", rubber),
        (cloth, sheet, "Surface", linen),
    ):
        apply_api(body.GetPrim(), "OmniPhysicsDeformableBodyAPI")
        apply_api(mesh.GetPrim(), f"OmniPhysics{kind}DeformableSimAPI")
        apply_api(mesh.GetPrim(), "PhysicsCollisionAPI")
        binding = UsdShade.MaterialBindingAPI.Apply(mesh.GetPrim())
        binding.Bind(bound, materialPurpose="physics")
    schemas.modify_material_properties(
        "/rubber", schemas.DeformableMaterialBaseCfg(youngs_modulus=1e4, poissons_ratio=0.3), stage
    )
    stage.SetEditTarget(stage.GetSessionLayer())
    return stage


@cache
def unedited() -> tuple[dict, set[str]]:
    return fingerprint(stage())


def outcome(name: str, field: str, value: object) -> str:
    """What a change of a field does: ``acts``, ``reported``, ``refused`` or nothing."""
    made = getattr(schemas, name)(**{field: value})
    thin = "Surface" in name
    if isinstance(made, schemas.DeformableMaterialBaseCfg):
        path, modify = "/linen" if thin else "/rubber", schemas.modify_material_properties
    else:
        path, modify = "/cloth" if thin else "/soft", schemas.modify_deformable_body_properties
    return edit_outcome(stage(), unedited(), path, lambda: modify(path, made, stage()).changed)


@pytest.mark.parametrize(("name", "field", "value"), FIELDS)
def test_every_deformable_field_that_is_changed_acts_or_is_reported(name, field, value):
    assert outcome(name, field, value) or (name, field) in DECIDED_BY_OTHERS
