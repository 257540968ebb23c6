"""Drafts say what OpenUSD's own schema classes author, letter by letter."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics, UsdShade

from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.math.rotations import quat_from_axis_angle
from usdsim.math.transforms import Pose
from usdsim.usd import drafts
from usdsim.usd.attributes import to_usd
from usdsim.usd.converted import converted_values, keep_converted
from usdsim.usd.draft_layers import write_draft
from usdsim.usd.drafts import LayerDraft
from usdsim.usd.names import set_source_name
from usdsim.usd.xforms import set_local_pose

TURN = quat_from_axis_angle([0.6, 0.0, 0.8], 1.1)
SQUARES = np.arange(60.0).reshape(20, 3) ** 2
POSE = Pose(np.array([0.1, 0.2, 0.3]), TURN)


def by_schemas(stage):
    """A body, a joint with a drive, a capsule and a shader, by the classes of the schemas."""
    UsdGeom.Scope.Define(stage, "/robot")
    body = UsdGeom.Xform.Define(stage, "/robot/arm").GetPrim()
    mass = UsdPhysics.MassAPI.Apply(body)
    mass.CreateMassAttr(0.1)
    mass.CreateCenterOfMassAttr(Gf.Vec3f(0.1, 0.2, 0.3))
    mass.CreatePrincipalAxesAttr(Gf.Quatf(*np.roll(TURN, 1).tolist()))
    set_local_pose(body, POSE, [1.0, 2.0, 3.0])
    keep_converted(body, {"mass": 0.1, "com": [0.1, 0.2, 0.3]})
    keep_converted(body, {"fixed": True})
    set_source_name(body, "arm/1")
    joint = UsdPhysics.RevoluteJoint.Define(stage, "/robot/joint")
    joint.CreateBody0Rel().SetTargets([])
    joint.CreateBody1Rel().SetTargets(["/robot/arm"])
    joint.CreateAxisAttr("Z")
    joint.CreateUpperLimitAttr(np.inf)
    drive = UsdPhysics.DriveAPI.Apply(joint.GetPrim(), "angular")
    drive.CreateStiffnessAttr(0.7)
    pairs = UsdPhysics.FilteredPairsAPI.Apply(body).CreateFilteredPairsRel()
    for target in ("/robot/a", "/robot/b", "/robot/b"):
        pairs.AddTarget(target)
    shape = UsdGeom.Capsule.Define(stage, "/robot/arm/shape")
    shape.CreateRadiusAttr(0.1)
    shape.CreateDisplayColorAttr([Gf.Vec3f(0.1, 0.2, 0.3)])
    shape.GetPrim().GetReferences().AddInternalReference("/library/shape")
    shader = UsdShade.Shader.Define(stage, "/robot/look/Surface")
    material = UsdShade.Material.Define(stage, "/robot/look")
    output = shader.CreateOutput("surface", Sdf.ValueTypeNames.Token)
    material.CreateSurfaceOutput().ConnectToSource(output)
    stage.CreateClassPrim("/library")


def by_drafts(layer):
    """The same by drafts."""
    body = drafts.define(layer, "/robot/arm", "Xform")
    values = {"physics:mass": 0.1, "physics:centerOfMass": np.array([0.1, 0.2, 0.3])}
    drafts.fill(body, "PhysicsMassAPI", {**values, "physics:principalAxes": TURN})
    drafts.place(body, POSE, [1.0, 2.0, 3.0])
    drafts.keep(body, {"mass": 0.1, "com": [0.1, 0.2, 0.3]})
    drafts.keep(body, {"fixed": True})
    drafts.keep_source_name(body, "arm/1")
    joint = drafts.define(layer, "/robot/joint", "PhysicsRevoluteJoint")
    drafts.link(joint, "physics:body0", [])
    drafts.link(joint, "physics:body1", ["/robot/arm"])
    drafts.fill(joint, "PhysicsRevoluteJoint", {"physics:axis": "Z", "physics:upperLimit": np.inf})
    drafts.fill(joint, "PhysicsDriveAPI", {"drive:angular:physics:stiffness": 0.7}, "angular")
    drafts.apply(body, "PhysicsFilteredPairsAPI", "PhysicsMassAPI")
    drafts.link(body, "physics:filteredPairs", ["/robot/a", "/robot/b", "/robot/b"], alone=False)
    shape = drafts.define(layer, "/robot/arm/shape", "Capsule")
    drafts.fill(shape, "Capsule", {"radius": 0.1})
    drafts.write(shape, "primvars:displayColor", "color3f[]", [[0.1, 0.2, 0.3]])
    drafts.refer(shape, "/library/shape")
    shader = drafts.define(layer, "/robot/look/Surface", "Shader")
    material = drafts.define(layer, "/robot/look", "Material")
    drafts.declare(shader, "outputs:surface", "token")
    drafts.connect(material, "outputs:surface", "token", "/robot/look/Surface.outputs:surface")
    drafts.define(layer, "/library", specifier=Sdf.SpecifierClass)


def draft():
    made = LayerDraft()
    by_drafts(made)
    return made


def test_drafts_say_what_the_schemas_classes_author():
    stage, layer = Usd.Stage.CreateInMemory(), Sdf.Layer.CreateAnonymous(".usda")
    by_schemas(stage)
    write_draft(draft(), layer)
    assert layer.ExportToString() == stage.GetRootLayer().ExportToString()


def test_an_open_stage_hears_of_everything():
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, "Z")
    write_draft(draft(), stage.GetRootLayer())
    prim = stage.GetPrimAtPath("/robot/arm")
    assert UsdPhysics.MassAPI(prim).GetMassAttr().Get() == np.float32(0.1)
    assert converted_values(prim)["fixed"] is True
    assert UsdGeom.GetStageUpAxis(stage) == "Z"


def test_what_was_drafted_is_replaced():
    made, layer = LayerDraft(), Sdf.Layer.CreateAnonymous(".usda")
    for value in (1.0, 2.0):
        prim = drafts.define(made, "/a", "Xform")
        drafts.write(prim, "newton:armature", "float", value)
        drafts.place(prim, Pose(np.full(3, value)))
        drafts.link(prim, "mjc:target", [f"/b{value:.0f}"])
        drafts.apply(prim, "NewtonJointAPI")
    write_draft(made, layer)
    spec = layer.GetPrimAtPath("/a")
    assert spec.attributes["newton:armature"].default == 2.0
    assert spec.attributes["xformOp:translate"].default == Gf.Vec3d(2.0, 2.0, 2.0)
    assert spec.relationships["mjc:target"].targetPathList.explicitItems == ["/b2"]
    assert spec.GetInfo("apiSchemas").prependedItems == ["NewtonJointAPI"]


def test_a_layer_with_prims_keeps_what_the_draft_does_not_say():
    layer = Sdf.Layer.CreateAnonymous(".usda")
    first, second = LayerDraft(), LayerDraft()
    prim = drafts.define(first, "/a/b", "Xform")
    drafts.write(prim, "mjc:mass", "double", 1.0)
    drafts.fill(prim, "PhysicsRigidBodyAPI", {"physics:rigidBodyEnabled": True})
    prim = drafts.define(second, "/a/b", specifier=Sdf.SpecifierOver)
    drafts.fill(prim, "PhysicsMassAPI", {"physics:mass": 2.0})
    drafts.write(prim, "mjc:mass", "double", 2.0)
    drafts.write(drafts.define(second, "/a/b/c", "Mesh"), "points", "point3f[]", SQUARES)
    for made in (first, second):
        write_draft(made, layer)
    spec = layer.GetPrimAtPath("/a/b")
    assert (spec.typeName, spec.specifier) == ("Xform", Sdf.SpecifierDef)
    assert spec.GetInfo("apiSchemas").prependedItems == ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    assert {attribute.name: attribute.default for attribute in spec.attributes} == {
        "mjc:mass": 2.0, "physics:rigidBodyEnabled": True, "physics:mass": 2.0,
    }  # fmt: skip
    assert len(layer.GetAttributeAtPath("/a/b/c.points").default) == len(SQUARES)


VALUES = [
    ("double", 0.1), ("double", -0.0), ("double", 5e-324), ("double", np.inf), ("double", 1e300),
    ("float", 0.1), ("float", np.float64(1.0) / 3.0), ("float", 1e-46), ("half", 0.1),
    ("bool", True), ("bool", np.bool_(False)), ("bool[]", [True, False]), ("int", 7),
    ("int64", -(2**62)), ("uchar[]", np.arange(9, dtype=np.uint8)), ("int[]", []),
    ("double[]", np.arange(40) / 7.0), ("double[]", np.arange(4) / 7.0), ("float[]", [0.1, 1 / 3]),
    ("double3", np.arange(3) / 7.0), ("float3", [0.1, 0.2, 0.3]), ("quatd", TURN),
    ("quatf", TURN), ("quatf[]", np.stack([TURN, -TURN])), ("color3f[]", np.ones((2, 3)) / 3.0),
    ("point3f[]", np.arange(90.0).reshape(30, 3) / 7.0), ("matrix4d", np.eye(4) / 3.0),
    ("token", "a b"), ("string", "tab\t line\r\n \"quote\" ' \\ back \x01 \x7f é \u2028 😀 @ {"),
    ("token[]", ["a", 'b"']), ("string[]", [""]), ("asset", "./a@b.png"), ("asset[]", ["x.png"]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "value"), VALUES)
def test_values_are_those_that_openusd_takes_itself(kind, value):
    """To the last bit: the layer is compared with one whose attribute was set."""
    made, layer = LayerDraft(), Sdf.Layer.CreateAnonymous(".usda")
    drafts.write(drafts.define(made, "/a"), "x", kind, value)
    write_draft(made, layer)
    other = Sdf.Layer.CreateAnonymous(".usda")
    type_name = Sdf.ValueTypeNames.Find(kind)
    attribute = Sdf.AttributeSpec(Sdf.PrimSpec(other, "a", Sdf.SpecifierDef), "x", type_name)
    attribute.default = to_usd(value, type_name)
    assert layer.GetAttributeAtPath("/a.x").default == attribute.default
    assert layer.ExportToString() == other.ExportToString()


def test_what_is_deep_is_written_where_stacks_are_short():
    made, layer = LayerDraft(), Sdf.Layer.CreateAnonymous(".usda")
    path = ""
    for number in range(1000):
        path += f"/link_{number}"
        drafts.link(drafts.define(made, path, "Xform"), "mjc:target", ["/link_0/end", path])
        shape = drafts.define(made, f"{path}/shape", "Mesh")
        drafts.write(shape, "points", "point3f[]", SQUARES)
    run_with_stack(512 * 1024, lambda: write_draft(made, layer))
    targets = layer.GetRelationshipAtPath(f"{path}.mjc:target").targetPathList.explicitItems
    assert targets == ["/link_0/end", path]
    assert len(layer.GetAttributeAtPath(f"{path}/shape.points").default) == len(SQUARES)
    siblings = layer.GetPrimAtPath(path).nameParent.nameChildren
    assert [child.name for child in siblings] == ["shape", "link_999"]


def test_values_that_do_not_fit_name_their_attribute():
    prim = drafts.define(LayerDraft(), "/a", "Xform")
    with pytest.raises(ShapeError, match=r"/a\.mjc:pos"):
        drafts.write(prim, "mjc:pos", "double3", np.zeros(2))
    with pytest.raises(InvalidValueError, match="vector9"):
        drafts.write(prim, "mjc:pos", "vector9", 1.0)
    with pytest.raises(InvalidValueError, match="finite"):
        drafts.place(prim, Pose(np.array([np.nan, 0.0, 0.0])))


def run_with_stack(size, work):
    """Run in a thread with a small stack, as some programs have them."""
    before = threading.stack_size(size)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
