"""Stages written here mean the same to the parser, through each dialect and in any unit."""

import numpy as np
import pytest
from pxr import Usd, UsdGeom, UsdPhysics, UsdShade

from usdsim import schemas
from usdsim.parser import parse_stage
from usdsim.usd.schemas import apply_api
from usdsim.usd.stage import create_stage

UNITS = [
    {},
    {"meters_per_unit": 0.01, "kilograms_per_unit": 0.001},
]


def _pair(units: dict, prismatic: bool = False) -> Usd.Stage:
    """A box on the world and one hanging on it by one joint, boxes of 0.2 m."""
    stage = create_stage(**units)
    unit = 1.0 / units.get("meters_per_unit", 1.0)
    UsdPhysics.Scene.Define(stage, "/scene")
    for i, path in enumerate(("/base", "/tip")):
        UsdGeom.Xform.Define(stage, path).AddTranslateOp().Set((0.0, 0.0, i * unit))
        UsdGeom.Cube.Define(stage, f"{path}/box").CreateSizeAttr(0.2 * unit)
        schemas.define_rigid_body_properties(path, schemas.RigidBodyBaseCfg(), stage)
        schemas.define_collision_properties(f"{path}/box", schemas.CollisionBaseCfg(), stage)
        schemas.define_mass_properties(path, schemas.MassPropertiesCfg(mass=1.0 + i), stage)
    kind = UsdPhysics.PrismaticJoint if prismatic else UsdPhysics.RevoluteJoint
    joint = kind.Define(stage, "/joint")
    joint.CreateBody0Rel().SetTargets(["/base"])
    joint.CreateBody1Rel().SetTargets(["/tip"])
    joint.CreateLocalPos0Attr((0.0, 0.0, unit))
    return stage


def _dof(stage: Usd.Stage):
    return parse_stage(stage).scene.joints[0].dofs[0]


@pytest.mark.parametrize("units", UNITS, ids=["metres", "centimetres"])
@pytest.mark.parametrize("prismatic", [False, True], ids=["revolute", "prismatic"])
@pytest.mark.parametrize("dialect", ["newton", "physx"])
def test_joint_properties_arrive(dialect, prismatic, units):
    stage = _pair(units, prismatic)
    cfg = schemas.JointPropertiesCfg(
        armature=0.2, damping=0.3, friction=0.4, velocity_limit=5.0, lower_limit=-0.5,
        upper_limit=0.7, limit_stiffness=100.0, limit_damping=2.0, dialects=(dialect,),
    )  # fmt: skip
    assert schemas.modify_joint_properties("/joint", cfg, stage).skipped == ()
    dof = _dof(stage)
    for field, value in {
        "armature": 0.2, "damping": 0.3, "friction": 0.4, "velocity_limit": 5.0, "lower": -0.5,
        "upper": 0.7, "limit_stiffness": 100.0, "limit_damping": 2.0,
    }.items():  # fmt: skip
        assert getattr(dof, field) == pytest.approx(value, rel=1e-5), field


def test_mujocos_joint_properties_arrive():
    stage = _pair({})
    cfg = schemas.JointPropertiesCfg(armature=0.2, damping=0.3, friction=0.4, dialects=("mjc",))
    schemas.modify_joint_properties("/joint", cfg, stage)
    dof = _dof(stage)
    assert (dof.armature, dof.damping, dof.friction) == (0.2, 0.3, 0.4) and not dof.overrides


@pytest.mark.parametrize("units", UNITS, ids=["metres", "centimetres"])
@pytest.mark.parametrize("prismatic", [False, True], ids=["revolute", "prismatic"])
def test_drives_arrive(prismatic, units):
    stage = _pair(units, prismatic)
    cfg = schemas.PhysxJointDrivePropertiesCfg(
        stiffness=10.0, damping=0.1, max_force=80.0, target_position=0.2, target_velocity=-0.3,
        max_joint_velocity=10.0,
    )  # fmt: skip
    schemas.modify_joint_drive_properties("/joint", cfg, stage)
    dof = _dof(stage)
    assert dof.velocity_limit == pytest.approx(10.0, rel=1e-5)
    for field in ("stiffness", "damping", "max_force", "target_position", "target_velocity"):
        assert getattr(dof.drive, field) == pytest.approx(getattr(cfg, field), rel=1e-5), field
    assert not dof.drive.acceleration


def test_an_acceleration_drive_arrives():
    stage = _pair({})
    cfg = schemas.PhysxJointDrivePropertiesCfg(drive_type="acceleration", stiffness=400.0)
    schemas.modify_joint_drive_properties("/joint", cfg, stage)
    drive = _dof(stage).drive
    assert drive.acceleration
    assert drive.stiffness == pytest.approx(400.0, rel=1e-5)


@pytest.mark.parametrize("units", UNITS, ids=["metres", "centimetres"])
def test_joint_states_arrive(units):
    stage = _pair(units)
    schemas.modify_joint_state("/joint", schemas.JointStateCfg(position=0.3, velocity=1.5), stage)
    dof = _dof(stage)
    assert (dof.position, dof.velocity) == pytest.approx((0.3, 1.5), rel=1e-5)


@pytest.mark.parametrize("units", UNITS, ids=["metres", "centimetres"])
def test_mass_properties_arrive(units):
    stage = _pair(units)
    cfg = schemas.MassPropertiesCfg(
        mass=2.0, center_of_mass=(0.1, 0.0, -0.2), diagonal_inertia=(0.1, 0.2, 0.25)
    )
    schemas.modify_mass_properties("/tip", cfg, stage)
    body = next(b for b in parse_stage(stage).scene.bodies if b.path == "/tip")
    assert body.mass == pytest.approx(2.0)
    np.testing.assert_allclose(body.com, [0.1, 0.0, -0.2], rtol=1e-6)
    np.testing.assert_allclose(np.sort(body.inertia), [0.1, 0.2, 0.25], rtol=1e-6)


@pytest.mark.parametrize("units", UNITS, ids=["metres", "centimetres"])
def test_a_density_arrives_as_mass(units):
    stage = _pair(units)
    stage.GetPrimAtPath("/tip").GetAttribute("physics:mass").Clear()
    schemas.modify_mass_properties("/tip", schemas.MassPropertiesCfg(density=500.0), stage)
    body = next(b for b in parse_stage(stage).scene.bodies if b.path == "/tip")
    assert body.mass == pytest.approx(500.0 * 0.2**3, rel=1e-5)


def test_rigid_body_properties_arrive():
    stage = _pair({})
    cfg = schemas.PhysxRigidBodyPropertiesCfg(
        disable_gravity=True, linear_damping=0.3, angular_damping=0.4
    )
    schemas.modify_rigid_body_properties("/tip", cfg, stage)
    schemas.modify_rigid_body_properties(
        "/base", schemas.RigidBodyBaseCfg(kinematic_enabled=True), stage
    )
    bodies = {body.path: body for body in parse_stage(stage).scene.bodies}
    assert bodies["/tip"].gravity_compensation == 1.0
    assert bodies["/tip"].linear_damping == pytest.approx(0.3)
    assert bodies["/tip"].angular_damping == pytest.approx(0.4)
    assert bodies["/base"].kinematic


def test_mujocos_gravity_compensation_arrives():
    stage = _pair({})
    cfg = schemas.RigidBodyBaseCfg(disable_gravity=True, dialects=("mjc",))
    schemas.modify_rigid_body_properties("/tip", cfg, stage)
    body = next(b for b in parse_stage(stage).scene.bodies if b.path == "/tip")
    assert body.gravity_compensation == 1.0


@pytest.mark.parametrize("units", UNITS, ids=["metres", "centimetres"])
@pytest.mark.parametrize("dialect", ["newton", "physx"])
def test_contact_offsets_arrive(dialect, units):
    stage = _pair(units)
    cfg = schemas.CollisionBaseCfg(contact_offset=0.05, rest_offset=0.02, dialects=(dialect,))
    schemas.modify_collision_properties("/tip/box", cfg, stage)
    geom = next(g for g in parse_stage(stage).scene.geoms if g.path == "/tip/box")
    assert geom.rest_offset == pytest.approx(0.02, rel=1e-5)
    assert geom.contact_gap == pytest.approx(0.03, rel=1e-5)


def test_mujocos_contact_parameters_arrive():
    stage = _pair({})
    cfg = schemas.MujocoCollisionPropertiesCfg(
        solref=(0.01, 0.9), condim=6, contype=3, conaffinity=5, priority=2
    )
    schemas.modify_collision_properties("/tip/box", cfg, stage)
    geom = next(g for g in parse_stage(stage).scene.geoms if g.path == "/tip/box")
    np.testing.assert_allclose(geom.overrides["solref"], [0.01, 0.9])
    for name, value in {"condim": 6, "contype": 3, "conaffinity": 5, "priority": 2}.items():
        assert geom.overrides[name] == value


@pytest.mark.parametrize("units", UNITS, ids=["metres", "centimetres"])
def test_materials_arrive(units):
    stage = _pair(units)
    material = UsdShade.Material.Define(stage, "/material")
    schemas.define_material_properties(
        "/material",
        schemas.PhysxMaterialPropertiesCfg(
            static_friction=0.9, dynamic_friction=0.6, restitution=0.3,
            friction_combine_mode="max", compliant_contact_stiffness=1e4,
            compliant_contact_damping=50.0,
        ),
        stage,
    )  # fmt: skip
    newton = schemas.NewtonMaterialPropertiesCfg(torsional_friction=0.01, rolling_friction=0.001)
    schemas.modify_material_properties("/material", newton, stage)
    box = stage.GetPrimAtPath("/tip/box")
    UsdShade.MaterialBindingAPI.Apply(box).Bind(material, materialPurpose="physics")
    found = parse_stage(stage).scene.materials[0]
    for field, value in {
        "static_friction": 0.9, "dynamic_friction": 0.6, "restitution": 0.3,
        "contact_stiffness": 1e4, "contact_damping": 50.0, "torsional_friction": 0.01,
        "rolling_friction": 0.001,
    }.items():  # fmt: skip
        assert getattr(found, field) == pytest.approx(value, rel=1e-5), field
    assert found.friction_combine == "max"


def _mimic(*dialects: str) -> Usd.Stage:
    """`/joint` follows `/leader`, which hangs on it."""
    stage = _pair({})
    UsdGeom.Xform.Define(stage, "/third")
    schemas.define_rigid_body_properties("/third", schemas.RigidBodyBaseCfg(), stage)
    schemas.define_mass_properties("/third", schemas.MassPropertiesCfg(mass=1.0), stage)
    leader = UsdPhysics.RevoluteJoint.Define(stage, "/leader")
    leader.CreateBody0Rel().SetTargets(["/tip"])
    leader.CreateBody1Rel().SetTargets(["/third"])
    leader.CreateLocalPos0Attr((0.0, 0.0, -1.0))
    cfg = schemas.MimicJointPropertiesCfg(
        reference_joint="/leader", gearing=-0.5, offset=0.2, dialects=dialects
    )
    schemas.define_mimic_joint_properties("/joint", cfg, stage)
    return stage


@pytest.mark.parametrize("dialect", ["newton", "physx"])
def test_mimic_joints_arrive(dialect):
    joints = parse_stage(_mimic(dialect)).scene.joints
    joint = next(j for j in joints if j.path == "/joint")
    assert joint.mimic.joint == "/leader"
    assert joint.mimic.gearing == pytest.approx(-0.5)
    assert joint.mimic.offset == pytest.approx(0.2, rel=1e-5)


def test_a_mimic_joint_arrives_as_mujocos_equality():
    scene = parse_stage(_mimic("mjc")).scene
    (equality,) = [element for element in scene.elements if element.kind == "equality"]
    np.testing.assert_allclose(equality.overrides["data"], [0.2, -0.5, 0.0, 0.0, 0.0])
    assert equality.targets == {"name1": ("/joint",), "name2": ("/leader",)}


def test_a_mimic_joint_in_several_dialects_is_one_constraint():
    scene = parse_stage(_mimic("newton", "physx", "mjc")).scene
    joint = next(j for j in scene.joints if j.path == "/joint")
    equalities = [element for element in scene.elements if element.kind == "equality"]
    assert (joint.mimic is not None) + len(equalities) == 1


@pytest.mark.parametrize(
    ("cls", "dialect"),
    [
        (schemas.PhysxScenePropertiesCfg, "physx"),
        (schemas.PhysxScenePropertiesCfg, "newton"),
        (schemas.PhysxScenePropertiesCfg, "mjc"),
        (schemas.NewtonScenePropertiesCfg, "newton"),
        (schemas.NewtonScenePropertiesCfg, "mjc"),
    ],
)
def test_the_time_step_arrives(cls, dialect):
    stage = _pair({})
    cfg = cls(time_steps_per_second=250, gravity_magnitude=1.62, dialects=(dialect,))
    schemas.define_physics_scene("/scene", cfg, stage)
    scene = parse_stage(stage).scene
    step = scene.options.get("option.timestep", scene.timestep)
    assert step == pytest.approx(1.0 / 250.0)
    np.testing.assert_allclose(scene.gravity, [0.0, 0.0, -1.62], rtol=1e-6)


def test_mujocos_options_arrive():
    stage = _pair({})
    cfg = schemas.MujocoScenePropertiesCfg(cone="elliptic", impratio=10.0, integrator="rk4")
    schemas.define_physics_scene("/scene", cfg, stage)
    options = parse_stage(stage).scene.options
    assert options["option.impratio"] == 10.0
    assert {"option.cone", "option.integrator"} <= set(options)


@pytest.mark.parametrize(
    ("cls", "field"),
    [
        (schemas.PhysxArticulationRootPropertiesCfg, "enabled_self_collisions"),
        (schemas.NewtonArticulationRootPropertiesCfg, "self_collision_enabled"),
    ],
)
@pytest.mark.parametrize("value", [True, False])
def test_self_collision_arrives(cls, field, value):
    stage = _pair({})
    schemas.define_articulation_root_properties("/base", cls(**{field: value}), stage)
    assert parse_stage(stage).scene.articulations[0].self_collision is value


def test_a_fixed_root_link_arrives():
    stage = _pair({})
    cfg = schemas.ArticulationRootBaseCfg(fix_root_link=True)
    schemas.define_articulation_root_properties("/base", cfg, stage)
    scene = parse_stage(stage).scene
    assert scene.articulations[0].fixed_base
    base = next(b for b in scene.bodies if b.path == "/base")
    assert [scene.joints[i].kind for i in base.joints] == ["fixed"]


def _tendon(stage: Usd.Stage):
    return [element for element in parse_stage(stage).scene.elements if element.kind == "tendon"]


@pytest.mark.parametrize("units", UNITS, ids=["metres", "centimetres"])
def test_fixed_tendons_arrive(units):
    stage = _pair(units, prismatic=True)
    apply_api(stage.GetPrimAtPath("/joint"), "PhysxTendonAxisRootAPI", "t")
    axis = schemas.PhysxTendonAxisCfg(gearing=(2.0,), instance_names="t")
    assert schemas.modify_tendon_axis_properties("/joint", axis, stage)
    cfg = schemas.PhysxFixedTendonPropertiesCfg(stiffness=30.0, damping=4.0)
    assert schemas.modify_fixed_tendon_properties("/joint", cfg, stage)
    (tendon,) = _tendon(stage)
    values = {name.partition("[")[0]: v for name, v in tendon.overrides.items()}
    assert np.ravel(values["stiffness"])[0] == pytest.approx(30.0, rel=1e-5)
    assert np.ravel(values["damping"])[0] == pytest.approx(4.0, rel=1e-5)
    np.testing.assert_allclose(values["path:coef"], [2.0])
    off = schemas.PhysxFixedTendonPropertiesCfg(tendon_enabled=False)
    schemas.modify_fixed_tendon_properties("/joint", off, stage)
    assert _tendon(stage) == []


@pytest.mark.parametrize("units", UNITS, ids=["metres", "centimetres"])
@pytest.mark.parametrize("prismatic", [False, True], ids=["revolute", "prismatic"])
def test_newtons_actuators_arrive_as_drives(prismatic, units):
    stage = _pair(units, prismatic)
    cfg = schemas.NewtonActuatorCfg(targets="/joint", kp=20.0, kd=0.5, max_effort=7.0)
    schemas.define_actuator("/actuator", cfg, stage)
    drive = _dof(stage).drive
    assert drive.stiffness == pytest.approx(20.0, rel=1e-5)
    assert drive.damping == pytest.approx(0.5, rel=1e-5)
    assert drive.max_force == pytest.approx(7.0, rel=1e-5)


def test_mujocos_actuators_arrive():
    stage = _pair({})
    cfg = schemas.MujocoActuatorCfg(
        target="/joint", gain_type="fixed", bias_type="affine", gain_prm=(10.0,),
        bias_prm=(0.0, -10.0, -1.0), ctrl_range_min=-1.0, ctrl_range_max=1.0, ctrl_limited="true",
    )  # fmt: skip
    schemas.define_actuator("/actuator", cfg, stage)
    (actuator,) = parse_stage(stage).scene.actuators
    assert actuator.targets["target"] == ("/joint",)
    np.testing.assert_allclose(np.ravel(actuator.overrides["biasprm"])[:3], [0.0, -10.0, -1.0])


def test_sites_arrive():
    stage = _pair({})
    UsdGeom.Sphere.Define(stage, "/tip/grip").CreateRadiusAttr(0.01)
    schemas.define_site_properties("/tip/grip", schemas.SitePropertiesCfg(group=2), stage)
    (site,) = parse_stage(stage).scene.sites
    assert site.path == "/tip/grip"
    assert site.overrides["group"] == 2
    assert site.size[0] == pytest.approx(0.01)
