"""MJCF exports compile to the model of their stage, and are written in full or not at all."""

from __future__ import annotations

import math
import shutil

import mujoco
import numpy as np
import pytest
from corpus_files import corpus_models
from pxr import Sdf, Usd, UsdGeom, UsdPhysics

import usdsim
from usdsim.core.errors import ConversionError, InvalidValueError, ParseError, StageError
from usdsim.exporters import export_mjcf, export_urdf
from usdsim.parser import parse_stage
from usdsim.testing import check_export, compare_models

# Numbers that six digits cannot hold, and an element of every kind that has a section.
TEXT = """<mujoco model="bot"><compiler angle="radian"/><option timestep="0.0033333333333333335"/>
<default><default class="tool"><geom rgba="0.1 0.2 0.3 1"/>
<tendon width="0.004" rgba="0.5 0.1 0 1"/></default>
</default>
<asset><texture name="sky" type="skybox" builtin="gradient" rgb1="1 1 1" width="8" height="48"/>
<texture name="grid" type="2d" builtin="checker" rgb1="0.1 0.2 0.3" rgb2="1 1 1" width="8"
 height="8"/><material name="tiles" texture="grid" texrepeat="3 3"/>
<mesh name="wedge" vertex="0 0 0 1 0 0 0 0.3333333333 0 0 0 1" scale="0.1 0.1 0.1"/>
<hfield name="hill" nrow="2" ncol="3" size="1 1 0.2 0.1" elevation="0 0.3 1 0.5 0.7 0.2"/></asset>
<worldbody><light name="sun" pos="0 0 3" dir="1 1 -4"/>
<camera name="eye" pos="1 2 3" fovy="33.3333333333"/>
<site name="root"/><geom name="floor" type="plane" size="1 1 1" material="tiles"/>
<geom type="hfield" hfield="hill"/>
<body name="arm" pos="0.1111111111111111 0 1" quat="1 2 3 4"><joint name="j" axis="1 2 3"
 range="-1.2345678901 2" limited="true" damping="0.1"/><geom name="ball" size="0.1" class="tool"/>
<geom name="shell" size="0.11" contype="0" conaffinity="0" group="2"/>
<body name="hand" pos="0 0 0.3"><joint name="slide" type="slide"/><site name="tip" size="0.01"/>
<geom type="mesh" mesh="wedge" contype="0" conaffinity="0" group="2"/>
<geom size="0.05 0.1" type="capsule"/></body></body>
<body name="box" pos="1 1 1"><freejoint name="free"/><geom type="box" size="0.1 0.2 0.3"/></body>
</worldbody>
<deformable><skin name="hide" vertex="0 0 0 1 0 0 0 0.3333333333 0" face="0 1 2">
<bone body="arm" bindpos="0.1234567 3.1862e-06 1.00570879" bindquat="1 0 0 0" vertid="0 1"
 vertweight="1 0.7654321"/><bone body="hand" bindpos="1 0 0" bindquat="0.6 0 0.8 0" vertid="2 1"
 vertweight="1 0.2345679"/></skin></deformable>
<tendon><fixed name="tie" class="tool"><joint joint="j" coef="0.7"/></fixed>
<spatial name="rope" width="0.002"><site site="root"/><site site="tip"/></spatial></tendon>
<equality><weld name="hold" body1="box" active="false"/><joint joint1="slide" joint2="j"
 polycoef="0 0.3333333333333333 0 0 0"/></equality>
<actuator><position name="m" joint="j" kp="33.33333333"/><motor tendon="tie"/></actuator>
<sensor><jointpos name="s" joint="j"/><framequat name="q" objtype="body" objname="hand"/></sensor>
<keyframe><key name="up" qpos="0.5 0.1 0 0 2 1 0 0 0" ctrl="0.25 0"/></keyframe>
<custom><numeric name="n" data="1 2.3333333333333335"/><text name="t" data="words"/></custom>
</mujoco>"""


@pytest.mark.parametrize("suffix", [".usda", ".usdc"])
def test_mjcf_to_usd_to_mjcf_is_the_same_model(tmp_path, suffix):
    source = tmp_path / "bot.xml"
    source.write_text(TEXT)
    stage = usdsim.convert(source, tmp_path / f"bot{suffix}")
    written = usdsim.convert(stage, tmp_path / "back" / "bot.xml")
    assert written == tmp_path / "back" / "bot.xml"
    expected, found = (mujoco.MjModel.from_xml_path(str(p)) for p in (source, written))
    assert compare_models(expected, found) == []
    np.testing.assert_array_equal(expected.body_pos, found.body_pos)
    np.testing.assert_array_equal(expected.eq_data, found.eq_data)
    np.testing.assert_allclose(expected.light_dir, found.light_dir, rtol=1e-15)
    assert check_export(stage, written) == []


def test_the_document_is_factored_and_has_short_numbers(tmp_path):
    (tmp_path / "bot.xml").write_text(TEXT)
    written = usdsim.convert(tmp_path / "bot.xml", tmp_path / "out.xml").read_text()
    assert 'class="visual"' in written
    assert 'damping="0.1"' in written
    assert 'rgba="0.1 0.2 0.3 1"' in written
    assert 'timestep="0.0033333333333333335"' in written


def _grid(path):
    """A wavy sheet closed to a solid: more vertices than a document should hold."""
    n = 6
    lines = [
        f"v {x / n} {y / n} {z + 0.1 * z * math.sin(x + y):.17g}"
        for z in (0, 1)
        for y in range(n)
        for x in range(n)
    ]
    faces = []
    for y in range(n - 1):
        for x in range(n - 1):
            a = y * n + x + 1
            for b, c in ((a + n + 1, a + 1), (a + n, a + n + 1)):
                faces.append((a, b, c))
                faces.append((a + n * n, c + n * n, b + n * n))
    rim = [*range(1, n), *range(n, n * n, n), *range(n * n, n * n - n + 1, -1),
           *range(n * n - n + 1, 1, -n)]  # fmt: skip
    for a, b in zip(rim, rim[1:] + rim[:1], strict=True):
        faces += [(a, b, b + n * n), (a, b + n * n, a + n * n)]
    path.write_text("\n".join(lines + [f"f {a} {b} {c}" for a, b, c in faces]) + "\n")


def _urdf(folder, friction=""):
    _grid(folder / "part.obj")
    mesh = '<geometry><mesh filename="part.obj" scale="0.1 0.1 0.1"/></geometry>'
    (folder / "arm.urdf").write_text(
        f"""<robot name="arm"><link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1"
        izz="1" ixy="0" ixz="0" iyz="0"/></inertial><visual>{mesh}</visual>
        <collision>{mesh}</collision></link><link name="tip"><inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="j" type="revolute"><parent link="base"/><child link="tip"/><axis xyz="0 1 0"/>
        <limit lower="-1" upper="2" effort="5" velocity="1"/>{friction}</joint></robot>"""
    )
    return folder / "arm.urdf"


def test_meshes_lie_beside_the_file_and_go_with_it(tmp_path):
    target = tmp_path / "out" / "arm.xml"
    source = _urdf(tmp_path)
    usdsim.convert(source, target)
    folder = tmp_path / "out" / "arm_assets"
    assert {file.suffix for file in folder.iterdir()} == {".obj"}
    assert check_export(source, target) == []
    # Another export replaces what was its predecessor's, and nothing else.
    (tmp_path / "out" / "notes.txt").write_text("mine")
    (tmp_path / "part.obj").write_text(
        (tmp_path / "part.obj").read_text().replace("v 0.5", "v 0.4")
    )
    usdsim.convert(source, target)
    assert len([p for p in (tmp_path / "out").iterdir() if p.is_dir()]) == 1
    assert (tmp_path / "out" / "notes.txt").read_text() == "mine"
    shutil.move(tmp_path / "out", tmp_path / "moved")
    assert check_export(source, tmp_path / "moved" / "arm.xml") == []


def test_tangents_of_meshes_come_back(tmp_path):
    """Points of a plate have a normal and two tangents each, so normals count in threes."""
    source = tmp_path / "bot.xml"
    source.write_text("""<mujoco><asset><mesh name="skin" builtin="plate" params="8 9"/></asset>
      <worldbody><geom type="mesh" mesh="skin" contype="0" conaffinity="0"/><body>
      <geom size="0.1"/></body></worldbody></mujoco>""")
    written = usdsim.convert(source, tmp_path / "back" / "bot.xml")
    assert [file.suffix for file in (tmp_path / "back" / "bot_assets").iterdir()] == [".obj"]
    expected, found = (mujoco.MjModel.from_xml_path(str(p)) for p in (source, written))
    assert compare_models(expected, found) == []
    assert (found.mesh_facenormal == 3 * found.mesh_face).all()


def test_texture_coordinates_at_an_edge_of_the_picture_come_back(tmp_path):
    """A file counts them from the other edge, from where 62 millionths have no seven digits."""
    grid = [(x, y, z) for z in (0, 1) for y in range(3) for x in range(3)]
    points, corners = " ".join(f"{x} {y} {z}" for x, y, z in grid), "0 1 3 1 4 3 0 3 9 0 9 1"
    texcoords = " ".join("6.1e-05 6.2e-05" for _ in grid)
    source = tmp_path / "bot.xml"
    source.write_text(f"""<mujoco><asset><mesh name="m" vertex="{points}" face="{corners}"
      texcoord="{texcoords}" inertia="shell"/></asset><worldbody><body><joint/>
      <geom type="mesh" mesh="m"/></body></worldbody></mujoco>""")
    usdsim.convert(source, tmp_path / "bot.usda")
    exported = export_mjcf(tmp_path / "bot.usda", tmp_path / "back" / "bot.xml")
    assert [file.suffix for file in (tmp_path / "back" / "bot_assets").iterdir()] == [".obj"]
    assert not exported.report.warnings
    found = mujoco.MjModel.from_xml_path(str(tmp_path / "back" / "bot.xml"))
    assert np.abs(found.mesh_texcoord - [6.1e-05, 6.2e-05]).max() < np.finfo(np.float32).eps


def _pendulum(angle=0.0, target=0.0):
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, "Z")
    UsdPhysics.Scene.Define(stage, "/Scene")
    body = UsdGeom.Xform.Define(stage, "/bob").GetPrim()
    UsdPhysics.RigidBodyAPI.Apply(body)
    ball = UsdGeom.Sphere.Define(stage, "/bob/ball")
    ball.CreateRadiusAttr(0.1)
    ball.AddTranslateOp().Set((0, 0, -1))
    UsdPhysics.CollisionAPI.Apply(ball.GetPrim())
    joint = UsdPhysics.RevoluteJoint.Define(stage, "/bob/hinge")
    joint.CreateAxisAttr("Y")
    joint.CreateBody1Rel().SetTargets(["/bob"])
    drive = UsdPhysics.DriveAPI.Apply(joint.GetPrim(), "angular")
    drive.CreateStiffnessAttr(10.0)
    drive.CreateDampingAttr(1.0)
    drive.CreateTargetPositionAttr(math.degrees(target))
    if angle:
        prim = joint.GetPrim()
        prim.AddAppliedSchema("PhysicsJointStateAPI:angular")
        name = "state:angular:physics:position"
        prim.CreateAttribute(name, Sdf.ValueTypeNames.Float).Set(math.degrees(angle))
    return stage


def test_drives_and_the_state_at_time_zero_are_exported(tmp_path):
    stage = _pendulum(angle=0.5, target=0.25)
    target = usdsim.convert(stage, tmp_path / "p.xml")
    model = mujoco.MjModel.from_xml_path(str(target))
    assert model.key("initial").qpos == pytest.approx([0.5])
    assert model.key("initial").ctrl[0] == pytest.approx(0.25)
    assert check_export(stage, target) == []
    # The law of the drive: kp (target - angle), with kp from degrees to radians.
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("initial").id)
    mujoco.mj_forward(model, data)
    assert data.qfrc_actuator[0] == pytest.approx(10.0 * 180.0 / math.pi * -0.25, rel=1e-6)


def test_keyframes_of_the_rest_pose_keep_their_places(tmp_path):
    source = tmp_path / "bot.xml"
    source.write_text("""<mujoco><worldbody><body><joint name="j"/><geom size="0.1"/></body>
      </worldbody><keyframe><key/><key qpos="0.5"/><key qpos="0"/><key name="home"/><key time="2"/>
      </keyframe></mujoco>""")
    written = usdsim.convert(source, tmp_path / "back" / "bot.xml")
    expected, found = (mujoco.MjModel.from_xml_path(str(p)) for p in (source, written))
    assert compare_models(expected, found) == []
    assert found.key_qpos.ravel().tolist() == [0.0, 0.5, 0.0, 0.0, 0.0]
    assert [found.key(i).name for i in range(5)] == ["", "", "", "home", ""]


def test_drives_without_force_are_exported(tmp_path):
    """They stay drives, whose commands do nothing."""
    stage = _pendulum(target=0.25)
    UsdPhysics.DriveAPI(stage.GetPrimAtPath("/bob/hinge"), "angular").CreateMaxForceAttr(0.0)
    target = export_mjcf(stage, tmp_path / "p.xml").path
    assert check_export(stage, target) == []
    model = mujoco.MjModel.from_xml_path(str(target))
    data = mujoco.MjData(model)
    data.ctrl[:] = 1.0
    mujoco.mj_forward(model, data)
    assert model.nactuator == 1 and abs(data.qfrc_actuator[0]) < 1e-12


def test_a_stage_at_rest_gets_no_keyframe(tmp_path):
    target = usdsim.convert(_pendulum(), tmp_path / "p.xml")
    assert mujoco.MjModel.from_xml_path(str(target)).nkey == 0


def _surfaced(**values):
    """The pendulum, whose ball has a material of these values."""
    stage = _pendulum()
    material = UsdPhysics.MaterialAPI.Apply(stage.DefinePrim("/surface", "Material")).GetPrim()
    for name, value in values.items():
        material.CreateAttribute(f"physics:{name}", Sdf.ValueTypeNames.Float).Set(value)
    ball = stage.GetPrimAtPath("/bob/ball")
    ball.AddAppliedSchema("MaterialBindingAPI")
    ball.CreateRelationship("material:binding:physics").SetTargets(["/surface"])
    return stage


def test_what_mjcf_cannot_say_is_named_and_refused_when_strict(tmp_path):
    stage = _surfaced(restitution=0.5)
    report = export_mjcf(stage, tmp_path / "a.xml").report
    assert [(f.code, f.where) for f in report.warnings] == [("no-restitution", "/bob/ball")]
    with pytest.raises(ConversionError, match=r"/bob/ball.*restitution 0\.5"):
        export_mjcf(stage, tmp_path / "b.xml", strict=True)
    assert not (tmp_path / "b.xml").exists()


def test_static_friction_is_a_warning_and_what_feels_it_is_left_out(tmp_path):
    stage = _surfaced(staticFriction=0.75, dynamicFriction=0.25)
    UsdPhysics.CollisionAPI.Apply(UsdGeom.Plane.Define(stage, "/floor").GetPrim())
    assert len(usdsim.load_model(stage).compiled.surfaces.sticking) == 1
    written = export_mjcf(stage, tmp_path / "a.xml")
    assert [(f.code, f.where) for f in written.report.warnings] == [
        ("no-static-friction", "/bob/ball")
    ]
    model = mujoco.MjModel.from_xml_path(str(written.path))
    assert model.nsensor == 0
    assert model.pair_friction[:, 0].tolist() == [0.375]
    assert check_export(stage, written.path) == []
    with pytest.raises(ConversionError, match=r"/bob/ball.*static friction 0\.75"):
        export_mjcf(stage, tmp_path / "b.xml", strict=True)


def test_a_source_is_not_written_over(tmp_path):
    (tmp_path / "bot.xml").write_text(TEXT)
    with pytest.raises(ConversionError, match="over its own source"):
        usdsim.convert(tmp_path / "bot.xml", tmp_path / "bot.xml")
    assert (tmp_path / "bot.xml").read_text() == TEXT


def test_options_of_the_wrong_kind_are_refused(tmp_path):
    with pytest.raises(InvalidValueError, match="merge_fixed"):
        usdsim.convert(_pendulum(), tmp_path / "p.xml", merge_fixed_joints=True)


_CHOSEN = ("dmc_manipulator", "mj_car", "mjw_hfield", "erd_bolt", "gs_cf2x")


def _corpus():
    found = []
    for kind in ("mjcf", "urdf"):
        for path in corpus_models(kind):
            chosen = any(name in path.parts for name in _CHOSEN)
            marks = () if chosen else pytest.mark.nightly
            found.append(pytest.param(path, marks=marks, id=path.parent.name))
    return found


@pytest.mark.parametrize("path", _corpus())
def test_corpus_comes_back(path, tmp_path):
    target = usdsim.convert(path, tmp_path / "back.xml")
    assert check_export(path, target) == []


@pytest.mark.parametrize("suffix", [".xml", ".urdf"])
def test_one_environment_of_many(tmp_path, suffix):
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, "Z")
    UsdPhysics.Scene.Define(stage, "/Scene")
    for number in range(3):
        box = UsdGeom.Cube.Define(stage, f"/World/envs/env_{number}/box")
        box.AddTranslateOp().Set((3.0 * number, 0.0, 1.0))
        UsdPhysics.RigidBodyAPI.Apply(box.GetPrim())
        UsdPhysics.CollisionAPI.Apply(box.GetPrim())
        UsdPhysics.MassAPI.Apply(box.GetPrim()).CreateMassAttr(1.0 + number)
    whole = usdsim.convert(stage, tmp_path / f"all{suffix}")
    one = usdsim.convert(stage, tmp_path / f"one{suffix}", env="/World/envs/env_1")
    models = [usdsim.load_model(path) for path in (whole, one)]
    assert [float(model.low.body_mass.sum()) for model in models] == pytest.approx([6.0, 2.0])
    with pytest.raises(StageError, match="env_9"):
        usdsim.convert(stage, tmp_path / f"none{suffix}", env="/World/envs/env_9")
    assert not (tmp_path / f"none{suffix}").exists()


def _foreign():
    """A stage as other tools write it: a loop, flat things to look at, a body moved by hand."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, "Z")
    for number, corners in enumerate(([3], [4])):
        mesh = UsdGeom.Mesh.Define(stage, f"/World/flat{number}")
        points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)][: corners[0]]
        mesh.CreatePointsAttr(points)
        mesh.CreateFaceVertexCountsAttr(corners)
        mesh.CreateFaceVertexIndicesAttr(list(range(corners[0])))
    for number in range(3):
        box = UsdGeom.Cube.Define(stage, f"/World/box{number}")
        box.CreateSizeAttr(0.2)
        box.AddTranslateOp().Set((0.5 * number, 0.0, 1.0))
        UsdPhysics.RigidBodyAPI.Apply(box.GetPrim()).CreateKinematicEnabledAttr(number == 2)
        UsdPhysics.CollisionAPI.Apply(box.GetPrim())
    for number, (kind, place) in enumerate(
        [("Revolute", -0.25), ("Prismatic", 0.25), ("Fixed", 0.0), ("Spherical", 0.1)]
    ):
        joint = getattr(UsdPhysics, f"{kind}Joint").Define(stage, f"/World/joint{number}")
        joint.CreateBody0Rel().SetTargets(["/World/box0"])
        joint.CreateBody1Rel().SetTargets(["/World/box1"])
        joint.CreateLocalPos0Attr((0.25, place, 0))
        joint.CreateLocalPos1Attr((-0.25, place, 0))
    return stage


def test_loops_flat_meshes_and_carrying_bodies_come_back(tmp_path):
    stage = _foreign()
    export = export_mjcf(stage, tmp_path / "scene.xml")
    assert check_export(stage, export.path) == []
    model = mujoco.MjModel.from_xml_path(str(export.path))
    assert (model.nmesh, model.neq) == (2, 3)
    (carrying,) = [f for f in export.report.findings if f.code == "no-carrying"]
    assert carrying.where == "/World/box2"
    assert not [f for f in export.report.findings if f.code == "model-differs"]


@pytest.mark.parametrize(
    ("points", "meshes"),
    [
        ([(0, 0, 0), (1e-3, 0, 0), (0, 1e-4, 0), (0, 0, 8e-9)], 1),  # A sliver of a drawing.
        ([(0, 0, 0), (1e-5, 0, 0), (0, 1e-5, 0), (0, 0, 1e-5)], 1),
        ([(0, 0, 0), (1e-8, 0, 0), (0, 1e-8, 0), (0, 0, 1e-8)], 0),
        ([(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)], 0),
    ],
)
def test_meshes_that_are_hardly_seen_do_not_keep_a_stage_from_its_export(points, meshes, tmp_path):
    """The engine takes no volume or area below 1e-15; what is only looked at need not have one."""
    stage = _pendulum()
    mesh = UsdGeom.Mesh.Define(stage, "/bob/seen")
    mesh.CreatePointsAttr(points)
    mesh.CreateFaceVertexCountsAttr([3] * 4)
    mesh.CreateFaceVertexIndicesAttr([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3])
    export = export_mjcf(stage, tmp_path / "p.xml")
    assert check_export(stage, export.path) == []
    assert mujoco.MjModel.from_xml_path(str(export.path)).nmesh == meshes
    left_out = parse_stage(stage, exact=True).report.by_code("degenerate-mesh")
    assert [f.path for f in left_out] == ["/bob/seen"] * (1 - meshes)


def test_locked_axes_largest_speeds_and_forces_over_time_are_told(tmp_path):
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, "Z")
    box = UsdGeom.Cube.Define(stage, "/box").GetPrim()
    UsdPhysics.RigidBodyAPI.Apply(box)
    UsdPhysics.CollisionAPI.Apply(box)
    box.AddAppliedSchema("PhysxRigidBodyAPI")
    box.AddAppliedSchema("PhysxForceAPI")
    box.CreateAttribute("physxRigidBody:lockedRotAxis", Sdf.ValueTypeNames.Int).Set(7)
    name = "physxRigidBody:enableGyroscopicForces"
    box.CreateAttribute(name, Sdf.ValueTypeNames.Bool).Set(False)
    name = "physxRigidBody:maxLinearVelocity"
    box.CreateAttribute(name, Sdf.ValueTypeNames.Float).Set(2.0)
    force = box.CreateAttribute("physxForce:force", Sdf.ValueTypeNames.Vector3f)
    for code in (0.0, 10.0):
        force.Set((0.0, code, 0.0), code)
    told = {f.code: f.where for f in export_mjcf(stage, tmp_path / "box.xml").report.findings}
    assert told["no-locks"] == told["no-gyroscopy"] == told["no-speed-limit"] == "/box"
    assert told["no-samples"] == "/box:force:transY"
    told = {f.code: f.where for f in export_urdf(stage, tmp_path / "box.urdf").report.findings}
    assert told["locks"] == told["gyroscopy"] == told["speed-limit"] == "/box"


def test_lengths_of_distance_joints_keep_all_digits(tmp_path):
    stage = _foreign()
    rope = UsdPhysics.DistanceJoint.Define(stage, "/World/rope")
    rope.CreateBody0Rel().SetTargets(["/World/box0"])
    rope.CreateBody1Rel().SetTargets(["/World/box1"])
    rope.CreateLocalPos0Attr((0.123456789, 0.1, 0.2))
    rope.CreateMaxDistanceAttr(2.0)
    export = export_mjcf(stage, tmp_path / "scene.xml")
    written = mujoco.MjModel.from_xml_path(str(export.path))
    expected = usdsim.load_model(stage, exact=True).low
    np.testing.assert_array_equal(written.tendon_lengthspring, expected.tendon_lengthspring)


def test_motion_and_targets_that_vary_over_time_are_told(tmp_path):
    stage = _pendulum()
    lift = UsdGeom.Cube.Define(stage, "/lift")
    UsdPhysics.RigidBodyAPI.Apply(lift.GetPrim()).CreateKinematicEnabledAttr(True)
    hinge = next(p for p in stage.Traverse() if p.IsA(UsdPhysics.RevoluteJoint))
    target = UsdPhysics.DriveAPI.Apply(hinge, "angular").CreateTargetPositionAttr()
    height = lift.AddTranslateOp()
    for code in (0.0, 10.0):
        target.Set(code, code)
        height.Set((3.0, 0.0, code), code)
    for export, code in ((export_mjcf, "no-samples"), (export_urdf, "samples")):
        path = tmp_path / f"arm.{'xml' if export is export_mjcf else 'urdf'}"
        told = [f.where for f in export(stage, path).report.findings if f.code == code]
        assert told == ["/lift", str(hinge.GetPath())]


@pytest.mark.parametrize("kind", ["Revolute", "Prismatic"])
def test_largest_speeds_of_joints_are_told(kind, tmp_path):
    """URDF has them; MJCF has not."""
    stage = Usd.Stage.CreateInMemory()
    for name in ("base", "arm"):
        prim = UsdGeom.Xform.Define(stage, f"/{name}").GetPrim()
        UsdPhysics.RigidBodyAPI.Apply(prim)
        UsdPhysics.MassAPI.Apply(prim).CreateMassAttr(1.0)
    joint = getattr(UsdPhysics, f"{kind}Joint").Define(stage, "/joint")
    joint.CreateBody0Rel().SetTargets(["/base"])
    joint.CreateBody1Rel().SetTargets(["/arm"])
    name = "newton:velocityLimit"
    joint.GetPrim().CreateAttribute(name, Sdf.ValueTypeNames.Float).Set(2.0)
    (told,) = export_mjcf(stage, tmp_path / "arm.xml").report.findings
    assert (told.code, told.where) == ("no-speed-limit", "/joint")
    findings = export_urdf(stage, tmp_path / "arm.urdf").report.findings
    assert "speed-limit" not in {finding.code for finding in findings}


def test_drives_whose_force_falls_with_speed_are_told(tmp_path):
    stage = Usd.Stage.CreateInMemory()
    for name in ("base", "arm"):
        prim = UsdGeom.Xform.Define(stage, f"/{name}").GetPrim()
        UsdPhysics.RigidBodyAPI.Apply(prim)
        UsdPhysics.MassAPI.Apply(prim).CreateMassAttr(1.0)
    hinge = UsdPhysics.RevoluteJoint.Define(stage, "/hinge")
    hinge.CreateBody0Rel().SetTargets(["/base"])
    hinge.CreateBody1Rel().SetTargets(["/arm"])
    UsdPhysics.DriveAPI.Apply(hinge.GetPrim(), "angular").CreateMaxForceAttr(5.0)
    name = "physxDrivePerformanceEnvelope:angular:maxActuatorVelocity"
    hinge.GetPrim().CreateAttribute(name, Sdf.ValueTypeNames.Float).Set(90.0)
    for export, code in ((export_mjcf, "no-envelope"), (export_urdf, "envelope")):
        target = tmp_path / f"arm.{'xml' if export is export_mjcf else 'urdf'}"
        told = {finding.code: finding.where for finding in export(stage, target).report.findings}
        assert told[code] == "/hinge"


def test_moving_surfaces_of_meshes_come_back(tmp_path):
    stage = _foreign()
    prim = stage.GetPrimAtPath("/World/box2")
    assert prim
    mesh = UsdGeom.Mesh.Define(stage, "/World/box2/wedge")
    mesh.CreatePointsAttr([(0, 0, 0), (1, 0, 0), (0, 2, 0), (3, 1, 2)])
    mesh.CreateFaceVertexCountsAttr([3] * 4)
    mesh.CreateFaceVertexIndicesAttr([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3])
    UsdPhysics.CollisionAPI.Apply(mesh.GetPrim())
    UsdPhysics.MeshCollisionAPI.Apply(mesh.GetPrim()).CreateApproximationAttr("convexHull")
    prim.AddAppliedSchema("PhysxSurfaceVelocityAPI")
    for name, value in (("Velocity", (0.1, 0.2, 0.3)), ("AngularVelocity", (10, 20, 30))):
        attribute = f"physxSurfaceVelocity:surface{name}"
        prim.CreateAttribute(attribute, Sdf.ValueTypeNames.Vector3f).Set(value)
    model = usdsim.load_model(stage).low
    written = export_mjcf(stage, tmp_path / "scene.xml").path
    expected, found = (
        low.geom_surfacevel[low.geom_surfacevel.any(axis=1)]
        for low in (model, mujoco.MjModel.from_xml_path(str(written)))
    )
    assert len(expected) == 2  # of the box, and of the mesh, which has a frame of its own
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_soft_bodies_come_back(tmp_path):
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, "Z")
    stage.DefinePrim("/World/Soft", "Xform").AddAppliedSchema("OmniPhysicsDeformableBodyAPI")
    mesh = UsdGeom.TetMesh.Define(stage, "/World/Soft/sim")
    mesh.CreatePointsAttr([(0, 0, 1), (1, 0, 1), (0, 1, 1), (0, 0, 2)])
    mesh.CreateTetVertexIndicesAttr([(0, 1, 2, 3)])
    mesh.GetPrim().AddAppliedSchema("OmniPhysicsVolumeDeformableSimAPI")
    export = export_mjcf(stage, tmp_path / "soft.xml")
    assert check_export(stage, export.path) == []
    assert mujoco.MjModel.from_xml_path(str(export.path)).nflex == 1


@pytest.mark.nightly
@pytest.mark.parametrize("path", corpus_models("usd"), ids=lambda path: path.stem)
def test_stages_of_others_come_back(path, tmp_path):
    try:
        export = export_mjcf(path, tmp_path / "back.xml")
    except ParseError:
        pytest.skip("nothing to simulate")
    warned = {
        f.message.partition("[")[0] for f in export.report.findings if f.code == "model-differs"
    }
    differing = {line.partition("[")[0] for line in check_export(path, export.path)}
    assert differing == warned
    assert differing <= {"dof_damping", "flex_bending"}
