"""define_*, modify_*, read_*: targets, instances, results, refused values."""

import logging
import math

import pytest
from pxr import Sdf, Usd, UsdGeom
from schema_stages import rigid_bodies

from usdsim import schemas
from usdsim.core.errors import InvalidValueError, StageError
from usdsim.usd.attributes import authored, is_authored
from usdsim.usd.schemas import applied_schemas, apply_api, has_api
from usdsim.usd.stage import create_stage, use_stage

DEG = 180.0 / math.pi


def test_modify_stops_below_the_first_match_of_each_branch():
    stage = create_stage()
    UsdGeom.Xform.Define(stage, "/robot")
    rigid_bodies(stage, "/robot/a", "/robot/a/inner", "/robot/b")
    cfg = schemas.PhysxRigidBodyPropertiesCfg(linear_damping=1.0)
    result = schemas.modify_rigid_body_properties("/robot", cfg, stage)
    assert result.prims == ("/robot/a", "/robot/b")
    assert not is_authored(stage.GetPrimAtPath("/robot/a/inner"), "physxRigidBody:linearDamping")


def test_modify_reaches_the_whole_subtree_on_request():
    stage = create_stage()
    rigid_bodies(stage, "/a", "/a/inner")
    cfg = schemas.PhysxRigidBodyPropertiesCfg(linear_damping=1.0)
    result = schemas.modify_rigid_body_properties("/a", cfg, stage, subtree=True)
    assert result.prims == ("/a", "/a/inner")


def test_modify_leaves_prims_of_another_kind_alone():
    stage = create_stage()
    UsdGeom.Xform.Define(stage, "/plain")
    result = schemas.modify_rigid_body_properties(
        "/plain", schemas.PhysxRigidBodyPropertiesCfg(linear_damping=1.0), stage
    )
    assert not result
    assert result == False  # noqa: E712 - the result stands in for a bool
    assert stage.GetPrimAtPath("/plain").GetAuthoredPropertyNames() == []


def _instanced() -> Usd.Stage:
    stage = create_stage()
    rigid_bodies(stage, "/prototype")
    UsdGeom.Xform.Define(stage, "/prototype/part")
    apply_api(stage.GetPrimAtPath("/prototype/part"), "PhysicsRigidBodyAPI")
    prim = UsdGeom.Xform.Define(stage, "/world/robot").GetPrim()
    prim.GetReferences().AddInternalReference("/prototype")
    prim.SetInstanceable(True)
    return stage


def test_instances_are_skipped_with_a_warning(caplog):
    stage = _instanced()
    with caplog.at_level(logging.WARNING, "usdsim"):
        result = schemas.modify_rigid_body_properties(
            "/world", schemas.PhysxRigidBodyPropertiesCfg(linear_damping=1.0), stage
        )
    assert not result
    assert [skipped.path for skipped in result.skipped] == ["/world/robot"]
    assert "instance" in result.skipped[0].reason
    assert "/world/robot" in caplog.text


def test_instances_become_editable_on_request():
    stage = _instanced()
    result = schemas.modify_rigid_body_properties(
        "/world",
        schemas.PhysxRigidBodyPropertiesCfg(linear_damping=1.0),
        stage,
        subtree=True,
        uninstance=True,
    )
    assert result.prims == ("/world/robot", "/world/robot/part")
    assert not stage.GetPrimAtPath("/world/robot").IsInstance()
    assert authored(stage.GetPrimAtPath("/world/robot/part"), "physxRigidBody:linearDamping") == 1.0
    assert not is_authored(stage.GetPrimAtPath("/prototype"), "physxRigidBody:linearDamping")


def test_defining_inside_an_instance_says_what_to_do():
    stage = _instanced()
    with pytest.raises(ValueError, match=r"/world/robot/part lies inside an instance"):
        schemas.define_mass_properties(
            "/world/robot/part", schemas.MassPropertiesCfg(mass=1.0), stage
        )


@pytest.mark.parametrize("path", ["/missing", "relative", "", "/a b"])
def test_an_invalid_path_is_a_value_error(path):
    stage = create_stage()
    UsdGeom.Xform.Define(stage, "/here")
    for call in (schemas.define_rigid_body_properties, schemas.modify_rigid_body_properties):
        with pytest.raises(ValueError):
            call(path, schemas.RigidBodyBaseCfg(), stage)
    with pytest.raises(ValueError):
        schemas.read_rigid_body_properties(path, stage=stage)


def test_the_current_stage_is_used_where_none_is_given():
    stage = create_stage()
    UsdGeom.Xform.Define(stage, "/a")
    with use_stage(stage):
        assert schemas.define_mass_properties("/a", schemas.MassPropertiesCfg(mass=2.0))
    assert authored(stage.GetPrimAtPath("/a"), "physics:mass") == 2.0
    with pytest.raises(StageError, match="current stage"):
        schemas.define_mass_properties("/a", schemas.MassPropertiesCfg(mass=2.0))


def test_a_prim_of_another_kind_is_a_type_error():
    stage = create_stage()
    UsdGeom.Xform.Define(stage, "/soft")
    apply_api(stage.GetPrimAtPath("/soft"), "OmniPhysicsDeformableBodyAPI")
    with pytest.raises(TypeError, match="OmniPhysicsDeformableBodyAPI"):
        schemas.define_rigid_body_properties("/soft", schemas.RigidBodyBaseCfg(), stage)
    with pytest.raises(TypeError):
        schemas.define_articulation_root_properties(
            "/soft", schemas.ArticulationRootBaseCfg(), stage
        )
    assert not has_api(stage.GetPrimAtPath("/soft"), "PhysicsRigidBodyAPI")


def test_none_leaves_a_value_as_authored():
    stage = create_stage()
    rigid_bodies(stage, "/a")
    first = schemas.PhysxRigidBodyPropertiesCfg(linear_damping=1.0, angular_damping=2.0)
    schemas.modify_rigid_body_properties("/a", first, stage)
    second = schemas.PhysxRigidBodyPropertiesCfg(angular_damping=3.0)
    schemas.modify_rigid_body_properties("/a", second, stage)
    prim = stage.GetPrimAtPath("/a")
    assert authored(prim, "physxRigidBody:linearDamping") == 1.0
    assert authored(prim, "physxRigidBody:angularDamping") == 3.0


def test_a_schema_is_applied_only_for_what_is_written():
    stage = create_stage()
    UsdGeom.Xform.Define(stage, "/a")
    schemas.define_rigid_body_properties(
        "/a", schemas.PhysxRigidBodyPropertiesCfg(rigid_body_enabled=True), stage
    )
    assert applied_schemas(stage.GetPrimAtPath("/a")) == ("PhysicsRigidBodyAPI",)


def test_the_result_lists_what_changed_and_not_what_was_the_same():
    stage = create_stage()
    UsdGeom.Xform.Define(stage, "/a")
    cfg = schemas.MassPropertiesCfg(mass=1.0, density=5.0)
    first = schemas.define_mass_properties("/a", cfg, stage)
    again = schemas.modify_mass_properties("/a", cfg, stage)
    other = schemas.modify_mass_properties("/a", schemas.MassPropertiesCfg(mass=3.0), stage)
    assert first.changed == ("/a.physics:mass", "/a.physics:density")
    assert again
    assert again.changed == ()
    assert other.changed == ("/a.physics:mass",)


def test_a_value_hidden_by_a_stronger_layer_is_reported():
    stage = create_stage()
    UsdGeom.Xform.Define(stage, "/a")
    weak = Sdf.Layer.CreateAnonymous()
    stage.GetRootLayer().subLayerPaths.append(weak.identifier)
    schemas.define_mass_properties("/a", schemas.MassPropertiesCfg(mass=1.0), stage)
    stage.SetEditTarget(weak)
    result = schemas.modify_mass_properties("/a", schemas.MassPropertiesCfg(mass=9.0), stage)
    assert [s.path for s in result.skipped] == ["/a.physics:mass"]
    assert "stronger layer" in result.skipped[0].reason


def test_an_attribute_of_another_type_keeps_its_type():
    stage = create_stage()
    prim = UsdGeom.Xform.Define(stage, "/a").GetPrim()
    prim.CreateAttribute("physics:mass", Sdf.ValueTypeNames.Double, False).Set(1.0)
    schemas.define_mass_properties("/a", schemas.MassPropertiesCfg(mass=2.5), stage)
    spec = stage.GetRootLayer().GetAttributeAtPath("/a.physics:mass")
    assert spec.typeName == Sdf.ValueTypeNames.Double
    assert prim.GetAttribute("physics:mass").Get() == 2.5


def test_an_integer_for_a_number_is_authored_as_a_number():
    stage = create_stage()
    UsdGeom.Xform.Define(stage, "/a")
    schemas.define_mass_properties("/a", schemas.MassPropertiesCfg(mass=2), stage)
    assert str(stage.GetPrimAtPath("/a").GetAttribute("physics:mass").GetTypeName()) == "float"


@pytest.mark.parametrize(
    "cfg",
    [
        schemas.MassPropertiesCfg(mass=-1.0),
        schemas.MassPropertiesCfg(mass=math.nan),
        schemas.MassPropertiesCfg(mass="heavy"),
        schemas.MassPropertiesCfg(mass=True),
        schemas.MassPropertiesCfg(center_of_mass=(1.0, 2.0)),
        schemas.MassPropertiesCfg(diagonal_inertia=(1.0, -2.0, 1.0)),
        schemas.PhysxRigidBodyPropertiesCfg(solver_position_iteration_count=0),
        schemas.PhysxRigidBodyPropertiesCfg(solver_position_iteration_count=1.5),
        schemas.PhysxRigidBodyPropertiesCfg(retain_accelerations=1),
        schemas.PhysxRigidBodyPropertiesCfg(linear_damping=1.0, dialects=("bullet",)),
        schemas.MujocoCollisionPropertiesCfg(solref=(0.1,)),
        schemas.MujocoCollisionPropertiesCfg(solimp=(0.9, 0.95, 0.001)),
        schemas.MujocoCollisionPropertiesCfg(solimp=(0.9, 1.5, 0.001, 0.5, 2.0)),
        schemas.MujocoCollisionPropertiesCfg(condim=2),
        schemas.PhysxCollisionPropertiesCfg(contact_offset=-0.1),
    ],
    ids=lambda cfg: str(cfg)[:90],
)
def test_a_value_that_is_not_allowed_is_refused(cfg):
    stage = create_stage()
    UsdGeom.Mesh.Define(stage, "/a")
    define = {
        schemas.MassPropertiesCfg: schemas.define_mass_properties,
        schemas.PhysxRigidBodyPropertiesCfg: schemas.define_rigid_body_properties,
    }.get(type(cfg), schemas.define_collision_properties)
    with pytest.raises(InvalidValueError):
        define("/a", cfg, stage)
    assert stage.GetPrimAtPath("/a").GetAuthoredPropertyNames() == []
    assert applied_schemas(stage.GetPrimAtPath("/a")) == ()


def test_the_later_of_two_configurations_for_one_attribute_wins():
    stage = create_stage()
    prim = stage.DefinePrim("/a", "Cube")
    first = schemas.PhysxRigidBodyPropertiesCfg(rigid_body_enabled=True, linear_damping=1.0)
    second = schemas.MujocoRigidBodyPropertiesCfg(rigid_body_enabled=False, gravcomp=1.0)
    assert schemas.define_rigid_body_properties("/a", [first, second], stage)
    assert authored(prim, "physics:rigidBodyEnabled") is False
    assert authored(prim, "physxRigidBody:linearDamping") == 1.0
    assert schemas.define_rigid_body_properties("/a", second, stage).changed == ()


def test_a_changed_configuration_is_not_taken_for_what_it_was():
    stage = create_stage()
    prim = stage.DefinePrim("/a", "Cube")
    cfg = schemas.MassPropertiesCfg(mass=1.0)
    schemas.define_mass_properties("/a", cfg, stage)
    cfg.mass = 2.0
    schemas.define_mass_properties("/a", cfg, stage)
    assert authored(prim, "physics:mass") == 2.0
    cfg.mass = -1.0
    with pytest.raises(InvalidValueError):
        schemas.define_mass_properties("/a", cfg, stage)


def test_a_relationship_where_an_attribute_belongs_is_named():
    stage = create_stage()
    stage.DefinePrim("/a", "Cube").CreateRelationship("physics:mass")
    cfg = schemas.MassPropertiesCfg(mass=1.0)
    with pytest.raises(StageError, match="mass is authored as a relationship"):
        schemas.define_mass_properties("/a", cfg, stage)
