import numpy as np
import pytest
from parser_builders import about, body, by_path, joint, new_stage, parse, place, shape
from pxr import Gf, Sdf, UsdGeom, UsdPhysics

from usdsim.parser import parse_stage


def test_pose_ignores_scale_and_uses_metres():
    stage = new_stage("Z", 0.01)
    body(stage, "/b", (100, 200, 300), about((0, 0, 1), 90), (2, 3, 4))
    found = parse(stage).bodies[0]
    np.testing.assert_allclose(found.initial_pose_w.pos, [1, 2, 3])
    np.testing.assert_allclose(found.initial_pose_w.quat, about((0, 0, 1), 90), atol=1e-15)
    np.testing.assert_allclose(found.rest_pose.pos, [1, 2, 3])


@pytest.mark.parametrize("up", ["Z", "Y"])
def test_velocities_are_along_the_stages_axes_and_in_degrees(up):
    """As PhysX has them, however the body, or a prim above it, is turned."""
    stage = new_stage(up, 0.01)
    place(UsdGeom.Xform.Define(stage, "/a").GetPrim(), turn=about((1, 0, 0), 30))
    prim = body(stage, "/a/b", turn=about((0, 0, 1), 90), scale=(3, 3, 3))
    api = UsdPhysics.RigidBodyAPI(prim)
    api.CreateVelocityAttr(Gf.Vec3f(100, 0, 0))
    api.CreateAngularVelocityAttr(Gf.Vec3f(180, 0, 90))
    found = parse(stage).bodies[0]
    turned = [np.pi, 0, np.pi / 2] if up == "Z" else [np.pi, -np.pi / 2, 0]
    np.testing.assert_allclose(found.linear_velocity, [1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(found.angular_velocity, turned, atol=1e-12)


def test_the_linear_velocity_is_that_of_the_centre_of_mass():
    """As PhysX has it: a body that turns about a resting centre moves its origin around it."""
    stage = new_stage()
    prim = body(stage, "/b", turn=about((0, 0, 1), 90), mass=1.0)
    UsdPhysics.MassAPI(prim).CreateCenterOfMassAttr(Gf.Vec3f(0.5, 0, 0))
    UsdPhysics.RigidBodyAPI(prim).CreateAngularVelocityAttr(Gf.Vec3f(0, 0, 180))
    found = parse(stage).bodies[0]
    np.testing.assert_allclose(found.linear_velocity, [0.5 * np.pi, 0, 0], atol=1e-12)


def test_disabled_bodies_give_their_colliders_away():
    stage = new_stage()
    body(stage, "/a")
    inner = body(stage, "/a/b")
    UsdPhysics.RigidBodyAPI(inner).CreateRigidBodyEnabledAttr(False)
    shape(stage, "/a/b/cube", pos=(1, 0, 0))
    outer = body(stage, "/c")
    UsdPhysics.RigidBodyAPI(outer).CreateRigidBodyEnabledAttr(False)
    shape(stage, "/c/cube")
    scene = parse(stage)
    assert [b.path for b in scene.bodies] == ["/a"]
    assert [g.body for g in scene.geoms] == [0, -1]


def test_nested_bodies_are_free_without_a_joint():
    stage = new_stage()
    body(stage, "/a", (1, 0, 0))
    body(stage, "/a/b", (0, 1, 0))
    scene = parse(stage)
    nested = by_path(scene.bodies)["/a/b"]
    assert nested.parent == -1 and nested.joints == ()
    np.testing.assert_allclose(nested.initial_pose_w.pos, [1, 1, 0])


def test_kinematic_bodies_hang_on_the_world():
    stage = new_stage()
    hand = body(stage, "/hand", mass=None)
    UsdPhysics.RigidBodyAPI(hand).CreateKinematicEnabledAttr(True)
    body(stage, "/tool", (0, 0, 1))
    joint(stage, "/j", "Revolute", "/tool", "/hand", localPos0=(0, 0, -1))
    scene = parse(stage)
    bodies = by_path(scene.bodies)
    assert bodies["/hand"].kinematic and bodies["/hand"].parent == -1
    assert scene.bodies[bodies["/tool"].parent].path == "/hand"


def test_bodies_come_parents_first_and_in_stage_order():
    stage = new_stage()
    for name in ("tip", "arm", "base", "other"):
        body(stage, f"/{name}")
    joint(stage, "/j1", "Revolute", "/arm", "/tip")
    joint(stage, "/j2", "Revolute", "/base", "/arm")
    scene = parse(stage)
    assert [b.path for b in scene.bodies] == ["/base", "/arm", "/tip", "/other"]
    assert [j.path for j in scene.joints] == ["/j1", "/j2"]


def test_dialects_of_bodies():
    stage = new_stage()
    prim = body(stage, "/b")
    types = Sdf.ValueTypeNames
    prim.CreateAttribute("physxRigidBody:disableGravity", types.Bool).Set(True)
    prim.CreateAttribute("physxRigidBody:linearDamping", types.Float).Set(0.5)
    prim.CreateAttribute("physxRigidBody:angularDamping", types.Float).Set(0.25)
    found = parse(stage).bodies[0]
    assert (found.gravity_compensation, found.linear_damping, found.angular_damping) == (
        1.0,
        0.5,
        0.25,
    )


def test_mirrored_bodies_have_proper_frames():
    stage = new_stage()
    body(stage, "/b", scale=(-1, 1, 1))
    shape(stage, "/b/cube", pos=(1, 2, 3))
    scene = parse(stage)
    at = scene.bodies[0].initial_pose_w @ scene.geoms[0].pose
    np.testing.assert_allclose(at.pos, [-1, 2, 3], atol=1e-12)


def test_sheared_bodies_are_reported_and_shapes_stay_in_place():
    stage = new_stage()
    top = UsdGeom.Xform.Define(stage, "/top").GetPrim()
    place(top, scale=(2, 1, 1))
    body(stage, "/top/b", turn=about((0, 0, 1), 45))
    shape(stage, "/top/b/cube", pos=(1, 0, 0), size=2.0)
    result = parse_stage(stage)
    assert [f.path for f in result.report.by_code("shear")] == ["/top/b"]
    scene = result.scene
    (geom,) = scene.geoms
    assert geom.kind == "mesh"
    points = scene.bodies[0].initial_pose_w.apply(geom.pose.apply(scene.meshes[geom.mesh].points))
    corner = UsdGeom.XformCache().GetLocalToWorldTransform(stage.GetPrimAtPath("/top/b/cube"))
    expected = np.array([corner.Transform(Gf.Vec3d(x, y, z)) for x, y, z in _corners()])
    for point in expected:
        assert np.abs(points - point).max(axis=1).min() < 1e-9


def _corners():
    return np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T.astype(float)


@pytest.mark.parametrize("up", ["Y", "Z"])
def test_centimetre_y_up_twin_is_the_same_scene(up):
    """One scene authored twice; only the frame of the stage and its units differ."""
    metres, twin = (_robot(*args) for args in (("Z", 1.0), (up, 0.01)))
    a, b = parse(metres), parse(twin)
    assert [x.path for x in a.bodies] == [x.path for x in b.bodies]
    for first, second in zip(a.bodies, b.bodies, strict=True):
        for name in ("mass", "com", "inertia", "linear_velocity", "angular_velocity"):
            np.testing.assert_allclose(getattr(first, name), getattr(second, name), 1e-6, 1e-9)
        assert first.initial_pose_w.almost_equal(second.initial_pose_w, 1e-6, 1e-6)
        assert first.rest_pose.almost_equal(second.rest_pose, 1e-6, 1e-6)
    for first, second in zip(a.geoms, b.geoms, strict=True):
        assert first.kind == second.kind
        np.testing.assert_allclose(first.size, second.size, 1e-9)
        assert first.pose.almost_equal(second.pose, 1e-9, 1e-6)
    for first, second in zip(a.joints, b.joints, strict=True):
        for one, two in zip(first.dofs, second.dofs, strict=True):
            for name in ("axis", "anchor", "lower", "upper", "armature", "friction", "damping"):
                np.testing.assert_allclose(getattr(one, name), getattr(two, name), 1e-6, 1e-9)
            for name in ("stiffness", "damping", "max_force", "target_position"):
                one_value, two_value = getattr(one.drive, name), getattr(two.drive, name)
                np.testing.assert_allclose(one_value, two_value, 1e-6)
    np.testing.assert_allclose(a.gravity, b.gravity, atol=1e-9)


_VELOCITY = {"Z": (1.0, 2.0, 0.0), "Y": (1.0, 0.0, -2.0)}
"""The same velocity along the axes of a stage, by which of them is up."""


def _robot(up, meters):
    stage = new_stage(up, meters)
    unit = 1.0 / meters
    UsdPhysics.Scene.Define(stage, "/scene")
    top = UsdGeom.Xform.Define(stage, "/r").GetPrim()
    place(top, turn=about((1, 0, 0), -90) if up == "Y" else None)
    base = body(stage, "/r/base", np.array([1, 2, 3]) * unit, about((1, 2, 3), 40), mass=None)
    UsdPhysics.MassAPI.Apply(base).CreateDensityAttr(500.0 * meters**3)
    UsdPhysics.RigidBodyAPI(base).CreateVelocityAttr(Gf.Vec3f(*_VELOCITY[up]) * unit)
    shape(stage, "/r/base/c", pos=np.array([0.1, 0, 0]) * unit, size=0.2 * unit)
    body(stage, "/r/arm", np.array([1, 2, 3.5]) * unit, mass=2.0)
    shape(stage, "/r/arm/c", "Capsule", axis="X", radius=0.1 * unit, height=0.5 * unit)
    hinge = joint(
        stage, "/r/hinge", "Revolute", "/r/base", "/r/arm",
        localPos0=np.array([0, 0, 0.5]) * unit, localRot0=about((0, 1, 0), 30), lowerLimit=-10.0,
    )  # fmt: skip
    drive = UsdPhysics.DriveAPI.Apply(hinge, "angular")
    drive.CreateStiffnessAttr(3.0 * unit**2)
    drive.CreateDampingAttr(0.2 * unit**2)
    drive.CreateMaxForceAttr(7.0 * unit**2)
    drive.CreateTargetPositionAttr(15.0)
    hinge.CreateAttribute("newton:armature", Sdf.ValueTypeNames.Float).Set(0.01 * unit**2)
    hinge.CreateAttribute("newton:friction", Sdf.ValueTypeNames.Float).Set(0.3 * unit**2)
    body(stage, "/r/hand", np.array([1, 2, 4]) * unit)
    slide = joint(
        stage, "/r/slide", "Prismatic", "/r/arm", "/r/hand", axis="Y",
        localPos0=np.array([0, 0, 0.5]) * unit, upperLimit=0.3 * unit,
    )  # fmt: skip
    drive = UsdPhysics.DriveAPI.Apply(slide, "linear")
    drive.CreateStiffnessAttr(40.0)
    drive.CreateDampingAttr(4.0)
    drive.CreateMaxForceAttr(9.0 * unit)
    drive.CreateTargetPositionAttr(0.1 * unit)
    return stage
