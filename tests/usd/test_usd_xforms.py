import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pxr import Gf, Sdf, Usd, UsdGeom

from usdsim.core.errors import InvalidValueError, StageError
from usdsim.math.rotations import quat_from_axis_angle, quat_normalize, quat_to_matrix
from usdsim.math.transforms import Pose
from usdsim.usd import (
    create_stage,
    decompose,
    define_prim,
    local_pose,
    relative_pose,
    set_local_pose,
    world_pose,
)

NUMBER = st.floats(-100, 100)
VECTOR = st.tuples(NUMBER, NUMBER, NUMBER).map(np.array)
POSITIVE = st.floats(0.01, 100)
QUAT = (
    st.tuples(*[st.floats(-1, 1)] * 4)
    .filter(lambda q: np.linalg.norm(q) > 0.1)
    .map(lambda q: quat_normalize(np.array(q)))
)
POSE = st.builds(Pose, VECTOR, QUAT)


def matrix(pose, scale=1.0):
    """USD's matrix of a pose and scale, written out."""
    result = np.eye(4)
    result[:3, :3] = (quat_to_matrix(pose.quat) @ np.diag(np.broadcast_to(scale, 3))).T
    result[3, :3] = pose.pos
    return result


@given(POSE, st.tuples(POSITIVE, POSITIVE, POSITIVE).map(np.array))
@settings(max_examples=50)
def test_local_pose_keeps_every_digit(pose, scale):
    stage = create_stage()
    prim = define_prim(stage, "/a")
    set_local_pose(prim, pose, scale)
    back, factors = local_pose(prim)
    np.testing.assert_array_equal(back.pos, pose.pos)
    np.testing.assert_allclose(back.quat, pose.quat, rtol=0, atol=2e-16)
    np.testing.assert_array_equal(factors, scale)
    # USD takes the angle from an arc cosine, which loses digits of small ones.
    np.testing.assert_allclose(
        UsdGeom.Xformable(prim).GetLocalTransformation(),
        matrix(pose, scale),
        atol=1e-9 + 1e-7 * scale.max(),
    )
    # The other way round, through the matrix alone.
    other, factors = decompose(matrix(pose, scale))
    assert other.almost_equal(pose, 1e-9, 1e-7)
    np.testing.assert_allclose(factors, scale, rtol=1e-12)


@given(POSE, POSE, POSE, st.floats(0.1, 4), st.floats(0.1, 4))
@settings(max_examples=50)
def test_world_pose_of_nested_scaled_prims(a, b, c, outer, middle):
    stage = create_stage(up_axis="Y", meters_per_unit=0.01)
    set_local_pose(define_prim(stage, "/a"), a, outer)
    set_local_pose(define_prim(stage, "/a/b"), b, middle)
    prim = define_prim(stage, "/a/b/c")
    set_local_pose(prim, c, [1.0, 2.0, 3.0])
    scaled = Pose(c.pos * middle, c.quat)
    expected = a @ Pose((b @ scaled).pos * outer, (b @ scaled).quat)
    pose, scale = world_pose(prim)
    # OpenUSD goes through the arc cosine of w, which is good to 1e-8 near the identity.
    assert pose.almost_equal(expected, 1e-4, 1e-6)
    np.testing.assert_allclose(scale, np.array([1.0, 2.0, 3.0]) * outer * middle, rtol=1e-9)
    relative, _ = relative_pose(prim, stage.GetPrimAtPath("/a/b"))
    np.testing.assert_allclose(relative.pos, c.pos * middle * outer, atol=1e-4)


def test_relative_pose_of_a_child_is_its_own():
    stage = create_stage()
    set_local_pose(define_prim(stage, "/a"), Pose(np.array([0.1, 0.2, 0.3])))
    child = define_prim(stage, "/a/b")
    pose = Pose(np.array([1 / 3, 1 / 7, 1e-9]), quat_normalize(np.array([0.1, 0.7, 0.2, 0.4])))
    set_local_pose(child, pose)
    got, scale = relative_pose(child, stage.GetPrimAtPath("/a"))
    np.testing.assert_array_equal(got.pos, pose.pos)
    np.testing.assert_array_equal(scale, [1, 1, 1])


def test_relative_pose_of_other_branches():
    stage = create_stage()
    a = Pose(np.array([1.0, 2.0, 3.0]), quat_from_axis_angle([0, 0, 1], 1.0))
    b = Pose(np.array([-1.0, 0.0, 3.0]), quat_from_axis_angle([1, 0, 0], 2.0))
    set_local_pose(define_prim(stage, "/a"), a)
    set_local_pose(define_prim(stage, "/b"), b)
    got, _ = relative_pose(stage.GetPrimAtPath("/b"), stage.GetPrimAtPath("/a"))
    assert got.almost_equal(a.inverse() @ b, 1e-12, 1e-7)


def test_all_operations_are_double_and_replace_others():
    stage = create_stage()
    xform = UsdGeom.Xform.Define(stage, "/a")
    xform.AddTranslateOp(UsdGeom.XformOp.PrecisionFloat).Set(Gf.Vec3f(1, 2, 3), 1.0)
    xform.AddRotateZOp().Set(30.0)
    xform.AddOrientOp(UsdGeom.XformOp.PrecisionFloat).Set(Gf.Quatf(0, 1, 0, 0))
    set_local_pose(xform.GetPrim(), Pose(np.array([0.1, 0.0, 0.0])), 2.0)
    names = [op.GetOpName() for op in xform.GetOrderedXformOps()]
    assert names == ["xformOp:translate", "xformOp:orient", "xformOp:scale"]
    types = {op.GetAttr().GetTypeName().cppTypeName for op in xform.GetOrderedXformOps()}
    assert types == {"GfVec3d", "GfQuatd"}
    assert xform.GetTranslateOp().Get(1.0) == Gf.Vec3d(0.1, 0, 0)
    set_local_pose(xform.GetPrim(), Pose())
    assert len(xform.GetOrderedXformOps()) == 2


def test_stronger_layer_overrides_another_precision():
    weak = Sdf.Layer.CreateAnonymous(".usda")
    below = Usd.Stage.Open(weak)
    xform = UsdGeom.Xform.Define(below, "/a")
    xform.AddOrientOp(UsdGeom.XformOp.PrecisionFloat).Set(Gf.Quatf(0, 1, 0, 0))
    stage = create_stage()
    stage.GetRootLayer().subLayerPaths.append(weak.identifier)
    pose = Pose(quat=quat_normalize(np.array([0.1, 0.2, 0.3, 0.4])))
    set_local_pose(stage.GetPrimAtPath("/a"), pose)
    np.testing.assert_array_equal(local_pose(stage.GetPrimAtPath("/a"))[0].quat, pose.quat)
    assert xform.GetOrientOp().Get() == Gf.Quatf(0, 1, 0, 0)


@pytest.mark.parametrize("operation", ["matrix", "euler", "float", "suffix", "inverse"])
def test_every_other_way_to_write_a_transform(operation):
    stage = create_stage()
    xform = UsdGeom.Xform.Define(stage, "/a")
    expected = Pose(np.array([1.0, 2.0, 3.0]), quat_from_axis_angle([0, 0, 1], np.pi / 6))
    if operation == "matrix":
        xform.AddTransformOp().Set(Gf.Matrix4d(matrix(expected, 2.0).tolist()))
    elif operation == "euler":
        xform.AddTranslateOp().Set(Gf.Vec3d(1, 2, 3))
        xform.AddRotateZOp(UsdGeom.XformOp.PrecisionDouble).Set(30.0)
        xform.AddScaleOp().Set(Gf.Vec3f(2))
    elif operation == "float":
        xform.AddTranslateOp(UsdGeom.XformOp.PrecisionFloat).Set(Gf.Vec3f(1, 2, 3))
        xform.AddOrientOp().Set(Gf.Quatf(Gf.Quatd(expected.quat[3], *expected.quat[:3])))
        xform.AddScaleOp().Set(Gf.Vec3f(2))
    elif operation == "suffix":
        xform.AddTranslateOp(opSuffix="pivot").Set(Gf.Vec3d(1, 2, 3))
        xform.AddRotateZOp(UsdGeom.XformOp.PrecisionDouble, "turn").Set(30.0)
        xform.AddScaleOp().Set(Gf.Vec3f(2))
    else:
        xform.AddTranslateOp(opSuffix="pivot").Set(Gf.Vec3d(-1, -2, -3))
        xform.ClearXformOpOrder()
        xform.AddTranslateOp(opSuffix="pivot", isInverseOp=True)
        xform.AddRotateZOp(UsdGeom.XformOp.PrecisionDouble).Set(30.0)
        xform.AddScaleOp().Set(Gf.Vec3f(2))
    pose, scale = local_pose(xform.GetPrim())
    assert pose.almost_equal(expected, 1e-12, 1e-6)
    np.testing.assert_allclose(scale, [2, 2, 2])


def test_prims_that_cannot_move_are_at_the_identity():
    stage = create_stage()
    pose, scale = local_pose(define_prim(stage, "/scope", "Scope"))
    assert pose.almost_equal(Pose()) and scale.tolist() == [1, 1, 1]


def test_shear_is_an_error_unless_allowed():
    stage = create_stage()
    set_local_pose(define_prim(stage, "/a"), Pose(), [1.0, 1.0, 2.0])
    child = define_prim(stage, "/a/b")
    set_local_pose(child, Pose(quat=quat_from_axis_angle([1, 0, 0], 0.5)))
    with pytest.raises(StageError, match="/a/b is sheared"):
        world_pose(child)
    pose, _ = world_pose(child, allow_shear=True)
    assert abs(np.linalg.norm(pose.quat) - 1.0) < 1e-12
    # A turn by a right angle only exchanges axes.
    set_local_pose(child, Pose(quat=quat_from_axis_angle([1, 0, 0], np.pi / 2)))
    np.testing.assert_allclose(world_pose(child)[1], [1, 2, 1], rtol=1e-12)


@pytest.mark.parametrize("scale", [[-1, 1, 1], [1, -2, 3], [-1, -2, -3], [-1, -1, 2]])
def test_mirroring_gives_one_answer_everywhere(scale):
    stage = create_stage()
    prim = define_prim(stage, "/a")
    pose = Pose(np.array([1.0, 2.0, 3.0]), quat_normalize(np.array([0.1, 0.2, 0.3, 0.4])))
    set_local_pose(prim, pose, scale)
    (local, a), (world, b) = local_pose(prim), world_pose(prim)
    assert local.almost_equal(world, 1e-12, 1e-7)
    np.testing.assert_allclose(a, b)
    assert (np.sign(a) == np.sign(np.prod(scale))).all()
    np.testing.assert_allclose(matrix(local, a), matrix(pose, scale), atol=1e-12)


def test_degenerate_transforms_are_named():
    stage = create_stage()
    prim = define_prim(stage, "/flat")
    set_local_pose(prim, Pose(), [1.0, 0.0, 1.0])
    with pytest.raises(StageError, match="/flat has a transform with zero"):
        local_pose(prim)
    with pytest.raises(StageError, match="/flat"):
        world_pose(prim)
    with pytest.raises(InvalidValueError, match="/flat"):
        set_local_pose(prim, Pose(np.array([0.0, np.nan, 0.0])))
    UsdGeom.Xformable(prim).ClearXformOpOrder()
    UsdGeom.Xformable(prim).AddOrientOp(UsdGeom.XformOp.PrecisionDouble, "x").Set(Gf.Quatd(0))
    zero = UsdGeom.Xform.Define(stage, "/zero")
    zero.AddOrientOp().Set(Gf.Quatf(0))
    with pytest.raises(StageError, match=r"/zero\.xformOp:orient is a zero quaternion"):
        local_pose(zero.GetPrim())


def test_reset_of_the_transform_stack_is_kept():
    stage = create_stage()
    set_local_pose(define_prim(stage, "/a"), Pose(np.array([5.0, 0.0, 0.0])), 2.0)
    child = define_prim(stage, "/a/b")
    UsdGeom.Xformable(child).SetResetXformStack(True)
    set_local_pose(child, Pose(np.array([1.0, 0.0, 0.0])))
    assert world_pose(child)[0].pos.tolist() == [1, 0, 0]


def test_a_cache_chooses_the_time():
    stage = create_stage()
    xform = UsdGeom.Xform.Define(stage, "/a")
    op = xform.AddTranslateOp()
    op.Set(Gf.Vec3d(1, 0, 0))
    op.Set(Gf.Vec3d(8, 0, 0), 4.0)
    op.Set(Gf.Vec3d(9, 0, 0), 5.0)
    assert world_pose(xform.GetPrim())[0].pos[0] == 8
    assert local_pose(xform.GetPrim())[0].pos[0] == 8
    assert world_pose(xform.GetPrim(), UsdGeom.XformCache(5.0))[0].pos[0] == 9
    assert world_pose(xform.GetPrim(), UsdGeom.XformCache())[0].pos[0] == 1


def test_instances_cannot_be_moved_inside():
    stage = create_stage()
    define_prim(stage, "/prototype/body")
    prim = define_prim(stage, "/a")
    prim.GetReferences().AddInternalReference("/prototype")
    prim.SetInstanceable(True)
    with pytest.raises(StageError, match="/a/body"):
        set_local_pose(stage.GetPrimAtPath("/a/body"), Pose())
