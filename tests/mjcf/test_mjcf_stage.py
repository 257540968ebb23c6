"""What a converted stage says to tools that know standard USD."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest
from mjcf_features import FEATURES
from mjcf_law import compile_source, convert, reload, round_trip, without_mujoco
from pxr import Usd, UsdGeom, UsdLux, UsdPhysics, UsdShade, UsdValidation

from usdsim.engine import compile_scene
from usdsim.math.inertia import mesh_mass
from usdsim.parser import parse_stage

ARM = """<mujoco model="arm"><worldbody><body name="a" pos="0 0 1"><joint name="j" axis="0 1 0"
  range="-90 60" ref="30" damping="2" armature=".1"/><geom name="g" type="capsule" size=".05 .3"/>
  <body name="b" pos="0 0 .5" quat="1 .2 .3 .1"><joint name="s" type="slide" axis="1 1 0"
  range="-1 2"/><geom type="box" size=".1 .05 .02" pos=".1 0 0"/></body></body></worldbody>
  <actuator><position name="servo" joint="j" kp="20" kv="3" forcerange="-5 5" gear="2"/></actuator>
  </mujoco>"""


@pytest.fixture
def arm():
    return convert(ARM)


def _joint(stage, name):
    return next(p for p in stage.Traverse() if p.IsA(UsdPhysics.Joint) and p.GetName() == name)


def _mass_matrix(model):
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    return full, data


@pytest.mark.parametrize("name", FEATURES)
def test_validators_find_no_error(name, tmp_path):
    stage = reload(FEATURES[name], tmp_path)
    every = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    # Rules of usdsim warn of what sources may mean, such as welds that pull bodies together.
    validators = [v for v in every if not v.GetMetadata().name.startswith("usdsim.")]
    errors = UsdValidation.ValidationContext(validators).Validate(stage)
    assert [error.GetMessage() for error in errors] == []
    assert [prim.GetPath() for prim in stage.Traverse() if not prim.GetTypeName()] == []


def test_opens_without_usdsim(tmp_path):
    reload(ARM, tmp_path)
    script = (
        "import sys; from pxr import Usd, UsdPhysics\n"
        "stage = Usd.Stage.Open(sys.argv[1])\n"
        "bodies = [p for p in stage.Traverse() if p.HasAPI(UsdPhysics.RigidBodyAPI)]\n"
        "assert 'usdsim' not in sys.modules\n"
        "assert len(bodies) == 2 and not stage.GetCompositionErrors()\n"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "model.usdc")], check=True)


@pytest.mark.parametrize(
    "name",
    ["several_joints", "nested_frames", "ball", "inertial_euler", "full_inertia", "static_child",
     "massless_collider", "inertia_group", "total_mass", "frame_scale", "hinge", "weld"],
)  # fmt: skip
def test_standard_schemas_carry_the_mechanism(name):
    first = compile_source(FEATURES[name])
    stage = without_mujoco(convert(FEATURES[name]))
    second = compile_scene(parse_stage(stage).scene).mj
    mine, theirs = _mass_matrix(first), _mass_matrix(second)
    np.testing.assert_allclose(theirs[0], mine[0], rtol=1e-4, atol=1e-6)
    assert second.body_mass.sum() == pytest.approx(first.body_mass.sum(), rel=1e-6)


def test_limits_count_from_the_authored_pose(arm):
    joint = UsdPhysics.RevoluteJoint(_joint(arm, "j"))
    # MuJoCo's position is 30 degrees in that pose, USD's is 0.
    assert joint.GetLowerLimitAttr().Get() == pytest.approx(-120)
    assert joint.GetUpperLimitAttr().Get() == pytest.approx(30)


def test_joint_frames_meet(arm):
    joint = UsdPhysics.Joint(_joint(arm, "s"))
    cache = UsdGeom.XformCache()
    points = []
    for body, position in (
        (joint.GetBody0Rel(), joint.GetLocalPos0Attr()),
        (joint.GetBody1Rel(), joint.GetLocalPos1Attr()),
    ):
        matrix = cache.GetLocalToWorldTransform(arm.GetPrimAtPath(body.GetTargets()[0]))
        points.append(np.array(matrix.Transform(position.Get())))
    np.testing.assert_allclose(points[0], points[1], atol=1e-6)


def test_servo_is_a_drive_per_degree(arm):
    drive = UsdPhysics.DriveAPI(_joint(arm, "j"), "angular")
    # Gear 2 acts twice: on the position error and on the force.
    assert drive.GetStiffnessAttr().Get() == pytest.approx(20 * 4 * math.pi / 180)
    assert drive.GetDampingAttr().Get() == pytest.approx(3 * 4 * math.pi / 180)
    assert drive.GetMaxForceAttr().Get() == pytest.approx(10)


def test_newton_values_have_newtons_units(arm):
    prim = _joint(arm, "j")
    assert prim.GetAttribute("newton:damping").Get() == pytest.approx(2 * math.pi / 180)
    assert prim.GetAttribute("newton:armature").Get() == pytest.approx(0.1)


def test_bodies_without_mass_get_none():
    stage = convert(FEATURES["static_child"])
    frame = next(p for p in stage.Traverse() if p.GetName() == "c")
    assert not frame.HasAPI(UsdPhysics.RigidBodyAPI)
    assert not frame.HasAPI(UsdPhysics.MassAPI)
    welded = next(p for p in stage.Traverse() if p.GetName() == "b")
    assert welded.HasAPI(UsdPhysics.RigidBodyAPI)
    assert any(child.IsA(UsdPhysics.FixedJoint) for child in welded.GetChildren())


def test_masks_become_groups_that_filter_the_same_pairs():
    model, stage = compile_source(FEATURES["masks"]), convert(FEATURES["masks"])
    groups = [
        UsdPhysics.CollisionGroup(p) for p in stage.Traverse() if p.IsA(UsdPhysics.CollisionGroup)
    ]
    member = {}
    for group in groups:
        for path in group.GetCollidersCollectionAPI().GetIncludesRel().GetTargets():
            member[str(path)] = group
    geoms = sorted(member)
    assert len(geoms) == 4
    index = {path: i for i, path in enumerate(
        str(p.GetPath()) for p in stage.Traverse() if p.IsA(UsdGeom.Sphere)
    )}  # fmt: skip
    for a in geoms:
        for b in geoms:
            i, j = index[a], index[b]
            collide = bool(
                model.geom_contype[i] & model.geom_conaffinity[j]
                or model.geom_contype[j] & model.geom_conaffinity[i]
            )
            filtered = member[b].GetPath() in member[a].GetFilteredGroupsRel().GetTargets()
            assert filtered == (not collide)


def test_cameras_and_lights_are_standard():
    stage = convert(FEATURES["camera"])
    camera = UsdGeom.Camera(next(p for p in stage.Traverse() if p.GetName() == "c")).GetCamera()
    assert camera.GetFieldOfView(camera.FOVVertical) == pytest.approx(30, rel=1e-5)
    lit = convert(FEATURES["light"])
    lights = [p for p in lit.Traverse() if p.HasAPI(UsdLux.LightAPI)]
    assert [p.GetTypeName() for p in lights] == ["SphereLight", "DistantLight", "SphereLight"]


def test_materials_are_bound_and_textured(tmp_path):
    stage = reload(FEATURES["material"], tmp_path)
    sphere = next(p for p in stage.Traverse() if p.IsA(UsdGeom.Sphere))
    material, _ = UsdShade.MaterialBindingAPI(sphere).ComputeBoundMaterial()
    assert material.GetPrim().GetName() == "m"
    shader = material.ComputeSurfaceSource()[0]
    assert shader.GetIdAttr().Get() == "UsdPreviewSurface"
    assert shader.GetInput("roughness").Get() == pytest.approx(0.6)
    picture = next(p for p in stage.Traverse() if p.GetName() == "Texture")
    file = UsdShade.Shader(picture).GetInput("file").Get().resolvedPath
    assert file.endswith(".png")
    assert Path(file).read_bytes().startswith(b"\x89PNG")


def test_meshes_are_drawn_where_they_collide(tmp_path):
    # The drawn corners, through the transform, are the compiled geom's corners in the world.
    source = FEATURES["mesh_moved"]
    model, stage = compile_source(source), reload(source, tmp_path)
    prim = next(p for p in stage.Traverse() if p.IsA(UsdGeom.Mesh))
    matrix = np.array(UsdGeom.XformCache().GetLocalToWorldTransform(prim))
    points = np.array(UsdGeom.Mesh(prim).GetPointsAttr().Get(), np.float64)
    drawn = points @ matrix[:3, :3] + matrix[3, :3]
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    solid = model.mesh_vert @ data.geom_xmat[0].reshape(3, 3).T + data.geom_xpos[0]
    order = [np.lexsort(np.round(a, 4).T) for a in (drawn, solid)]
    np.testing.assert_allclose(drawn[order[0]], solid[order[1]], atol=1e-5)


def test_a_free_joint_holds_its_body_in_no_tool(tmp_path):
    source = """<mujoco><worldbody><body name="b"><joint name="root" type="free" armature=".2"/>
      <geom size=".1"/><body><joint name="hinge"/><geom size=".1" pos="1 0 0"/></body></body>
      </worldbody></mujoco>"""
    stage = reload(source, tmp_path)
    enabled = [
        p.GetName()
        for p in stage.Traverse()
        if p.IsA(UsdPhysics.Joint) and UsdPhysics.Joint(p).GetJointEnabledAttr().Get()
    ]
    assert enabled == ["hinge"]
    model, _ = round_trip(stage)
    assert model.joint("root").type[0] == int(mujoco.mjtJoint.mjJNT_FREE)
    np.testing.assert_array_equal(model.dof_armature[:6], 0.2)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_mimic_relations_lead_to_a_joint_that_follows_none(order):
    rows = ['<joint joint1="b" joint2="a" polycoef="0.1 2 0 0 0"/>',
            '<joint joint1="c" joint2="b" polycoef="0.2 -3 0 0 0"/>']  # fmt: skip
    bodies = "".join(
        f'<body><joint name="{name}" type="{kind}"/><geom size=".1"/></body>'
        for name, kind in (("a", "hinge"), ("b", "slide"), ("c", "hinge"))
    )
    source = f"""<mujoco><worldbody>{bodies}</worldbody><equality>{rows[order[0]]}{rows[order[1]]}
      </equality></mujoco>"""
    stage = convert(source)
    found = {}
    for name in ("b", "c"):
        prim = _joint(stage, name)
        (leader,) = prim.GetRelationship("newton:mimicJoint").GetTargets()
        values = [prim.GetAttribute(f"newton:mimicCoef{i}").Get() for i in (0, 1)]
        found[name] = (leader.name, *values)
    assert found["b"] == ("a", pytest.approx(0.1), pytest.approx(2.0))
    # c = 0.2 - 3 b, and b = 0.1 + 2 a.
    assert found["c"] == ("a", pytest.approx(math.degrees(-0.1)), pytest.approx(-6.0))
    np.testing.assert_array_equal(round_trip(stage)[0].eq_obj2id, compile_source(source).eq_obj2id)


def test_mimic_relations_in_a_circle_name_the_joint_they_are_about():
    bodies = "".join(f'<body><joint name="{n}"/><geom size=".1"/></body>' for n in "ab")
    stage = convert(
        f"""<mujoco><worldbody>{bodies}</worldbody><equality><joint joint1="a" joint2="b"/>
        <joint joint1="b" joint2="a"/></equality></mujoco>"""
    )
    for name, leader in (("a", "b"), ("b", "a")):
        targets = _joint(stage, name).GetRelationship("newton:mimicJoint").GetTargets()
        assert [path.name for path in targets] == [leader]


@pytest.mark.parametrize("name", ["hfield", "hfield_flat"])
def test_terrain_is_drawn_as_a_solid(name):
    model, stage = compile_source(FEATURES[name]), convert(FEATURES[name])
    prim = next(p for p in stage.Traverse() if p.IsA(UsdGeom.Mesh))
    points = np.array(prim.GetAttribute("points").Get(), np.float64)
    faces = np.array(prim.GetAttribute("faceVertexIndices").Get()).reshape(-1, 3)
    edges = [tuple(edge) for face in faces for edge in zip(face, np.roll(face, -1), strict=True)]
    assert len(set(edges)) == len(edges)
    assert {edge[::-1] for edge in edges} == set(edges)
    rows, columns = int(model.hfield_nrow[0]), int(model.hfield_ncol[0])
    half_x, half_y, top, base = model.hfield_size[0]
    heights = model.hfield_data.reshape(rows, columns) * top + base
    first, last = (heights[:-1, :-1], heights[1:, 1:]), (heights[:-1, 1:], heights[1:, :-1])
    mean = sum(2.0 * h for h in first) + sum(last)
    cell = 4.0 * half_x * half_y / ((rows - 1) * (columns - 1))
    solid = mesh_mass(1.0, points, faces)
    assert solid.mass == pytest.approx(cell * mean.sum() / 6.0, rel=1e-6)
    corners = points[faces]
    outward = np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))
    assert outward > 0.0


def test_odd_names_stay_readable():
    stage = convert(FEATURES["odd_names"])
    names = {p.GetAttribute("usdsim:sourceName").Get(): p for p in stage.Traverse()}
    assert names["left/arm"].GetName() == "left_arm"
    assert names["left/arm"].GetDisplayName() == "left/arm"
    assert names["robot0:j"].GetName() == "robot0_j"
    assert names["Physics"].GetPath() != stage.GetDefaultPrim().GetPath().AppendChild("Physics")


def test_files_are_smaller_than_their_sources(corpus, tmp_path):
    source = corpus / "mjcf" / "mjlab_go1"
    stage_size = 0
    reload(next(source.rglob("go1.xml")), tmp_path)
    for file in tmp_path.rglob("*"):
        stage_size += file.stat().st_size if file.is_file() else 0
    assert stage_size < sum(file.stat().st_size for file in source.rglob("*") if file.is_file())


@pytest.mark.parametrize(
    ("attribute", "value", "array", "expected"),
    [
        ("physics:upperLimit", 45.0, "jnt_range", [math.radians(-90), math.radians(75)]),
        ("physics:localPos1", (0.0, 0.0, 0.25), "jnt_pos", [0, 0, 0.25]),
    ],
)
def test_an_edited_joint_is_not_undone(arm, attribute, value, array, expected):
    _joint(arm, "j").GetAttribute(attribute).Set(value)
    model, result = round_trip(arm)
    np.testing.assert_allclose(getattr(model, array)[0], expected, atol=1e-5)
    assert not result.report.by_code("conflict")


def test_an_edited_mass_is_not_undone(arm):
    body = next(p for p in arm.Traverse() if p.GetName() == "b")
    body.GetAttribute("physics:mass").Set(7.0)
    model, _ = round_trip(arm)
    assert model.body("b").mass[0] == pytest.approx(7.0)


def test_a_moved_or_resized_shape_is_not_undone():
    stage = convert(FEATURES["spare_sizes"])
    sphere = UsdGeom.Sphere(next(p for p in stage.Traverse() if p.IsA(UsdGeom.Sphere)))
    sphere.GetRadiusAttr().Set(0.5)
    sphere.GetPrim().GetAttribute("xformOp:translate").Set((1.0, 2.0, 3.0))
    model, _ = round_trip(stage)
    np.testing.assert_allclose(model.geom_size[0], [0.5, 0.2, 0.3])
    np.testing.assert_allclose(model.geom_pos[0], [1, 2, 3])


def test_two_robots_on_one_stage(tmp_path):
    reload(FEATURES["spatial_tendon"], tmp_path)
    stage = Usd.Stage.CreateInMemory()
    UsdPhysics.SetStageKilogramsPerUnit(stage, 1)
    UsdGeom.SetStageUpAxis(stage, "Z")
    UsdGeom.SetStageMetersPerUnit(stage, 1)
    for i in range(2):
        prim = UsdGeom.Xform.Define(stage, f"/World/robot{i}").GetPrim()
        prim.GetReferences().AddReference(str(tmp_path / "model.usdc"))
        UsdGeom.Xformable(prim).AddTranslateOp().Set((5.0 * i, 0, 0))
    model, _ = round_trip(stage)
    single = compile_source(FEATURES["spatial_tendon"])
    assert (model.njnt, model.ntendon, model.ngeom) == (
        2 * single.njnt, 2 * single.ntendon, 2 * single.ngeom,
    )  # fmt: skip


def test_a_robot_in_another_scene_moves_as_its_source(tmp_path):
    """References bring the robot alone, without the scene that names units of its file."""
    source = ARM.replace('ref="30"', 'ref="30" springref="20" stiffness="3"')
    robot = tmp_path / "arm.usda"
    converted = convert(source)  # A layer does not outlive its stage.
    converted.GetRootLayer().Export(str(robot))
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdPhysics.Scene.Define(stage, "/scene")
    stage.DefinePrim("/world/robot", "Xform").GetReferences().AddReference(str(robot))
    expected = mujoco.MjModel.from_xml_string(source)
    found = compile_scene(parse_stage(stage).scene).mj
    for name in ("qpos0", "qpos_spring", "jnt_range", "jnt_stiffness", "jnt_axis", "dof_damping"):
        np.testing.assert_allclose(
            getattr(found, name), getattr(expected, name), atol=1e-12, err_msg=name
        )


@pytest.mark.parametrize("pose", ["", 'relpose="0 .5 .4 .8 0 .6 0"'])
def test_frames_of_welds_meet_where_the_source_holds_them(pose):
    source = f"""<mujoco><worldbody><body name="a"><freejoint/><geom size=".1"/></body>
      <body name="b" pos="1 0 0"><freejoint/><geom size=".1"/></body></worldbody>
      <equality><weld name="w" body1="a" body2="b" anchor="-.3 .2 0" {pose}/></equality></mujoco>"""
    stage = convert(source)
    bare = without_mujoco(stage)
    _joint(bare, "w").RemoveAppliedSchema("MjcEqualityWeldAPI")
    own = mujoco.MjModel.from_xml_string(source)
    errors = []
    for model in (own, compile_scene(parse_stage(bare).scene).mj):
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        errors.append(data.efc_pos[:3])
    # Sites and bodies measure positions alike, turns on scales of their own.
    np.testing.assert_allclose(errors[1], errors[0], atol=1e-6)
