"""Recordings played back: poses are those that were recorded, in any units and axes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pxr import Usd, UsdGeom, UsdPhysics

import usdsim
from usdsim.core.errors import InvalidValueError
from usdsim.math.transforms import Pose
from usdsim.render import EngineReader, Recording, Renderer
from usdsim.render.recordings import is_recording
from usdsim.sim import Recorder
from usdsim.usd import create_stage, define_prim, set_local_pose

FLEX = """<mujoco><worldbody>
  <flexcomp name="cloth" type="grid" count="4 4 1" spacing=".1 .1 .1" dim="2" radius=".01"
    mass=".1" pos="0 0 2"><edge equality="true"/></flexcomp>
  <flexcomp name="rope" type="grid" count="6 1 1" spacing=".1 .1 .1" dim="1" radius=".01"
    mass=".1" pos="0 0 1"><edge equality="true"/></flexcomp>
  <body name="arm" pos="0 0 3"><joint axis="0 1 0"/><geom size=".1" pos="1 0 0"/></body>
  </worldbody></mujoco>"""


def _recorded(model, path: Path, steps: int = 60) -> tuple[Recording, list]:
    """A recording with a frame at every step, and what was in each."""
    data = usdsim.SceneData(model)
    reader, kept = EngineReader(data.low), []
    fps = 1.0 / float(model.low.opt.timestep)
    with Recorder(
        model.stage, model.description, path, reader=reader, fps=fps, tolerance=0.0
    ) as recorder:
        for _ in range(steps):
            recorder.record()
            kept.append((reader.body_poses(), reader.deformable_points()))
            model.step(data)
    return Recording(path), kept


def _assert_same(found: dict, paths: list[str], poses: np.ndarray) -> None:
    for path, pose in zip(paths, poses, strict=True):
        np.testing.assert_allclose(found[path][:3], pose[:3], atol=1e-6)
        assert abs(found[path][3:] @ pose[3:]) == pytest.approx(1.0, abs=1e-7)


@pytest.mark.parametrize("up", ["Y", "Z"])
def test_every_frame_is_what_was_recorded(tmp_path: Path, up: str):
    stage = create_stage(tmp_path / "drop.usda", up_axis=up, meters_per_unit=0.01)
    UsdPhysics.Scene.Define(stage, "/PhysicsScene")
    for name, pos in (("a", (10.0, 20.0, 30.0)), ("a/b", (0.0, 0.0, 50.0))):
        prim = define_prim(stage, f"/World/{name}")
        set_local_pose(prim, Pose(np.array(pos)))
        UsdPhysics.RigidBodyAPI.Apply(prim)
        UsdPhysics.RigidBodyAPI(prim).CreateAngularVelocityAttr((30.0, 100.0, 5.0))
        ball = UsdGeom.Cube.Define(stage, f"/World/{name}/shape")
        UsdPhysics.CollisionAPI.Apply(ball.GetPrim())
    stage.Save()
    model = usdsim.load_model(tmp_path / "drop.usda")
    recording, kept = _recorded(model, tmp_path / "take.usda")
    assert is_recording(recording.stage) and not is_recording(model.stage)
    assert len(recording.times) == len(kept)
    paths = [body.path for body in model.description.bodies]
    for time, (poses, _) in zip(recording.times, kept, strict=True):
        recording.seek(time)
        _assert_same(recording.read(), paths, poses)


def test_soft_bodies_are_read_by_vertex(tmp_path: Path):
    (tmp_path / "soft.xml").write_text(FLEX)
    model = usdsim.load_model(tmp_path / "soft.xml")
    recording, kept = _recorded(model, tmp_path / "take.usda", 20)
    recording.seek(recording.duration)
    found = recording.read()
    for name, points in zip(("cloth", "rope"), kept[-1][1], strict=True):
        path = next(path for path in found if path.endswith(name))
        np.testing.assert_allclose(found[path], points, atol=1e-5)


def test_copies_of_instancers_move(tmp_path: Path):
    stage = create_stage(tmp_path / "rocks.usda")
    rocks = UsdGeom.PointInstancer.Define(stage, "/World/rocks")
    ball = UsdGeom.Sphere.Define(stage, "/World/rocks/Prototypes/ball")
    UsdPhysics.RigidBodyAPI.Apply(ball.GetPrim())
    UsdPhysics.CollisionAPI.Apply(ball.GetPrim())
    rocks.CreatePrototypesRel().SetTargets([ball.GetPath()])
    rocks.CreateProtoIndicesAttr([0, 0])
    rocks.CreatePositionsAttr([(0, 0, 5), (4, 0, 9)])
    stage.Save()
    model = usdsim.load_model(tmp_path / "rocks.usda")
    recording, kept = _recorded(model, tmp_path / "take.usda", 30)
    recording.seek(recording.duration)
    _assert_same(recording.read(), [b.path for b in model.description.bodies], kept[-1][0])


def test_pictures_of_a_recording_are_those_of_the_simulation(tmp_path: Path):
    (tmp_path / "soft.xml").write_text(FLEX)
    model = usdsim.load_model(tmp_path / "soft.xml")
    data = usdsim.SceneData(model)
    recording, _ = _recorded(model, tmp_path / "take.usda", 20)
    model.step_n(data, 19)
    recording.seek(recording.duration)
    with Renderer(model, data, size=(80, 60)) as live, Renderer(recording, size=(80, 60)) as played:
        pose = live.frame()
        assert np.abs(live.render(pose).astype(int) - played.render(pose)).mean() < 0.5
        with pytest.raises(InvalidValueError, match="finite"):
            recording.seek(np.nan)
    with pytest.raises(InvalidValueError, match="one world"):
        Renderer(recording, world=1)


def test_times_are_clipped_to_the_recording(tmp_path: Path):
    stage = Usd.Stage.CreateInMemory()
    prim = UsdGeom.Cube.Define(stage, "/box").GetPrim()
    UsdPhysics.RigidBodyAPI.Apply(prim)
    UsdPhysics.CollisionAPI.Apply(prim)
    move = UsdGeom.Xformable(prim).AddTranslateOp()
    for code, x in ((10, 1.0), (34, 3.0)):
        move.Set((x, 0, 0), code)
    stage.SetStartTimeCode(10)
    stage.SetEndTimeCode(34)
    stage.SetTimeCodesPerSecond(24)
    UsdGeom.SetStageUpAxis(stage, "Z")
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    recording = Recording(stage)
    assert (recording.duration, recording.fps, len(recording.times)) == (1.0, 24.0, 25)
    for time, x in ((-1.0, 1.0), (0.5, 2.0), (9.0, 3.0)):
        recording.seek(time)
        assert recording.read()["/box"][0] == pytest.approx(x)
