"""Frame transformers against rotation maths."""

from __future__ import annotations

import numpy as np
import pytest
from pxr import UsdGeom
from sensor_stages import ANY, ENV, SPACING, box, frame, turned, vectors

from usdsim.core.errors import InvalidValueError, StageError, UnknownNameError
from usdsim.math.transforms import Pose
from usdsim.sensors import FrameTransformer, FrameTransformerCfg, OffsetCfg
from usdsim.usd import set_local_pose

FrameCfg = FrameTransformerCfg.FrameCfg
BASE = turned((0.3, 0.2, 1.0), (0.0, 0.6, 0.8), 0.7)
HANDS = (turned((1.0, 0.0, 2.0), (1, 0, 0), -0.5), turned((0.0, -1.0, 0.5), (0, 0, 1), 2.0))
SHELF = turned((0.5, 0.5, 0.0), (0, 0, 1), 0.3)
MARK = turned((0.0, 0.1, 0.2), (0, 1, 0), 0.25)


def robot(stage):
    box(stage, f"{ENV}/robot/base", pose=BASE)
    for i, pose in enumerate(HANDS):
        box(stage, f"{ENV}/robot/hand_{i}", pose=pose)
    frame(stage, f"{ENV}/robot/base/mark", MARK)
    frame(stage, f"{ENV}/shelf", SHELF)
    box(stage, f"{ENV}/shelf/plate", (0, 0, -0.1), body=False)


def transformer(*targets, **values) -> FrameTransformer:
    values.setdefault("prim_path", f"{ANY}/robot/base")
    return FrameTransformer(FrameTransformerCfg(target_frames=list(targets), **values))


def rows(poses):
    return np.array([p.pos for p in poses]), np.array([p.quat for p in poses])


def same_rotation(found, expected):
    return np.abs(np.sum(found * expected, axis=-1)) == pytest.approx(1.0, abs=1e-6)


def test_targets_are_where_rotation_maths_says(make_sim):
    sim = make_sim(robot)
    source = OffsetCfg(pos=(0.1, 0.0, -0.2), rot=(np.sin(0.2), 0.0, 0.0, np.cos(0.2)))
    tip = OffsetCfg(pos=(0.0, 0.0, 0.4), rot=(0.0, np.sin(0.5), 0.0, np.cos(0.5)))
    sensor = transformer(
        FrameCfg(prim_path=f"{ANY}/robot/hand_.*"),
        FrameCfg(prim_path=f"{ANY}/robot/hand_0", name="tip", offset=tip),
        FrameCfg(prim_path=f"{ANY}/robot/base/mark"),
        FrameCfg(prim_path=f"{ANY}/shelf", name="place"),
        FrameCfg(prim_path=f"{ANY}/shelf/plate"),
        source_frame_offset=source,
    )
    sim.reset()
    names = ["hand_0", "hand_1", "tip", "mark", "place", "plate"]
    data = sensor.data
    assert data.target_frame_names == sensor.body_names == names and sensor.num_bodies == 6
    assert sensor.num_instances == 2
    assert sensor.find_bodies("hand_.*") == ([0, 1], ["hand_0", "hand_1"])
    with pytest.raises(UnknownNameError, match="foot"):
        sensor.find_bodies("foot")
    start = BASE @ source.pose("")
    targets = [
        *HANDS,
        HANDS[0] @ tip.pose(""),
        BASE @ MARK,
        SHELF,
        SHELF @ turned((0, 0, -0.1)),
    ]
    for world in range(2):
        shift = np.array([SPACING * world, 0, 0])
        assert vectors(data.source_pos_w)[world] == pytest.approx(start.pos + shift, abs=1e-6)
        assert same_rotation(vectors(data.source_quat_w)[world], start.quat)
        pos, quat = rows(targets)
        assert vectors(data.target_pos_w)[world] == pytest.approx(pos + shift, abs=1e-6)
        assert same_rotation(vectors(data.target_quat_w)[world], quat)
        pos, quat = rows([start.inverse() @ target for target in targets])
        assert vectors(data.target_pos_source)[world] == pytest.approx(pos, abs=2e-6)
        assert same_rotation(vectors(data.target_quat_source)[world], quat)


def test_fixed_prims_follow_their_environment_in_turned_and_scaled_stages(make_sim):
    def build(stage):
        box(stage, f"{ENV}/base", (0, 0, 100.0), half=10.0)
        frame(stage, f"{ENV}/goal", turned((50.0, 20.0, 0.0)))

    sim = make_sim(build, up_axis="Y", meters_per_unit=0.01)
    turn = turned((300.0, 0, 0), (0, 1, 0), 0.5)
    set_local_pose(sim.stage.GetPrimAtPath("/World/envs/env_1"), turn)
    sensor = transformer(FrameCfg(prim_path=f"{ANY}/goal"), prim_path=f"{ANY}/base")
    sim.reset()
    cache = UsdGeom.XformCache()
    for world in range(2):
        prim = sim.stage.GetPrimAtPath(f"/World/envs/env_{world}/goal")
        x, y, z = np.array(cache.GetLocalToWorldTransform(prim))[3, :3] * 0.01
        assert vectors(sensor.data.target_pos_w)[world, 0] == pytest.approx([x, -z, y], abs=1e-6)
    assert vectors(sensor.data.target_pos_source)[1, 0] == pytest.approx(
        vectors(sensor.data.target_pos_source)[0, 0], abs=1e-5
    )


def test_frames_follow_writes_without_a_step_and_leave_other_worlds_alone(make_sim):
    sim = make_sim(robot, envs=3)
    sensor = transformer(FrameCfg(prim_path=f"{ANY}/robot/hand_1"))
    sim.reset()
    sim.step_n(3)
    before = vectors(sensor.data.target_pos_source)
    qpos = sim.engine.read("qpos").copy()
    qpos[1, 14:17] += [0.0, 0.0, 1.0]
    sim.engine.write("qpos", qpos[[1]], env_ids=[1])
    now = vectors(sensor.data.target_pos_source)
    assert np.array_equal(now[[0, 2]], before[[0, 2]])
    up = Pose(np.zeros(3), BASE.quat).inverse().apply([0, 0, 1.0])
    assert now[1, 0] - before[1, 0] == pytest.approx(up, abs=1e-5)


def test_names_tell_frames_apart(make_sim):
    def build(stage):
        robot(stage)
        for side in ("left", "right"):
            frame(stage, f"{ENV}/{side}", turned())
            box(stage, f"{ENV}/{side}/foot")

    sim = make_sim(build)
    sensor = transformer(
        FrameCfg(prim_path=f"{ANY}/left/foot"), FrameCfg(prim_path=f"{ANY}/right/foot")
    )
    sim.reset()
    assert sensor.body_names == ["left/foot", "right/foot"]


@pytest.mark.parametrize(
    ("targets", "values", "error", "message"),
    [
        (
            [FrameCfg(prim_path=f"{ANY}/robot/hands_0")],
            {},
            StageError,
            r"matches no prim.*env_0/robot has no 'hands_0'.*Did you mean 'hand_0'",
        ),
        (
            [FrameCfg(prim_path=f"{ANY}/robot/hand_.*", name="hand")],
            {},
            InvalidValueError,
            r"target_frames\[0\].name",
        ),
        (
            [FrameCfg(prim_path=f"{ANY}/robot/hand_0", name="x") for _ in range(2)],
            {},
            InvalidValueError,
            "name of a target frame",
        ),
        (
            [FrameCfg(prim_path=f"{ANY}/robot/hand_0")],
            {"prim_path": f"{ANY}/robot/hand_.*"},
            StageError,
            "Choose one of them",
        ),
    ],
)
def test_what_does_not_fit_the_stage_is_refused_at_the_start(
    make_sim, targets, values, error, message
):
    sim = make_sim(robot)
    transformer(*targets, **values)
    with pytest.raises(error, match=message):
        sim.reset()


def test_configurations_that_make_no_sense_are_refused(make_sim):
    make_sim(robot)
    with pytest.raises(InvalidValueError, match="target_frames"):
        transformer()
    with pytest.raises(InvalidValueError, match=r"target_frames\[0\]"):
        transformer("hand")
    with pytest.raises(StageError, match=r"target_frames\[0\].prim_path"):
        transformer(FrameCfg())
    with pytest.raises(InvalidValueError, match=r"target_frames\[0\].offset.rot"):
        transformer(FrameCfg(prim_path=f"{ANY}/robot/hand_0", offset=OffsetCfg(rot=(1, 1, 1, 1))))
    with pytest.raises(InvalidValueError, match="source_frame_offset"):
        transformer(
            FrameCfg(prim_path=f"{ANY}/robot/hand_0"),
            source_frame_offset=OffsetCfg(pos=(np.nan, 0, 0)),
        )


def test_settings_of_markers_are_kept_and_shared_with_nobody():
    first, second = FrameTransformerCfg(), FrameTransformerCfg()
    first.visualizer_cfg.markers["frame"].scale = (0.1, 0.1, 0.1)
    assert first.copy().visualizer_cfg.markers["frame"].scale == (0.1, 0.1, 0.1)
    assert not second.visualizer_cfg.markers
