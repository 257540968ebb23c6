"""Files, several assets, robot descriptions."""

import logging
import random

import numpy as np
import pytest
from pxr import Usd, UsdGeom, UsdShade
from spawner_stages import environments, robot_file

from usdsim import schemas, spawners
from usdsim.converters.spawn import MjcfFileCfg, UrdfFileCfg
from usdsim.parser import parse_stage
from usdsim.usd.attributes import authored
from usdsim.usd.schemas import has_api
from usdsim.usd.stage import create_stage, open_stage, use_stage
from usdsim.usd.xforms import local_pose


def test_a_file_is_referenced_and_its_properties_are_overridden(tmp_path):
    stage = create_stage()
    cfg = spawners.UsdFileCfg(
        usd_path=robot_file(tmp_path),
        scale=(2.0, 2.0, 2.0),
        variants={"tool": "hand"},
        rigid_props=schemas.PhysxRigidBodyPropertiesCfg(linear_damping=0.5),
        collision_props=schemas.CollisionBaseCfg(contact_offset=0.01),
        mass_props=schemas.MassPropertiesCfg(mass=3.0),
        articulation_props=schemas.ArticulationRootBaseCfg(fix_root_link=True),
        fixed_tendons_props=schemas.PhysxFixedTendonPropertiesCfg(stiffness=7.0),
        joint_drive_props=schemas.PhysxJointDrivePropertiesCfg(stiffness=10.0),
        visual_material=spawners.PreviewSurfaceCfg(),
        physics_material_path="/World/rough",
        physics_material=spawners.RigidBodyMaterialCfg(dynamic_friction=0.8),
        activate_contact_sensors=True,
    )
    prim = cfg.func("/World/robot", cfg, (0.0, 0.0, 1.0), stage=stage)
    pose, scale = local_pose(prim)
    np.testing.assert_allclose(pose.pos, [0.0, 0.0, 1.0])
    np.testing.assert_allclose(scale, [2.0, 2.0, 2.0])
    assert stage.GetPrimAtPath("/World/robot/hand")
    for i in range(2):
        link = stage.GetPrimAtPath(f"/World/robot/link_{i}")
        assert authored(link, "physxRigidBody:linearDamping") == 0.5
        assert authored(link, "physics:mass") == 3.0
        assert authored(link, "physxContactReport:threshold") == 0.0
        ball = stage.GetPrimAtPath(f"/World/robot/link_{i}/ball")
        assert authored(ball, "physxCollision:contactOffset") == pytest.approx(0.01)
        assert [
            str(path) for path in ball.GetRelationship("material:binding:physics").GetTargets()
        ] == ["/World/rough"]
    joint = stage.GetPrimAtPath("/World/robot/joint")
    assert authored(joint, "physxTendon:t:stiffness") == 7.0
    assert has_api(joint, "PhysicsDriveAPI")
    assert stage.GetPrimAtPath("/World/robot/FixedJoint")
    assert stage.GetPrimAtPath("/World/robot/material").IsA(UsdShade.Material)
    source = open_stage(cfg.usd_path)
    assert authored(source.GetPrimAtPath("/robot/link_0"), "physics:mass") == 1.0


@pytest.mark.parametrize(("rigid", "expected"), [(None, 1.0), (0.25, 0.25)])
def test_actuators_that_bear_weight_compensate_it(rigid, expected, tmp_path):
    stage = create_stage()
    cfg = spawners.UsdFileCfg(
        usd_path=robot_file(tmp_path),
        joint_drive_props=schemas.MujocoJointDrivePropertiesCfg(actuatorgravcomp=True),
        rigid_props=None if rigid is None else schemas.MujocoRigidBodyPropertiesCfg(gravcomp=rigid),
    )
    cfg.func("/robot", cfg, stage=stage)
    for i in range(2):
        assert authored(stage.GetPrimAtPath(f"/robot/link_{i}"), "mjc:gravcomp") == expected


def test_variants_may_be_an_object_and_have_to_exist(tmp_path):
    class Variants:
        def __init__(self, tool):
            self.tool = tool

    path = robot_file(tmp_path)
    stage = create_stage()
    cfg = spawners.UsdFileCfg(usd_path=path, variants=Variants("hand"))
    prim = cfg.func("/a", cfg, stage=stage)
    assert prim.GetVariantSet("tool").GetVariantSelection() == "hand"
    for variants in ({"tool": "foot"}, {"tools": "hand"}):
        wrong = spawners.UsdFileCfg(usd_path=path, variants=variants)
        with pytest.raises(LookupError, match=r"Did you mean|Available"):
            wrong.func(f"/b_{len(stage.GetPseudoRoot().GetChildren())}", wrong, stage=stage)


def test_a_missing_file_and_one_without_a_root(tmp_path):
    stage = create_stage()
    missing = spawners.UsdFileCfg(usd_path=str(tmp_path / "missing.usd"))
    with pytest.raises(FileNotFoundError, match=r"missing\.usd"):
        missing.func("/a", missing, stage=stage)
    path = str(tmp_path / "two.usda")
    two = create_stage(path)
    for name in ("x", "y"):
        UsdGeom.Xform.Define(two, f"/{name}")
    two.Save()
    cfg = spawners.UsdFileCfg(usd_path=path)
    with pytest.raises(ValueError, match="no default prim"):
        cfg.func("/b", cfg, stage=stage)
    two.RemovePrim("/y")
    UsdGeom.Sphere.Define(two, "/x/ball")
    two.Save()
    cfg.func("/c", cfg, stage=stage)
    assert stage.GetPrimAtPath("/c/ball")


@pytest.mark.parametrize(("own", "expected"), [("Cube", "Cube"), ("", "Xform"), ("Scope", "Xform")])
def test_the_root_of_a_file_keeps_a_type_that_can_be_placed(tmp_path, own, expected):
    path = tmp_path / "thing.usda"
    made = create_stage(path)
    made.SetDefaultPrim(made.DefinePrim("/thing", own))
    made.Save()
    stage = create_stage()
    cfg = spawners.UsdFileCfg(usd_path=str(path))
    prim = cfg.func("/World/thing", cfg, translation=(1.0, 2.0, 3.0), stage=stage)
    assert prim.GetTypeName() == expected
    assert UsdGeom.Xformable(prim).GetLocalTransformation().ExtractTranslation() == (1, 2, 3)


def test_an_existing_prim_is_kept_with_a_warning(tmp_path, caplog):
    stage = create_stage()
    UsdGeom.Sphere.Define(stage, "/a")
    cfg = spawners.UsdFileCfg(usd_path=robot_file(tmp_path))
    with caplog.at_level(logging.WARNING, "usdsim"):
        prim = cfg.func("/a", cfg, stage=stage)
    assert prim.IsA(UsdGeom.Sphere)
    assert "exists already" in caplog.text


def test_what_is_not_given_of_a_place_is_that_of_the_file(tmp_path):
    source = Usd.Stage.CreateNew(str(tmp_path / "small.usda"))
    root = UsdGeom.Xform.Define(source, "/root")
    source.SetDefaultPrim(root.GetPrim())
    root.AddTranslateOp().Set((1.0, 2.0, 3.0))
    root.AddScaleOp().Set((0.5, 0.5, 0.5))
    source.Save()
    cfg = spawners.UsdFileCfg(usd_path=source.GetRootLayer().realPath)
    with use_stage(create_stage()):
        prim = cfg.func("/World/moved", cfg, translation=(0.0, 0.0, 4.0))
        pose, scale = local_pose(prim)
        np.testing.assert_allclose([*pose.pos, *scale], [0.0, 0.0, 4.0, 0.5, 0.5, 0.5])
        prim = cfg.func("/World/turned", cfg, orientation=(0.0, 0.0, 1.0, 0.0))
        pose, scale = local_pose(prim)
        np.testing.assert_allclose([*pose.pos, *scale], [1.0, 2.0, 3.0, 0.5, 0.5, 0.5])
        np.testing.assert_allclose(pose.quat, [0.0, 0.0, 1.0, 0.0])


@pytest.mark.parametrize(
    ("unit", "scale", "warned"),
    [(1.0, None, False), (0.01, None, True), (0.01, (100.0,) * 3, False), (None, None, False)],
)
def test_a_file_of_another_unit_of_length_is_noticed(tmp_path, caplog, unit, scale, warned):
    file = tmp_path / "box.usda"
    text = "" if unit is None else "metersPerUnit = 1.0"
    file.write_text(f'#usda 1.0\n(\ndefaultPrim = "box"\n{text}\n)\ndef Cube "box" {{}}\n')
    stage = create_stage(meters_per_unit=unit or 0.01)
    cfg = spawners.UsdFileCfg(usd_path=str(file), scale=scale)
    with caplog.at_level(logging.WARNING, "usdsim"):
        cfg.func("/box", cfg, stage=stage)
    assert ("Set scale=(100, 100, 100)" in caplog.text) is warned
    assert bool(caplog.text) is warned


def test_compliant_contacts_of_a_part_of_a_file(tmp_path):
    stage = create_stage()
    cfg = spawners.UsdFileWithCompliantContactCfg(
        usd_path=robot_file(tmp_path), compliant_contact_stiffness=1e4,
        physics_material_prim_path="link_1",
    )  # fmt: skip
    cfg.func("/a", cfg, stage=stage)
    bound = [
        UsdShade.MaterialBindingAPI(stage.GetPrimAtPath(f"/a/link_{i}/ball"))
        .ComputeBoundMaterial("physics")[0]
        for i in range(2)
    ]  # fmt: skip
    assert not bound[0]
    assert authored(bound[1].GetPrim(), "physxMaterial:compliantContactStiffness") == 1e4


def test_assets_in_turn():
    stage = environments(5)
    cfg = spawners.MultiAssetSpawnerCfg(
        assets_cfg=[
            spawners.SphereCfg(radius=0.1),
            spawners.CuboidCfg(
                size=(0.1, 0.1, 0.1), mass_props=schemas.MassPropertiesCfg(mass=9.0)
            ),
        ],
        random_choice=False,
        mass_props=schemas.MassPropertiesCfg(mass=2.0),
        rigid_props=schemas.RigidBodyBaseCfg(),
    )  # fmt: skip
    first = cfg.func("{ENV_REGEX_NS}/thing", cfg, (0.0, 0.0, 1.0), stage=stage)
    assert str(first.GetPath()) == "/World/envs/env_0/thing"
    things = [stage.GetPrimAtPath(f"/World/envs/env_{i}/thing") for i in range(5)]
    kinds = [thing.GetChild("geometry").GetChild("mesh").GetTypeName() for thing in things]
    assert kinds == ["Sphere", "Cube", "Sphere", "Cube", "Sphere"]
    assert [authored(thing, "physics:mass") for thing in things] == [2.0] * 5
    assert all(has_api(thing, "PhysicsRigidBodyAPI") for thing in things)
    assert cfg.assets_cfg[1].mass_props.mass == 9.0


def test_assets_side_by_side():
    cfg = spawners.MultiAssetSpawnerCfg(
        assets_cfg=[spawners.SphereCfg(radius=0.1), spawners.ConeCfg(radius=0.1, height=0.1)]
    )
    stage = environments(2)
    assert str(cfg.func("{ENV_REGEX_NS}/a_.*", cfg, stage=stage).GetPath()).endswith("env_0/a_0")
    kinds = [
        stage.GetPrimAtPath(f"/World/envs/env_{i}/a_{k}/geometry/mesh").GetTypeName()
        for i in range(2)
        for k in range(2)
    ]
    assert kinds == ["Sphere", "Cone"] * 2
    cfg.spawn_paths = [None, "/there"]
    assert str(cfg.func("/not/used", cfg, stage=stage).GetPath()) == "/there"
    cfg.spawn_paths = ["/one"]
    with pytest.raises(ValueError, match="2 paths, one for each"):
        cfg.func("/not/used", cfg, stage=stage)


def test_assets_by_chance_repeat_with_a_seed():
    def kinds(seed):
        stage = environments(12)
        cfg = spawners.MultiAssetSpawnerCfg(
            assets_cfg=[spawners.SphereCfg(radius=0.1), spawners.ConeCfg(radius=0.1, height=0.1)],
            seed=seed,
        )
        cfg.func("{ENV_REGEX_NS}/thing", cfg, stage=stage)
        return [
            stage.GetPrimAtPath(f"/World/envs/env_{i}/thing/geometry/mesh").GetTypeName()
            for i in range(12)
        ]

    assert kinds(3) == kinds(3)
    random.seed(4)
    first = kinds(None)
    random.seed(4)
    assert kinds(None) == first
    assert set(kinds(3)) == {"Sphere", "Cone"}


def test_several_files(tmp_path):
    stage = environments(3)
    path = robot_file(tmp_path)
    cfg = spawners.MultiUsdFileCfg(
        usd_path=[path, path], random_choice=False,
        rigid_props=schemas.PhysxRigidBodyPropertiesCfg(linear_damping=0.5),
    )  # fmt: skip
    cfg.func("{ENV_REGEX_NS}/robot", cfg, stage=stage)
    for i in range(3):
        link = stage.GetPrimAtPath(f"/World/envs/env_{i}/robot/link_1")
        assert authored(link, "physxRigidBody:linearDamping") == 0.5


def test_no_assets():
    cfg = spawners.MultiAssetSpawnerCfg(assets_cfg=[])
    with pytest.raises(ValueError, match="one asset or more"):
        cfg.func("/thing", cfg, stage=create_stage())


URDF = """<robot name="arm"><link name="base"><inertial><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="tip"><inertial><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="revolute"><parent link="base"/><child link="tip"/>
<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="5" velocity="2"/></joint></robot>"""
MJCF = """<mujoco model="arm"><worldbody><body name="tip"><joint name="hinge" axis="0 0 1"/>
<geom type="sphere" size="0.1" mass="2"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    ("cls", "name", "text"),
    [(UrdfFileCfg, "arm.urdf", URDF), (MjcfFileCfg, "arm.xml", MJCF)],
    ids=["urdf", "mjcf"],
)
def test_robot_files_are_converted_and_spawned(cls, name, text, tmp_path):
    (tmp_path / name).write_text(text)
    stage = environments(2)
    cfg = cls(
        asset_path=str(tmp_path / name), usd_dir=str(tmp_path / "out"),
        joint_drive_props=schemas.PhysxJointDrivePropertiesCfg(stiffness=10.0),
    )  # fmt: skip
    cfg.func("{ENV_REGEX_NS}/arm", cfg, (0.0, 0.0, 1.0), stage=stage)
    scene = parse_stage(stage, root="/World/envs/env_1").scene
    assert sum(body.mass for body in scene.bodies) >= 2.0 - 1e-6
    hinge = next(j for j in scene.joints if j.kind == "revolute")
    assert hinge.path.startswith("/World/envs/env_1/arm")


@pytest.mark.parametrize("name", ["robot.urdf", "robot.xml", "notes.md"])
def test_files_that_are_no_stages_are_to_be_converted(name, tmp_path):
    (tmp_path / name).write_text("<robot/>")
    cfg = spawners.UsdFileCfg(usd_path=str(tmp_path / name))
    stage = create_stage()
    with pytest.raises(OSError, match=r"is not a stage; .* usdsim\.convert"):
        cfg.func("/World/robot", cfg, stage=stage)
    assert not stage.GetPrimAtPath("/World/robot")
