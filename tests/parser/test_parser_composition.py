"""Instances, payloads, variants, references: the composed stage is what counts."""

import numpy as np
import pytest
from parser_builders import body, by_path, joint, new_stage, parse, place, shape
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from usdsim.parser import parse_stage


def robot_file(folder):
    """A link with a collider, hinged to the world of whoever references it."""
    path = str(folder / "robot.usda")
    stage = Usd.Stage.CreateNew(path)
    top = UsdGeom.Xform.Define(stage, "/robot").GetPrim()
    stage.SetDefaultPrim(top)
    body(stage, "/robot/base", mass=None)
    shape(stage, "/robot/base/c", size=1.0)
    body(stage, "/robot/arm", (0, 0, 1))
    joint(stage, "/robot/j", "Revolute", "/robot/base", "/robot/arm", localPos0=(0, 0, 1))
    stage.GetRootLayer().Save()
    return path


def test_instances_are_bodies_each(tmp_path):
    path = robot_file(tmp_path)
    stage = new_stage()
    for i in range(2):
        prim = UsdGeom.Xform.Define(stage, f"/r{i}").GetPrim()
        prim.GetReferences().AddReference(path)
        prim.SetInstanceable(True)
        place(prim, (3 * i, 0, 0))
    scene = parse(stage)
    assert [b.path for b in scene.bodies] == ["/r0/base", "/r0/arm", "/r1/base", "/r1/arm"]
    assert [b.parent for b in scene.bodies] == [-1, 0, -1, 2]
    np.testing.assert_allclose(scene.bodies[3].initial_pose_w.pos, [3, 0, 1])
    assert [g.path for g in scene.geoms] == ["/r0/base/c", "/r1/base/c"]
    assert scene.bodies[2].mass == pytest.approx(1000.0)


def test_instanceable_shapes_share_their_mesh(tmp_path):
    path = str(tmp_path / "shape.usda")
    library = Usd.Stage.CreateNew(path)
    top = UsdGeom.Xform.Define(library, "/shape").GetPrim()
    library.SetDefaultPrim(top)
    prim = shape(library, "/shape/mesh", "Mesh")
    prim.GetAttribute("points").Set([Gf.Vec3f(*map(float, p)) for p in np.eye(4, 3)])
    prim.GetAttribute("faceVertexCounts").Set([3, 3, 3, 3])
    prim.GetAttribute("faceVertexIndices").Set([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3])
    library.GetRootLayer().Save()
    stage = new_stage()
    for i in range(3):
        body(stage, f"/b{i}", mass=None)
        prim = UsdGeom.Xform.Define(stage, f"/b{i}/shape").GetPrim()
        prim.GetReferences().AddReference(path)
        prim.SetInstanceable(True)
    scene = parse(stage)
    assert len(scene.meshes) == 1
    np.testing.assert_allclose([b.mass for b in scene.bodies], 1000 / 6)


def test_payloads(tmp_path):
    path = robot_file(tmp_path)
    layer = Sdf.Layer.CreateNew(str(tmp_path / "scene.usda"))
    stage = Usd.Stage.Open(layer)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, "Z")
    UsdGeom.Xform.Define(stage, "/r").GetPrim().GetPayloads().AddPayload(path)
    layer.Save()
    assert len(parse_stage(str(tmp_path / "scene.usda")).scene.bodies) == 2
    stage = Usd.Stage.Open(layer, Usd.Stage.LoadNone)
    shape(stage, "/ground")
    assert parse(stage).bodies == ()
    stage.Load("/r")
    assert len(parse(stage).bodies) == 2


def test_variants():
    stage = new_stage()
    prim = body(stage, "/b", mass=None)
    variants = prim.GetVariantSets().AddVariantSet("load")
    for name, mass in (("light", 1.0), ("heavy", 10.0)):
        variants.AddVariant(name)
        variants.SetVariantSelection(name)
        with variants.GetVariantEditContext():
            UsdPhysics.MassAPI.Apply(prim).CreateMassAttr(mass)
    assert parse(stage).bodies[0].mass == 10.0
    variants.SetVariantSelection("light")
    assert parse(stage).bodies[0].mass == 1.0


def test_overrides_in_stronger_layers_win():
    stage = new_stage()
    body(stage, "/b", mass=2.0)
    stage.SetEditTarget(stage.GetSessionLayer())
    UsdPhysics.MassAPI(stage.GetPrimAtPath("/b")).GetMassAttr().Set(5.0)
    assert parse(stage).bodies[0].mass == 5.0


def test_inactive_prims_and_classes_are_not_there():
    stage = new_stage()
    body(stage, "/a")
    body(stage, "/off").SetActive(False)
    stage.CreateClassPrim("/proto")
    body(stage, "/proto/b")
    assert [b.path for b in parse(stage).bodies] == ["/a"]


def test_blocked_values_are_unauthored():
    stage = new_stage()
    prim = body(stage, "/b", mass=2.0)
    shape(stage, "/b/c", size=1.0)
    stage.SetEditTarget(stage.GetSessionLayer())
    UsdPhysics.MassAPI(prim).GetMassAttr().Block()
    assert parse(stage).bodies[0].mass == pytest.approx(1000.0)


def test_time_samples_give_the_first_pose():
    stage = new_stage()
    prim = body(stage, "/b")
    xform = UsdGeom.Xformable(prim)
    xform.ClearXformOpOrder()
    op = xform.AddTranslateOp(UsdGeom.XformOp.PrecisionDouble, "moving")
    op.Set(Gf.Vec3d(1, 2, 3), 0.0)
    op.Set(Gf.Vec3d(4, 5, 6), 10.0)
    np.testing.assert_allclose(parse(stage).bodies[0].initial_pose_w.pos, [1, 2, 3])


def test_reset_transform_stacks():
    stage = new_stage()
    body(stage, "/a", (5, 0, 0))
    inner = body(stage, "/a/b", (1, 0, 0))
    UsdGeom.Xformable(inner).SetResetXformStack(True)
    shape(stage, "/a/b/c", pos=(0, 1, 0))
    scene = parse(stage)
    np.testing.assert_allclose(by_path(scene.bodies)["/a/b"].initial_pose_w.pos, [1, 0, 0])
    np.testing.assert_allclose(scene.geoms[0].pose.pos, [0, 1, 0])
