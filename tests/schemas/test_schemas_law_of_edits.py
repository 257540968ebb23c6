"""Law of edits through `schemas`: each field that a writer changes acts, or a finding says why."""

from __future__ import annotations

from functools import cache

import pytest
from converted_robots import edit_outcome, everything, fingerprint
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics
from test_schemas_table import TABLE

from usdsim import schemas
from usdsim.usd.schemas import apply_api

ROBOT = "/MuJoCo_Model"
HINGE, AXLE = f"{ROBOT}/base/upper/hinge", f"{ROBOT}/base/upper/lower/end/axle"
HOSTS = (
    (schemas.RigidBodyBaseCfg, "/loose", schemas.modify_rigid_body_properties),
    (schemas.CollisionBaseCfg, f"{ROBOT}/base/box", schemas.modify_collision_properties),
    (schemas.MeshCollisionBaseCfg, "/solid", schemas.modify_mesh_collision_properties),
    (schemas.MassPropertiesCfg, f"{ROBOT}/base/upper", schemas.modify_mass_properties),
    (schemas.ArticulationRootBaseCfg, f"{ROBOT}/base", schemas.modify_articulation_root_properties),
    (schemas.JointDriveBaseCfg, HINGE, schemas.modify_joint_drive_properties),
    (schemas.JointPropertiesCfg, HINGE, schemas.modify_joint_properties),
    (schemas.JointStateCfg, HINGE, schemas.modify_joint_state),
    (
        schemas.MujocoTendonPropertiesCfg,
        f"{ROBOT}/Physics/Tendons/cable",
        schemas.modify_fixed_tendon_properties,
    ),
    (schemas.PhysxFixedTendonPropertiesCfg, AXLE, schemas.modify_fixed_tendon_properties),
    (schemas.PhysxTendonAxisCfg, AXLE, schemas.modify_tendon_axis_properties),
    (
        schemas.PhysxSpatialTendonPropertiesCfg,
        f"{ROBOT}/left",
        schemas.modify_spatial_tendon_properties,
    ),
    (
        schemas.MimicJointPropertiesCfg,
        f"{ROBOT}/base/wheel/follower",
        schemas.modify_mimic_joint_properties,
    ),
    (
        schemas.PhysicsMaterialBaseCfg,
        f"{ROBOT}/Physics/Materials/surface_1",
        schemas.modify_material_properties,
    ),
    (schemas.PhysicsSceneBaseCfg, "/PhysicsScene", schemas.modify_physics_scene),
    (schemas.SitePropertiesCfg, f"{ROBOT}/base/tip", schemas.modify_site_properties),
    (
        schemas.MujocoActuatorCfg,
        f"{ROBOT}/Physics/Actuators/servo",
        schemas.modify_actuator,
    ),
    (schemas.NewtonActuatorCfg, "/controller", schemas.modify_actuator),
)
"""Prim of `stage` and function by class of configurations."""
SOLID = [(x, y, z) for x in (8.0, 9.0) for y in (0.0, 1.0) for z in (0.0, 1.0)]
SIDES = [0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3]
"""Corners and faces of a cube."""
OTHERS = {
    # Values of the table that this robot has already, or that its elements cannot take.
    ("MimicJointPropertiesCfg", "offset"): 0.3,
    ("PhysxRigidBodyPropertiesCfg", "enable_gyroscopic_forces"): False,
    ("NewtonMaterialPropertiesCfg", "torsional_friction"): 0.02,
    ("MujocoCollisionPropertiesCfg", "solimp"): (0.8, 0.9, 0.002, 0.5, 2.0),
    ("NewtonScenePropertiesCfg", "time_steps_per_second"): 400,
    ("MujocoScenePropertiesCfg", "timestep"): 0.003,
    ("PhysxTendonAxisCfg", "gearing"): (2.0,),
    ("PhysxTendonAxisCfg", "force_coefficient"): (0.5,),
    ("MujocoActuatorCfg", "gear"): (3.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    ("MujocoActuatorCfg", "bias_type"): "none",
    ("ConvexHullPropertiesCfg", "hull_vertex_limit"): 5,
    ("NewtonMeshCollisionPropertiesCfg", "max_hull_vertices"): 5,
    ("MeshCollisionBaseCfg", "mesh_approximation_name"): "boundingCube",
}
DECIDED_BY_OTHERS = {
    # Authored masses go before densities, in UsdPhysics too.
    ("MassPropertiesCfg", "density"),
    ("PhysicsMaterialBaseCfg", "density"),
    ("MujocoMeshCollisionPropertiesCfg", "inertia"),
    # A rule that decides nothing in a robot whose joints are all in its articulation.
    ("NewtonArticulationRootPropertiesCfg", "joints_add_mobility"),
    # A mesh that is its own hull has no parts; an asset's hull is that of the asset.
    ("ConvexDecompositionPropertiesCfg", "max_convex_hulls"),
    ("MujocoMeshCollisionPropertiesCfg", "maxhullvert"),
    # Which axis of a joint that has one.
    ("PhysxTendonAxisCfg", "joint_axis"),
    # Ranges and limits that are not there.
    ("MujocoActuatorCfg", "ctrl_limited"),
    ("PhysxFixedTendonPropertiesCfg", "limit_stiffness"),
    ("PhysxSpatialTendonPropertiesCfg", "limit_stiffness"),
}
DEFORMABLE = (
    schemas.DeformableBodyBaseCfg,
    schemas.DeformableMaterialBaseCfg,
)
"""They have a test of their own stages in `test_schemas_deformable`."""


@cache
def stage() -> Usd.Stage:
    """A converted robot with a loose body, a mesh and tendons of PhysX beside it."""
    stage = everything()
    loose = UsdGeom.Cube.Define(stage, "/loose")
    loose.AddTranslateOp().Set(Gf.Vec3d(5.0, 0.0, 2.0))
    for api in (UsdPhysics.RigidBodyAPI, UsdPhysics.CollisionAPI):
        api.Apply(loose.GetPrim())
    solid = UsdGeom.Mesh.Define(stage, "/solid")
    solid.CreatePointsAttr(SOLID)
    solid.CreateFaceVertexCountsAttr([4] * 6)
    solid.CreateFaceVertexIndicesAttr(SIDES)
    UsdPhysics.CollisionAPI.Apply(solid.GetPrim())
    mesh = UsdPhysics.MeshCollisionAPI.Apply(solid.GetPrim())
    mesh.CreateApproximationAttr("convexHull")
    axle = stage.GetPrimAtPath(AXLE)
    apply_api(axle, "PhysxTendonAxisRootAPI", "t")
    axle.CreateAttribute("physxTendon:t:stiffness", Sdf.ValueTypeNames.Float).Set(7.0)
    apply_api(stage.GetPrimAtPath(f"{ROBOT}/left"), "PhysxTendonAttachmentRootAPI", "t")
    leaf = stage.GetPrimAtPath(f"{ROBOT}/right")
    apply_api(leaf, "PhysxTendonAttachmentLeafAPI", "u")
    cfg = schemas.NewtonActuatorCfg(targets=f"{ROBOT}/right/b", kp=3.0)
    schemas.define_actuator("/controller", cfg, stage)
    leaf.CreateAttribute("physxTendon:u:restLength", Sdf.ValueTypeNames.Float).Set(0.3)
    leaf.CreateRelationship("physxTendon:u:parentLink").SetTargets([f"{ROBOT}/left"])
    leaf.CreateAttribute("physxTendon:u:parentAttachment", Sdf.ValueTypeNames.Token).Set("t")
    stage.SetEditTarget(stage.GetSessionLayer())
    return stage


@cache
def unedited() -> tuple[dict, set[str]]:
    return fingerprint(stage())


def outcome(name: str, field: str, value: object) -> str:
    """What a change of a field does: ``acts``, ``reported``, ``refused`` or nothing."""
    made = getattr(schemas, name)(**{field: OTHERS.get((name, field), value)})
    path, modify = next((path, modify) for base, path, modify in HOSTS if isinstance(made, base))
    return edit_outcome(stage(), unedited(), path, lambda: modify(path, made, stage()).changed)


FIELDS = [
    (name, field, AXLE if value == "/leader" else value)
    for name, field, value, *_ in TABLE
    if not issubclass(getattr(schemas, name), DEFORMABLE)
]


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "field", "value"), FIELDS)
def test_every_field_that_is_changed_acts_or_is_reported(name, field, value):
    assert outcome(name, field, value) or (name, field) in DECIDED_BY_OTHERS
