"""Bodies that point instancers copy: simulated, written back, recorded, and used as assets."""

import numpy as np
import pytest
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

import usdsim
from usdsim.assets import RigidObject, RigidObjectCfg
from usdsim.core.errors import StageError
from usdsim.math.rotations import quat_apply
from usdsim.math.transforms import Pose
from usdsim.parser import parse_stage
from usdsim.sim import PoseWriter, Recorder, SimulationCfg, SimulationContext, write_poses
from usdsim.usd import create_stage, define_prim, set_local_pose

HALF = 0.5**0.5
TURNED = np.array([HALF, 0.0, 0.0, HALF])


def rocks(path=None, *, inner="", velocities=False, **stage_options):
    """Three copies of a ball, the middle one inactive, below a turned and scaled instancer."""
    stage = create_stage(path, **stage_options)
    stage.SetDefaultPrim(define_prim(stage, "/World"))
    made = UsdGeom.PointInstancer.Define(stage, "/World/rocks")
    set_local_pose(made.GetPrim(), Pose(np.array([1.0, 2.0, 3.0]), TURNED), 2.0)
    ball = define_prim(stage, "/World/rocks/Prototypes/ball")
    set_local_pose(ball, Pose(np.array([0.0, 0.1, 0.0]), TURNED), 0.5)
    body = ball
    if inner:
        body = define_prim(stage, f"/World/rocks/Prototypes/ball/{inner}")
        set_local_pose(body, Pose(np.array([0.3, 0.0, 0.2]), TURNED))
    UsdPhysics.RigidBodyAPI.Apply(body)
    shape = UsdGeom.Sphere.Define(stage, body.GetPath().AppendChild("shape"))
    shape.CreateRadiusAttr(0.2)
    UsdPhysics.CollisionAPI.Apply(shape.GetPrim())
    made.CreatePrototypesRel().SetTargets(["/World/rocks/Prototypes/ball"])
    made.CreateProtoIndicesAttr([0, 0, 0])
    made.CreatePositionsAttr([(0, 0, 0), (5, 5, 5), (4, 0, 0)])
    made.CreateScalesAttr([(1, 1, 1), (1, 1, 1), (3, 3, 3)])
    if velocities:
        made.CreateVelocitiesAttr([(1, 0, 0)] * 3)
    made.DeactivateId(1)
    return stage


def poses_of(scene):
    return np.array([[*b.initial_pose_w.pos, *b.initial_pose_w.quat] for b in scene.bodies])


def assert_poses(found, wanted, digits=1e-5):
    np.testing.assert_allclose(found[:, :3], wanted[:, :3], atol=digits)
    for axis in np.eye(3):
        np.testing.assert_allclose(
            quat_apply(found[:, 3:], axis), quat_apply(wanted[:, 3:], axis), atol=digits
        )


def random_poses(rng, *shape):
    poses = rng.normal(size=(*shape, 7))
    poses[..., 3:] /= np.linalg.norm(poses[..., 3:], axis=-1, keepdims=True)
    return poses


@pytest.mark.parametrize("inner", ["", "body"])
@pytest.mark.parametrize("options", [{}, {"up_axis": "Y", "meters_per_unit": 0.1}])
def test_written_poses_are_read_again(inner, options):
    stage = rocks(inner=inner, **options)
    scene = parse_stage(stage).scene
    assert len(scene.bodies) == 2
    write_poses(stage, scene, poses_of(scene))
    assert_poses(poses_of(parse_stage(stage).scene), poses_of(scene))
    writer, poses = PoseWriter(stage, scene), random_poses(np.random.default_rng(0), 2)
    assert_poses(poses_of(parse_stage(stage).scene), poses_of(scene))
    writer.write(poses)
    again = parse_stage(stage).scene
    assert_poses(poses_of(again), poses)
    np.testing.assert_allclose([g.size[0] for g in again.geoms], [g.size[0] for g in scene.geoms])
    # The inactive copy stays where it was, and the prototype untouched.
    made = UsdGeom.PointInstancer(stage.GetPrimAtPath("/World/rocks"))
    np.testing.assert_array_equal(made.GetPositionsAttr().Get()[1], [5, 5, 5])
    assert stage.GetPrimAtPath("/World/rocks").GetAllChildrenNames() == ["Prototypes"]


def test_recordings_move_the_copies(tmp_path):
    stage = rocks(tmp_path / "rocks.usda", velocities=True)
    stage.Save()
    scene = parse_stage(stage).scene
    poses = random_poses(np.random.default_rng(1), 4, 2)
    with Recorder(stage, scene, tmp_path / "take.usda", fps=10) as recorder:
        for i, frame in enumerate(poses):
            recorder.record(i / 10, frame)
    played = Usd.Stage.Open(str(tmp_path / "take.usda"))
    made = UsdGeom.PointInstancer(played.GetPrimAtPath("/World/rocks"))
    assert made.GetPositionsAttr().GetTimeSamples() == [0, 1, 2, 3]
    assert made.GetVelocitiesAttr().Get() is None
    cache = UsdGeom.XformCache()
    for code, frame in enumerate(poses):
        time = Usd.TimeCode(code)
        cache.SetTime(time)
        outer = cache.GetLocalToWorldTransform(made.GetPrim())
        locals_ = made.ComputeInstanceTransformsAtTime(time, time)
        found = [(Gf.Matrix4d(m) * outer).ExtractTranslation() for m in locals_]
        np.testing.assert_allclose(found, frame[:, :3], atol=1e-4)
        # OpenUSD's own reading of the halves alone is near.
        halves = np.array([[*q.GetImaginary(), q.GetReal()] for q in
                           made.GetOrientationsAttr().Get(time)])  # fmt: skip
        fine = np.array([[*q.GetImaginary(), q.GetReal()] for q in
                         made.GetOrientationsfAttr().Get(time)])  # fmt: skip
        np.testing.assert_allclose(halves, fine, atol=1e-3)


def test_copies_an_instancer_cannot_place_are_named_and_left_alone(caplog):
    stage = rocks(inner="body")
    other = define_prim(stage, "/World/rocks/Prototypes/ball/second")
    UsdPhysics.RigidBodyAPI.Apply(other)
    UsdPhysics.MassAPI.Apply(other).CreateMassAttr(1.0)
    scene = parse_stage(stage).scene
    assert len(scene.bodies) == 4
    before = stage.ExportToString()
    write_poses(stage, scene, random_poses(np.random.default_rng(0), 4))
    assert "a prototype must have one body" in caplog.text
    assert stage.ExportToString() == before


def test_links_of_the_scene_door():
    stage = rocks()
    model = usdsim.load_model(stage)
    data = usdsim.SceneData(model)
    link = model.get_link("/World/rocks/instance_2")
    start = link.get_pose(data)[..., :3].copy()
    for _ in range(10):
        usdsim.step(model, data)
    assert link.get_pose(data)[..., 2] < start[..., 2]


def test_copies_are_rigid_objects():
    stage = rocks()
    with SimulationContext(SimulationCfg(dt=0.01), stage=stage) as sim:
        balls = RigidObject(RigidObjectCfg(prim_path="/World/rocks/instance_.*"))
        sim.reset()
        assert balls.num_instances == 2
        np.testing.assert_allclose(
            balls.data.root_pos_w.numpy(), poses_of(parse_stage(stage).scene)[:, :3], atol=1e-5
        )


def test_copies_that_are_articulations_are_no_rigid_objects():
    stage = rocks()
    UsdPhysics.ArticulationRootAPI.Apply(stage.GetPrimAtPath("/World/rocks/Prototypes/ball"))
    with SimulationContext(SimulationCfg(dt=0.01), stage=stage) as sim:
        RigidObject(RigidObjectCfg(prim_path="/World/rocks/instance_0"))
        with pytest.raises(StageError, match="/World/rocks/Prototypes/ball"):
            sim.reset()


def test_environments_have_copies_of_their_own():
    stage = rocks()
    source = Sdf.Layer.CreateAnonymous(".usda")
    source.TransferContent(stage.GetRootLayer())
    home = create_stage()
    define_prim(home, "/World/envs")
    for i in range(3):
        env = define_prim(home, f"/World/envs/env_{i}")
        set_local_pose(env, Pose(np.array([10.0 * i, 0.0, 0.0])))
        env.GetReferences().AddReference(source.identifier, "/World")
    with SimulationContext(SimulationCfg(dt=0.01), stage=home) as sim:
        balls = RigidObject(RigidObjectCfg(prim_path="/World/envs/env_.*/rocks/instance_2"))
        sim.reset()
        where = balls.data.root_pos_w.numpy()
    first = poses_of(parse_stage(stage).scene)[1, :3]
    np.testing.assert_allclose(where, first + np.outer([0, 10, 20], [1, 0, 0]), atol=1e-5)
