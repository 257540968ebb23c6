import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from usdsim.core.errors import FileError, InvalidValueError, ShapeError, StageError
from usdsim.math.rotations import quat_apply, quat_from_matrix, quat_normalize
from usdsim.math.transforms import Pose
from usdsim.parser.description import BodyDescription, SceneDescription
from usdsim.sim import EngineReader, PoseWriter, Recorder, write_poses
from usdsim.sim.poses.thinning import needed_samples
from usdsim.usd import create_stage, define_prim, save_stage, set_local_pose, world_pose

Y_UP = Pose(quat=quat_from_matrix([[1, 0, 0], [0, 0, -1], [0, 1, 0]]))
PATHS = ("/World/group/base", "/World/group/base/frame/arm", "/World/group/base/frame/arm/hand")


def random_pose(rng, size=1.0):
    return Pose(rng.normal(size=3) * size, quat_normalize(rng.normal(size=4)))


def nested(tmp_path=None, up_axis="Y", meters_per_unit=0.01, name="scene.usda"):
    """Three nested bodies, plain transforms and uniform scales between them."""
    rng = np.random.default_rng(3)
    stage = create_stage(
        tmp_path / name if tmp_path else None, up_axis=up_axis, meters_per_unit=meters_per_unit
    )
    stage.SetDefaultPrim(define_prim(stage, "/World"))
    scales = {"/World/group": 2.0, PATHS[0]: 1.5, PATHS[0] + "/frame": None, PATHS[1]: 0.5}
    for path in ("/World/group", PATHS[0], PATHS[0] + "/frame", PATHS[1], PATHS[2]):
        set_local_pose(define_prim(stage, path), random_pose(rng, 10.0), scales.get(path))
    # The last body has a scale of its own, along each axis.
    set_local_pose(stage.GetPrimAtPath(PATHS[2]), random_pose(rng), [1.0, 2.0, 3.0])
    scene = SceneDescription(
        bodies=tuple(BodyDescription(path=path) for path in PATHS),
        world_from_stage=Y_UP if up_axis == "Y" else Pose(),
        meters_per_unit=meters_per_unit,
    )
    return stage, scene


def trajectory(frames, bodies, seed=0):
    rng = np.random.default_rng(seed)
    poses = rng.normal(size=(frames, bodies, 7))
    poses[..., 3:] = quat_normalize(poses[..., 3:])
    return poses


def assert_at(stage, scene, poses, code=None, tolerance=1e-9):
    """Every prim stands where the pose says, by OpenUSD's own transforms."""
    cache = UsdGeom.XformCache(Usd.TimeCode.Default() if code is None else Usd.TimeCode(code))
    for body, pose in zip(scene.bodies, poses, strict=True):
        got, _ = world_pose(stage.GetPrimAtPath(body.path), cache)
        meters = scene.meters_per_unit
        position = quat_apply(scene.world_from_stage.quat, got.pos) * meters
        np.testing.assert_allclose(position, pose[:3], atol=tolerance)
        for axis in np.eye(3):
            np.testing.assert_allclose(
                quat_apply(scene.world_from_stage.quat, quat_apply(got.quat, axis)),
                quat_apply(pose[3:], axis),
                atol=tolerance,
            )


def scales_of(stage, scene, code=None):
    cache = UsdGeom.XformCache(Usd.TimeCode.Default() if code is None else Usd.TimeCode(code))
    return [world_pose(stage.GetPrimAtPath(b.path), cache)[1] for b in scene.bodies]


@pytest.mark.parametrize("up_axis", ["Y", "Z"])
@pytest.mark.parametrize("suffix", [".usda", ".usdc"])
def test_recording_plays_the_poses(tmp_path, up_axis, suffix):
    stage, scene = nested(tmp_path, up_axis)
    stage.Save()
    before = (tmp_path / "scene.usda").read_bytes()
    poses = trajectory(5, 3)
    with Recorder(stage, scene, tmp_path / f"take{suffix}", fps=50) as recorder:
        for i, frame in enumerate(poses):
            assert recorder.record(i / 50, frame)
    played = Usd.Stage.Open(str(tmp_path / f"take{suffix}"))
    assert (played.GetTimeCodesPerSecond(), played.GetStartTimeCode(), played.GetEndTimeCode()) == (
        50,
        0,
        4,
    )
    assert UsdGeom.GetStageUpAxis(played) == up_axis
    assert UsdGeom.GetStageMetersPerUnit(played) == 0.01
    assert UsdPhysics.GetStageKilogramsPerUnit(played) == 1.0
    assert played.GetDefaultPrim().GetPath() == "/World"
    for i, frame in enumerate(poses):
        assert_at(played, scene, frame, i)
        np.testing.assert_allclose(scales_of(played, scene, i), scales_of(stage, scene), rtol=1e-9)
    assert (tmp_path / "scene.usda").read_bytes() == before
    assert list(played.GetRootLayer().subLayerPaths) == ["./scene.usda"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["scene.usda", f"take{suffix}"]


def test_recording_of_a_stage_in_memory_carries_a_copy(tmp_path):
    stage, scene = nested()
    poses = trajectory(2, 3)
    recorder = Recorder(stage, scene, tmp_path / "take.usda", fps=10)
    recorder.record(0.0, poses[0])
    recorder.record(0.1, poses[1])
    recorder.save()
    played = Usd.Stage.Open(str(tmp_path / "take.usda"))
    assert_at(played, scene, poses[1], 1)
    assert (tmp_path / "take_stage.usdc").is_file()


def test_unsaved_changes_are_in_the_recording(tmp_path):
    stage, scene = nested(tmp_path)
    stage.Save()
    define_prim(stage, "/World/later")
    recorder = Recorder(stage, scene, tmp_path / "take.usda")
    recorder.record(0.0, trajectory(1, 3)[0])
    recorder.save()
    assert Usd.Stage.Open(str(tmp_path / "take.usda")).GetPrimAtPath("/World/later")
    assert not Sdf.Layer.OpenAsAnonymous(str(tmp_path / "scene.usda")).GetPrimAtPath("/World/later")


def test_a_stage_that_was_saved_is_what_the_recording_lies_over(tmp_path):
    stage, scene = nested(tmp_path)
    save_stage(stage, tmp_path / "scene.usda")
    poses = trajectory(2, 3)
    with Recorder(stage, scene, tmp_path / "take.usda", fps=10) as recorder:
        recorder.record(0.0, poses[0])
        recorder.record(0.1, poses[1])
    assert not (tmp_path / "take_stage.usdc").exists()
    take = Sdf.Layer.FindOrOpen(str(tmp_path / "take.usda"))
    assert list(take.subLayerPaths) == ["./scene.usda"]
    assert_at(Usd.Stage.Open(take), scene, poses[1], code=1, tolerance=1e-5)


@pytest.mark.parametrize("name", ["whole.usda", "part.usda"])
def test_a_recording_that_replaces_a_file_of_its_stage_carries_a_copy(tmp_path, name):
    part, scene = nested(tmp_path, name="part.usda")
    part.Save()
    whole = Sdf.Layer.CreateNew(str(tmp_path / "whole.usda"))
    whole.subLayerPaths.append("./part.usda")
    whole.Save()
    poses = trajectory(2, 3)
    with Recorder(Usd.Stage.Open(whole), scene, tmp_path / name, fps=10) as recorder:
        recorder.record(0.0, poses[0])
        recorder.record(0.1, poses[1])
    take = Sdf.Layer.OpenAsAnonymous(str(tmp_path / name))
    copy = f"{(tmp_path / name).stem}_stage.usdc"
    assert list(take.subLayerPaths) == [f"./{copy}"]
    take.subLayerPaths = [str(tmp_path / copy)]
    assert_at(Usd.Stage.Open(take), scene, poses[1], code=1, tolerance=1e-5)


def test_recording_in_another_folder_finds_its_stage(tmp_path):
    (tmp_path / "out" / "deep").mkdir(parents=True)
    stage, scene = nested(tmp_path)
    stage.Save()
    recorder = Recorder(stage, scene, tmp_path / "out" / "deep" / "take.usda")
    recorder.record(0.0, trajectory(1, 3)[0])
    played = Usd.Stage.Open(str(recorder.save()))
    assert list(played.GetRootLayer().subLayerPaths) == ["../../scene.usda"]
    assert played.GetPrimAtPath(PATHS[2]).IsDefined()


def test_other_transform_operations_give_way(tmp_path):
    stage = create_stage(tmp_path / "scene.usda")
    xform = UsdGeom.Xform.Define(stage, "/a")
    xform.AddTranslateOp(UsdGeom.XformOp.PrecisionFloat).Set(Gf.Vec3f(1, 2, 3))
    xform.AddRotateXYZOp().Set(Gf.Vec3f(10, 20, 30), 0.0)
    xform.AddOrientOp(UsdGeom.XformOp.PrecisionFloat).Set(Gf.Quatf(1))
    stage.Save()
    scene = SceneDescription(bodies=(BodyDescription(path="/a"),))
    poses = trajectory(2, 1)
    with Recorder(stage, scene, tmp_path / "take.usda", fps=1) as recorder:
        recorder.record(0.0, poses[0])
        recorder.record(1.0, poses[1])
    played = Usd.Stage.Open(str(tmp_path / "take.usda"))
    assert_at(played, scene, poses[1], 1)


def test_frames_in_between_are_left_out(tmp_path):
    stage, scene = nested()
    recorder = Recorder(stage, scene, tmp_path / "take.usda", fps=50)
    pose = trajectory(1, 3)[0]
    time = 0.0
    for _ in range(501):
        recorder.record(time, pose)
        time += 0.002
    assert recorder.num_frames == 51


def turning(time):
    """A body that moves by 1 m/s and turns by 2 rad/s."""
    return [[time, 0.0, 0.5, 0.0, 0.0, np.sin(time), np.cos(time)]]


def one_body(tmp_path, rate=None, first=None):
    stage = create_stage(tmp_path / "one.usda")
    define_prim(stage, "/a")
    if rate:
        stage.SetTimeCodesPerSecond(rate)
    if first is not None:
        stage.SetStartTimeCode(first)
        stage.SetEndTimeCode(first + 71)
    stage.Save()
    return stage, SceneDescription(bodies=(BodyDescription(path="/a"),))


def samples(played, name):
    return played.GetPrimAtPath("/a").GetAttribute(f"xformOp:{name}").GetTimeSamples()


def test_samples_are_on_whole_frames_of_the_stages_own_rate_and_range(tmp_path):
    """Steps of 7 ms meet no frame of 1/24 s: states in between are those at the frames' times."""
    stage, scene = one_body(tmp_path, rate=24, first=1)
    with Recorder(stage, scene, tmp_path / "take.usda", tolerance=0.0) as recorder:
        for step in range(300):
            recorder.record(0.007 * step, turning(0.007 * step))
    played = Usd.Stage.Open(str(tmp_path / "take.usda"))
    assert played.GetTimeCodesPerSecond() == 24
    assert (played.GetStartTimeCode(), played.GetEndTimeCode()) == (1, 1 + recorder.num_frames - 1)
    assert recorder.num_frames == 1 + int(0.007 * 299 * 24)
    assert set(samples(played, "orient")) == set(np.arange(1.0, 1.0 + recorder.num_frames))
    for frame in range(recorder.num_frames):
        assert_at(played, scene, turning(frame / 24), 1 + frame)


def test_the_rate_is_chosen_where_the_stage_states_none(tmp_path):
    stage, scene = one_body(tmp_path)
    for fps, expected in ((None, 60), (30, 30)):
        recorder = Recorder(stage, scene, tmp_path / "take.usda", fps=fps)
        recorder.record(0.0, turning(0.0))
        assert Usd.Stage.Open(str(recorder.save())).GetTimeCodesPerSecond() == expected


def test_a_reader_is_asked_around_frames_alone(tmp_path):
    class Reader:
        time, asked = 0.0, 0

        def body_poses(self):
            self.asked += 1
            return turning(self.time)

    stage, scene = one_body(tmp_path, rate=10)
    reader = Reader()
    with Recorder(stage, scene, tmp_path / "take.usda", reader=reader) as recorder:
        for step in range(1001):
            reader.time = step * 0.001
            recorder.record()
    assert recorder.num_frames == 11 and reader.asked < 50
    played = Usd.Stage.Open(str(tmp_path / "take.usda"))
    for frame in range(11):
        assert_at(played, scene, turning(frame / 10), frame, tolerance=2e-6)


def test_what_players_interpolate_themselves_is_left_out(tmp_path):
    stage, scene = one_body(tmp_path, rate=50)
    with Recorder(stage, scene, tmp_path / "take.usda") as recorder:
        for frame in range(51):
            noise = 1e-14 * (-1) ** frame
            time = frame / 50
            recorder.record(time, [[min(time, 0.5), noise, 0.0, 0.0, 0.0, noise, 1.0]])
    played = Usd.Stage.Open(str(tmp_path / "take.usda"))
    assert samples(played, "translate") == [0, 25, 50]
    assert samples(played, "orient") == []
    for frame in range(51):
        assert_at(played, scene, [[min(frame / 50, 0.5), 0, 0, 0, 0, 0, 1]], frame, tolerance=1e-6)


@settings(max_examples=60)
@given(st.integers(0, 2**31), st.floats(1e-6, 0.3), st.integers(2, 60), st.integers(0, 4))
def test_thinned_samples_give_all_others_within_the_tolerance(seed, tolerance, count, tracks):
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.uniform(0.01, 1.0, count))
    values = np.cumsum(rng.normal(size=(count, tracks, 3)) * rng.integers(0, 2, (count, 1, 1)), 0)
    needed = needed_samples(times, values, tolerance)
    for track in range(tracks):
        rows = np.flatnonzero(needed[:, track])
        for number in range(3):
            own = values[:, track, number]
            found = np.interp(times, times[rows], own[rows]) if len(rows) else own[0]
            assert np.abs(found - own).max() <= tolerance * (1.0 + 1e-9)


def test_a_reset_continues_the_recording(tmp_path):
    stage, scene = nested()
    recorder = Recorder(stage, scene, tmp_path / "take.usda", fps=10)
    poses = trajectory(4, 3)
    for time, frame in zip((0.0, 0.1, 0.0, 0.1), poses, strict=True):
        assert recorder.record(time, frame)
    played = Usd.Stage.Open(str(recorder.save()))
    assert played.GetEndTimeCode() == pytest.approx(3)
    for i, frame in enumerate(poses):
        assert_at(played, scene, frame, i, tolerance=1e-6)


def test_resting_bodies_get_no_samples(tmp_path):
    stage, scene = nested()
    pose = trajectory(1, 3)[0]
    with Recorder(stage, scene, tmp_path / "take.usda", fps=10) as recorder:
        recorder.record(0.0, pose)
        recorder.record(1.0, pose)
    played = Usd.Stage.Open(str(tmp_path / "take.usda"))
    assert played.GetPrimAtPath(PATHS[0]).GetAttribute("xformOp:orient").GetNumTimeSamples() == 0
    assert_at(played, scene, pose, 5)


def test_orientations_take_the_short_way_between_frames(tmp_path):
    stage = create_stage()
    define_prim(stage, "/a")
    scene = SceneDescription(bodies=(BodyDescription(path="/a"),))
    quats = [[0, 0, np.sin(a), np.cos(a)] for a in (0.0, 0.1)]
    with Recorder(stage, scene, tmp_path / "take.usda", fps=1) as recorder:
        recorder.record(0.0, [[0, 0, 0, *quats[0]]])
        recorder.record(1.0, [[0, 0, 0, *(-np.array(quats[1]))]])
    played = Usd.Stage.Open(str(tmp_path / "take.usda"))
    half = [0, 0, np.sin(0.05), np.cos(0.05)]
    assert_at(played, scene, [[0, 0, 0, *half]], 0.5)


def test_a_reader_supplies_time_and_poses(tmp_path):
    class Reader:
        time = 0.25

        def body_poses(self):
            return trajectory(1, 3)[0].tolist()

    stage, scene = nested()
    recorder = Recorder(stage, scene, tmp_path / "take.usda", reader=Reader(), fps=4)
    assert recorder.record() and not recorder.record()
    played = Usd.Stage.Open(str(recorder.save()))
    assert_at(played, scene, Reader().body_poses(), 1)


def test_what_cannot_be_recorded_is_refused(tmp_path):
    stage, scene = nested()
    with pytest.raises(InvalidValueError, match="fps"):
        Recorder(stage, scene, tmp_path / "take.usda", fps=0)
    recorder = Recorder(stage, scene, tmp_path / "take.usda")
    with pytest.raises(ShapeError, match=r"\(3, 7\)"):
        recorder.record(0.0, np.zeros((2, 7)))
    with pytest.raises(InvalidValueError, match="finite"):
        recorder.record(0.0, np.full((3, 7), np.nan))
    with pytest.raises(InvalidValueError, match="reader"):
        recorder.record()
    with pytest.raises(StageError, match="Nothing was recorded"):
        recorder.save()
    recorder.record(0.0, trajectory(1, 3)[0])
    recorder._path = tmp_path / "missing" / "take.usda"
    with pytest.raises(FileError, match="missing"):
        recorder.save()
    with pytest.raises(StageError, match="/elsewhere"):
        Recorder(stage, SceneDescription(bodies=(BodyDescription(path="/elsewhere"),)), "take.usda")


def test_write_back_moves_the_prims():
    stage, scene = nested()
    scales = scales_of(stage, scene)
    writer = PoseWriter(stage, scene)
    for frame in trajectory(3, 3):
        writer.write(frame)
        assert_at(stage, scene, frame)
        np.testing.assert_allclose(scales_of(stage, scene), scales, rtol=1e-9)
    frame = trajectory(1, 3, seed=9)[0]
    write_poses(stage, scene, frame)
    assert_at(stage, scene, frame)


@pytest.mark.parametrize("poses", [np.zeros((2, 7)), np.full((3, 7), np.nan)])
def test_a_refused_write_back_changes_nothing(poses):
    stage, scene = nested()
    before = stage.ExportToString()
    with pytest.raises((ShapeError, InvalidValueError), match="body poses"):
        write_poses(stage, scene, poses)
    assert stage.ExportToString() == before


def test_write_back_of_the_present_poses_changes_nothing():
    stage, scene = nested(up_axis="Z", meters_per_unit=1.0)
    before = [UsdGeom.XformCache().GetLocalToWorldTransform(stage.GetPrimAtPath(p)) for p in PATHS]
    poses = [world_pose(stage.GetPrimAtPath(p))[0] for p in PATHS]
    write_poses(stage, scene, [[*pose.pos, *pose.quat] for pose in poses])
    after = [UsdGeom.XformCache().GetLocalToWorldTransform(stage.GetPrimAtPath(p)) for p in PATHS]
    np.testing.assert_allclose(np.array(after), np.array(before), atol=1e-12)


def test_write_back_goes_to_the_edit_target():
    stage, scene = nested()
    with Usd.EditContext(stage, stage.GetSessionLayer()):
        write_poses(stage, scene, trajectory(1, 3)[0])
    assert stage.GetSessionLayer().GetPrimAtPath(PATHS[1])
    assert_at(stage, scene, trajectory(1, 3)[0])
    stage.GetSessionLayer().Clear()
    assert np.abs(world_pose(stage.GetPrimAtPath(PATHS[0]))[0].pos).max() > 10.0


def test_write_back_respects_a_reset_transform_stack():
    stage, scene = nested(up_axis="Z", meters_per_unit=1.0)
    UsdGeom.Xformable(stage.GetPrimAtPath(PATHS[1])).SetResetXformStack(True)
    frame = trajectory(1, 3)[0]
    write_poses(stage, scene, frame)
    assert UsdGeom.Xformable(stage.GetPrimAtPath(PATHS[1])).GetResetXformStack()
    assert_at(stage, scene, frame)


def instanced():
    """Two robots that share their content, an instance with a body in each, and one that rests."""
    stage = create_stage()
    define_prim(stage, "/gripper/finger")
    define_prim(stage, "/prototype/body")
    hand = define_prim(stage, "/prototype/body/hand")
    hand.GetReferences().AddInternalReference("/gripper")
    hand.SetInstanceable(True)
    for path in ("/one", "/two", "/still"):
        robot = define_prim(stage, path)
        robot.GetReferences().AddInternalReference("/prototype")
        robot.SetInstanceable(True)
    below = ("body", "body/hand/finger")
    paths = [f"{robot}/{name}" for robot in ("/one", "/two") for name in below]
    return stage, SceneDescription(bodies=tuple(BodyDescription(path=path) for path in paths))


def test_bodies_inside_instances_move_in_the_layer_of_the_poses():
    stage, scene = instanced()
    instances = ["/one", "/one/body/hand", "/two", "/two/body/hand"]
    layer = Sdf.Layer.CreateAnonymous()
    stage.GetSessionLayer().subLayerPaths.append(layer.identifier)
    with Usd.EditContext(stage, layer):
        writer = PoseWriter(stage, scene)
    for frame in trajectory(2, 4):
        writer.write(frame)
        assert_at(stage, scene, frame)
    assert not any(stage.GetPrimAtPath(path).IsInstance() for path in instances)
    assert stage.GetPrimAtPath("/still").IsInstance()
    layer.Clear()
    assert all(stage.GetPrimAtPath(path).IsInstance() for path in instances)


def test_recordings_of_instances_play(tmp_path):
    stage, scene = instanced()
    before = stage.GetRootLayer().ExportToString()
    frames = trajectory(3, 4)
    with Recorder(stage, scene, tmp_path / "run.usda", fps=1.0) as recorder:
        for time, frame in enumerate(frames):
            recorder.record(float(time), frame)
    assert stage.GetRootLayer().ExportToString() == before
    played = Usd.Stage.Open(str(tmp_path / "run.usda"))
    for time, frame in enumerate(frames):
        assert_at(played, scene, frame, float(time))
    assert played.GetPrimAtPath("/still").IsInstance()


def test_mirrored_bodies_keep_their_shape():
    stage = create_stage()
    set_local_pose(define_prim(stage, "/a"), Pose(), [-1.0, 2.0, 1.0])
    scene = SceneDescription(bodies=(BodyDescription(path="/a"),))
    before = UsdGeom.XformCache().GetLocalToWorldTransform(stage.GetPrimAtPath("/a"))
    pose, _ = world_pose(stage.GetPrimAtPath("/a"))
    write_poses(stage, scene, [[*pose.pos, *pose.quat]])
    after = UsdGeom.XformCache().GetLocalToWorldTransform(stage.GetPrimAtPath("/a"))
    np.testing.assert_allclose(np.array(after), np.array(before), atol=1e-12)


def test_a_simulated_drop_plays_back(tmp_path):
    """From the stage through the engine to the recording: free fall in centimetres, Y up."""
    from usdsim.engine import CpuEngine, compile_scene
    from usdsim.parser import parse_stage

    stage = create_stage(up_axis="Y", meters_per_unit=0.01)
    UsdPhysics.Scene.Define(stage, "/PhysicsScene")
    ball = define_prim(stage, "/World/tilted/ball")
    set_local_pose(stage.GetPrimAtPath("/World/tilted"), Pose(quat=quat_normalize([1, 2, 3, 4])))
    set_local_pose(ball, Pose(np.array([10.0, 20.0, 30.0])))
    UsdPhysics.RigidBodyAPI.Apply(ball)
    UsdPhysics.MassAPI.Apply(ball).CreateMassAttr(1.0)
    shape = UsdGeom.Sphere.Define(stage, "/World/tilted/ball/shape")
    UsdPhysics.CollisionAPI.Apply(shape.GetPrim())
    start, _ = world_pose(ball)

    engine = CpuEngine(compile_scene(parse_stage(stage).scene), num_envs=2)
    reader = EngineReader(engine, world=1)
    with Recorder(stage, engine.compiled.scene, tmp_path / "drop.usda", reader=reader) as recorder:
        recorder.record()
        while reader.time < 0.5:
            engine.step()
            recorder.record()
    assert recorder.num_frames == 31
    played = Usd.Stage.Open(str(tmp_path / "drop.usda"))
    end = played.GetEndTimeCode()
    time = end / played.GetTimeCodesPerSecond()
    cache = UsdGeom.XformCache(end)
    pose, _ = world_pose(played.GetPrimAtPath("/World/tilted/ball"), cache)
    fallen = start.pos - pose.pos
    np.testing.assert_allclose(fallen, [0, 0.5 * 981.0 * time**2, 0], atol=2.0)
    with pytest.raises(InvalidValueError, match="0 to 1"):
        EngineReader(engine, world=2)
