"""Fixing the root link to the world."""

import numpy as np
import pytest
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from usdsim import SceneData, load_model, schemas
from usdsim.usd.schemas import applied_schemas
from usdsim.usd.stage import create_stage

FIX = schemas.PhysxArticulationRootPropertiesCfg(fix_root_link=True)
FREE = schemas.PhysxArticulationRootPropertiesCfg(fix_root_link=False)


def _robot(root_is_body: bool) -> Usd.Stage:
    """Two links, the first one at (1, 2, 3), turned by 90 degrees about z and scaled by 2."""
    stage = create_stage()
    UsdGeom.Xform.Define(stage, "/robot").AddTranslateOp().Set(Gf.Vec3d(1, 0, 0))
    base = "/robot" if root_is_body else "/robot/base"
    if not root_is_body:
        link = UsdGeom.Xform.Define(stage, base)
        link.AddTranslateOp().Set(Gf.Vec3d(0, 2, 3))
        link.AddRotateZOp().Set(90.0)
        link.AddScaleOp().Set(Gf.Vec3f(2.0))
    UsdPhysics.RigidBodyAPI.Apply(stage.GetPrimAtPath(base))
    UsdGeom.Xform.Define(stage, "/robot/tip")
    UsdPhysics.RigidBodyAPI.Apply(stage.GetPrimAtPath("/robot/tip"))
    joint = UsdPhysics.RevoluteJoint.Define(stage, "/robot/hinge")
    joint.CreateBody0Rel().SetTargets([base])
    joint.CreateBody1Rel().SetTargets(["/robot/tip"])
    UsdPhysics.ArticulationRootAPI.Apply(stage.GetPrimAtPath("/robot"))
    return stage


def test_a_joint_is_created_where_the_root_link_is():
    stage = _robot(root_is_body=False)
    result = schemas.modify_articulation_root_properties("/robot", FIX, stage)
    assert result.changed == ("/robot/FixedJoint",)
    joint = UsdPhysics.FixedJoint.Get(stage, "/robot/FixedJoint")
    assert [str(t) for t in joint.GetBody0Rel().GetTargets()] == ["/robot"]
    assert [str(t) for t in joint.GetBody1Rel().GetTargets()] == ["/robot/base"]
    np.testing.assert_allclose(joint.GetLocalPos0Attr().Get(), [0.0, 2.0, 3.0])
    rotation = joint.GetLocalRot0Attr().Get()
    np.testing.assert_allclose(
        [*rotation.GetImaginary(), rotation.GetReal()], [0, 0, 0.5**0.5, 0.5**0.5], atol=1e-6
    )
    assert joint.GetLocalPos1Attr().Get() == Gf.Vec3f(0)
    assert joint.GetLocalRot1Attr().Get() == Gf.Quatf(1)
    assert joint.GetBreakForceAttr().Get() > 3e38


def _poses(stage: Usd.Stage) -> dict[str, np.ndarray]:
    model = load_model(stage)
    data = SceneData(model)
    model.step_n(data, 3)
    return {link.path: np.ravel(link.get_pose(data)) for link in model.links}


def _weigh(stage: Usd.Stage) -> None:
    for path in ("/robot/base", "/robot/tip"):
        UsdPhysics.MassAPI.Apply(stage.GetPrimAtPath(path)).CreateMassAttr(1.0)
    # Both ends of the hinge where the links are.
    joint = UsdPhysics.Joint.Get(stage, "/robot/hinge")
    joint.CreateLocalPos1Attr(Gf.Vec3f(0, 2, 3))


@pytest.mark.parametrize("units", [1.0, 0.01])
def test_a_fixed_robot_stays_where_it_is_put(units):
    stage = _robot(root_is_body=False)
    UsdGeom.SetStageMetersPerUnit(stage, units)
    _weigh(stage)
    schemas.modify_articulation_root_properties("/robot", FIX, stage)
    before = _poses(stage)["/robot/base"]
    np.testing.assert_allclose(before[:3], np.array([1, 2, 3]) * units, atol=1e-6)
    UsdGeom.XformCommonAPI(stage.GetPrimAtPath("/robot")).SetTranslate(Gf.Vec3d(11, 0, 5))
    after = _poses(stage)["/robot/base"]
    np.testing.assert_allclose(after[:3], np.array([11, 2, 8]) * units, atol=1e-6)
    np.testing.assert_allclose(after[3:], before[3:], atol=1e-6)
    # Referred to elsewhere, below something turned and scaled.
    other = create_stage(meters_per_unit=units)
    hall = UsdGeom.Xform.Define(other, "/hall")
    hall.AddTranslateOp().Set(Gf.Vec3d(100, 0, 0))
    hall.AddRotateZOp().Set(90.0)
    hall.AddScaleOp().Set(Gf.Vec3f(3.0))
    other.DefinePrim("/hall/robot").GetReferences().AddReference(
        stage.GetRootLayer().identifier, "/robot"
    )
    moved = _poses(other)["/hall/robot/base"]
    np.testing.assert_allclose(moved[:3], np.array([94, 33, 24]) * units, atol=1e-4)


def test_a_joint_that_hangs_on_a_prim_without_body_ties_to_the_world():
    stage = _robot(root_is_body=False)
    joint = UsdPhysics.FixedJoint.Define(stage, "/robot/own")
    joint.CreateBody0Rel().SetTargets(["/robot"])
    joint.CreateBody1Rel().SetTargets(["/robot/base"])
    found = schemas.find_global_fixed_joint_prim("/robot", stage=stage)
    assert str(found.GetPath()) == "/robot/own"
    schemas.modify_articulation_root_properties("/robot", FREE, stage)
    assert joint.GetJointEnabledAttr().Get() is False


@pytest.mark.parametrize("solid", [True, False])
def test_letting_go_of_a_base_without_a_body_keeps_the_joints(solid):
    """A base that is nothing but a place is no link: the joint is all that holds."""
    stage = _robot(root_is_body=False)
    _weigh(stage)
    base = stage.GetPrimAtPath("/robot/base")
    base.RemoveAPI(UsdPhysics.RigidBodyAPI)
    if not solid:
        base.RemoveAPI(UsdPhysics.MassAPI)
    hinge = UsdPhysics.Joint.Get(stage, "/robot/hinge")
    assert load_model(stage).num_dof_vel == 1
    freed = schemas.modify_articulation_root_properties("/robot", FREE, stage)
    if solid:
        assert freed.changed == ("/robot/base.physics:rigidBodyEnabled",)
        assert load_model(stage).num_dof_vel == 7
        schemas.modify_articulation_root_properties("/robot", FIX, stage)
        assert load_model(stage).num_dof_vel == 1
    assert hinge.GetJointEnabledAttr().Get() is solid


def test_a_root_that_is_a_body_is_fixed_itself():
    stage = _robot(root_is_body=True)
    schemas.modify_articulation_root_properties("/robot", FIX, stage)
    joint = UsdPhysics.FixedJoint.Get(stage, "/robot/FixedJoint")
    assert joint.GetBody0Rel().GetTargets() == []
    assert [str(t) for t in joint.GetBody1Rel().GetTargets()] == ["/robot"]
    np.testing.assert_allclose(joint.GetLocalPos0Attr().Get(), [1.0, 0.0, 0.0])
    assert "PhysicsArticulationRootAPI" in applied_schemas(stage.GetPrimAtPath("/robot"))


def test_an_existing_joint_is_enabled_and_disabled():
    stage = _robot(root_is_body=False)
    schemas.modify_articulation_root_properties("/robot", FIX, stage)
    joint = UsdPhysics.FixedJoint.Get(stage, "/robot/FixedJoint")
    freed = schemas.modify_articulation_root_properties("/robot", FREE, stage)
    assert joint.GetJointEnabledAttr().Get() is False
    assert freed.changed == ("/robot/FixedJoint.physics:jointEnabled",)
    schemas.modify_articulation_root_properties("/robot", FIX, stage)
    assert joint.GetJointEnabledAttr().Get() is True
    assert len([p for p in stage.Traverse() if p.IsA(UsdPhysics.FixedJoint)]) == 1


def test_any_joint_to_the_world_counts_as_existing():
    stage = _robot(root_is_body=False)
    hinge = UsdPhysics.RevoluteJoint.Define(stage, "/robot/to_world")
    hinge.CreateBody1Rel().SetTargets(["/robot/base"])
    schemas.modify_articulation_root_properties("/robot", FREE, stage)
    assert hinge.GetJointEnabledAttr().Get() is False


@pytest.mark.parametrize("flag", [None, False])
def test_nothing_is_created_unless_asked(flag):
    stage = _robot(root_is_body=False)
    cfg = schemas.PhysxArticulationRootPropertiesCfg(fix_root_link=flag)
    assert schemas.modify_articulation_root_properties("/robot", cfg, stage).changed == ()
    assert not stage.GetPrimAtPath("/robot/FixedJoint")


def test_the_name_steps_aside_for_what_is_there():
    stage = _robot(root_is_body=False)
    UsdGeom.Xform.Define(stage, "/robot/FixedJoint")
    result = schemas.modify_articulation_root_properties("/robot", FIX, stage)
    assert result.changed == ("/robot/FixedJoint0",)


def test_without_a_body_there_is_nothing_to_fix():
    stage = create_stage()
    UsdGeom.Xform.Define(stage, "/empty")
    with pytest.raises(ValueError, match="no rigid body"):
        schemas.define_articulation_root_properties("/empty", FIX, stage)


def test_the_root_link_is_the_body_no_joint_hangs_on_another():
    """Also where it comes last in the stage."""
    stage = create_stage()
    UsdGeom.Xform.Define(stage, "/robot")
    for name in ("a_tip", "z_base"):
        UsdGeom.Xform.Define(stage, f"/robot/{name}")
        UsdPhysics.RigidBodyAPI.Apply(stage.GetPrimAtPath(f"/robot/{name}"))
    joint = UsdPhysics.RevoluteJoint.Define(stage, "/robot/joint")
    joint.CreateBody0Rel().SetTargets(["/robot/z_base"])
    joint.CreateBody1Rel().SetTargets(["/robot/a_tip"])
    assert str(schemas.find_root_link(stage.GetPrimAtPath("/robot")).GetPath()) == "/robot/z_base"


def test_finding_the_joint_to_the_world():
    stage = _robot(root_is_body=False)
    assert schemas.find_global_fixed_joint_prim("/robot", stage=stage) is None
    schemas.modify_articulation_root_properties("/robot", FIX, stage)
    schemas.modify_articulation_root_properties("/robot", FREE, stage)
    assert schemas.find_global_fixed_joint_prim("/robot", stage=stage)
    assert schemas.find_global_fixed_joint_prim("/robot", True, stage) is None
    for path in ("/missing", "relative"):
        with pytest.raises(ValueError):
            schemas.find_global_fixed_joint_prim(path, stage=stage)


@pytest.mark.parametrize("enabled", [False, True])
def test_a_free_joint_holds_nothing(enabled):
    stage = _robot(root_is_body=False)
    free = UsdPhysics.Joint.Define(stage, "/robot/free")
    free.CreateBody0Rel().SetTargets(["/robot"])
    free.CreateBody1Rel().SetTargets(["/robot/base"])
    free.CreateJointEnabledAttr(enabled)
    free.GetPrim().CreateAttribute("mjc:type", Sdf.ValueTypeNames.Token).Set("free")
    assert schemas.find_global_fixed_joint_prim("/robot", stage=stage) is None
    result = schemas.modify_articulation_root_properties("/robot", FIX, stage)
    assert result.changed == ("/robot/FixedJoint",)
    fixed = UsdPhysics.Joint.Get(stage, "/robot/FixedJoint")
    assert [str(path) for path in fixed.GetBody1Rel().GetTargets()] == ["/robot/base"]
    assert free.GetJointEnabledAttr().Get() is enabled


def test_reading_tells_whether_the_root_is_fixed():
    stage = _robot(root_is_body=False)
    read = schemas.read_articulation_root_properties
    assert read("/robot", stage=stage).fix_root_link is None
    schemas.modify_articulation_root_properties("/robot", FIX, stage)
    assert read("/robot", stage=stage).fix_root_link is True
    schemas.modify_articulation_root_properties("/robot", FREE, stage)
    assert read("/robot", stage=stage).fix_root_link is False


def test_the_root_moves_to_the_parent_with_its_values():
    stage = create_stage()
    UsdGeom.Xform.Define(stage, "/robot")
    UsdGeom.Xform.Define(stage, "/robot/base")
    UsdPhysics.RigidBodyAPI.Apply(stage.GetPrimAtPath("/robot/base"))
    cfg = schemas.PhysxArticulationRootPropertiesCfg(
        enabled_self_collisions=False, sleep_threshold=0.5, dialects=("physx", "newton")
    )
    schemas.define_articulation_root_properties("/robot/base", cfg, stage)
    parent = schemas.move_articulation_root_to_parent("/robot/base", stage)
    assert set(applied_schemas(parent)) == {
        "PhysicsArticulationRootAPI", "PhysxArticulationAPI", "NewtonArticulationRootAPI",
    }  # fmt: skip
    assert applied_schemas(stage.GetPrimAtPath("/robot/base")) == ("PhysicsRigidBodyAPI",)
    moved = schemas.read_articulation_root_properties("/robot", stage=stage)
    assert (moved.enabled_self_collisions, moved.sleep_threshold) == (False, 0.5)
    left = schemas.read_articulation_root_properties("/robot/base", stage=stage)
    assert left == schemas.PhysxArticulationRootPropertiesCfg()
    for path, reason in (("/robot/base", "no articulation root"), ("/robot", "no parent")):
        with pytest.raises(ValueError, match=reason):
            schemas.move_articulation_root_to_parent(path, stage)


def test_gears_do_not_fix_a_root():
    stage = _robot(root_is_body=True)
    stage.DefinePrim("/robot/gear", "PhysxPhysicsGearJoint")
    assert schemas.find_global_fixed_joint_prim("/robot", stage=stage) is None
