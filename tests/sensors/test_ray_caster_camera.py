"""Ray caster cameras against planes in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from sensor_stages import ANY, ENV, box, floor, frame, turned

from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.math.rotations import quat_apply
from usdsim.sensors import (
    MultiMeshRayCasterCamera,
    MultiMeshRayCasterCameraCfg,
    RayCasterCamera,
    RayCasterCameraCfg,
)
from usdsim.sensors.patterns import PinholeCameraPatternCfg

pytestmark = pytest.mark.usefixtures("device")

LENS = PinholeCameraPatternCfg(focal_length=24.0, horizontal_aperture=20.955, width=8, height=6)
ALL = ["distance_to_image_plane", "distance_to_camera", "normals"]


def stage_with_mount(stage):
    floor(stage)
    frame(stage, f"{ENV}/mount", turned((0.0, 0.0, 2.0)))


def camera(**values) -> RayCasterCamera:
    values.setdefault("prim_path", f"{ANY}/mount")
    values.setdefault("pattern_cfg", LENS)
    values.setdefault("data_types", ALL)
    return RayCasterCamera(RayCasterCameraCfg(mesh_prim_paths=["/World/floor"], **values))


def test_a_camera_that_looks_down_sees_the_floor_at_one_depth(make_sim):
    # Along -z with +y up, 0.5 m above the mount.
    offset = RayCasterCameraCfg.OffsetCfg(pos=(0.0, 0.0, 0.5), convention="opengl")
    sim = make_sim(stage_with_mount)
    sensor = camera(offset=offset)
    sim.reset()
    data = sensor.data
    depth = data.output["distance_to_image_plane"].numpy()
    assert depth.shape == (sim.num_envs, 6, 8, 1) and sensor.image_shape == (6, 8)
    np.testing.assert_allclose(depth, 2.5, rtol=1e-6)
    matrix = data.intrinsic_matrices.numpy()[0]
    columns, rows = np.meshgrid(np.arange(8) + 0.5, np.arange(6) + 0.5)
    rays = np.stack([columns, rows, np.ones_like(rows)], -1) @ np.linalg.inv(matrix).T
    length = 2.5 * np.linalg.norm(rays, axis=-1)
    np.testing.assert_allclose(data.output["distance_to_camera"].numpy()[0, ..., 0], length, 1e-6)
    up = np.broadcast_to([0.0, 0.0, 1.0], (6, 8, 3))
    np.testing.assert_allclose(data.output["normals"].numpy()[0], up, atol=1e-6)
    np.testing.assert_allclose(data.pos_w.numpy() - sim.env_origins, [[0, 0, 2.5]] * sim.num_envs)
    for quat, ahead in (
        (data.quat_w_world, (1.0, 0.0, 0.0)),
        (data.quat_w_ros, (0.0, 0.0, 1.0)),
        (data.quat_w_opengl, (0.0, 0.0, -1.0)),
    ):
        np.testing.assert_allclose(quat_apply(quat.numpy()[0], ahead), (0, 0, -1), atol=1e-6)


def test_a_camera_sees_several_targets_and_drifts(make_sim):
    def stage_with_box(stage):
        stage_with_mount(stage)
        box(stage, f"{ENV}/box", (0.0, 0.0, 0.8), half=0.2, body=False)

    targets = [MultiMeshRayCasterCameraCfg.RaycastTargetCfg(prim_expr=f"{ANY}/box"), "/World/floor"]
    sim = make_sim(stage_with_box)
    sensor = MultiMeshRayCasterCamera(
        MultiMeshRayCasterCameraCfg(
            prim_path=f"{ANY}/mount",
            offset=MultiMeshRayCasterCameraCfg.OffsetCfg(convention="opengl"),
            pattern_cfg=LENS,
            data_types=["distance_to_image_plane"],
            mesh_prim_paths=targets,
            update_period=0.01,
        )
    )
    sim.reset()
    depth = sensor.data.output["distance_to_image_plane"]
    assert set(np.round(depth.numpy().ravel(), 5)) == {1.0, 2.0}, "the box, and the floor beside it"
    sensor.drift[:] = sensor.drift.torch.new_tensor([0.0, 0.0, 0.25])
    sensor.reset()
    assert set(np.round(sensor.data.output["distance_to_image_plane"].numpy().ravel(), 5)) == {
        1.25,
        2.25,
    }


def test_a_camera_is_put_where_it_sees_a_point(make_sim):
    sim = make_sim(stage_with_mount)
    sensor = camera(max_distance=50.0, depth_clipping_behavior="zero")
    sim.reset()
    count = sim.num_envs
    eyes = sim.env_origins + np.array([3.0, 0.0, 4.0])
    sensor.set_world_poses_from_view(eyes, sim.env_origins)
    np.testing.assert_allclose(sensor.data.pos_w.numpy(), eyes, atol=1e-5)
    # The four pixels about the middle are as far away as the point, about.
    middle = sensor.data.output["distance_to_image_plane"].numpy()[:, 2:4, 3:5, 0]
    np.testing.assert_allclose(middle.mean(axis=(1, 2)), [5.0] * count, rtol=0.02)
    # To the horizon, where the upper half sees nothing.
    level = np.tile([0.0, 0.0, 0.0, 1.0], (count, 1))
    with pytest.raises(InvalidValueError, match=r"convention.*'opengl', 'ros', 'world'"):
        sensor.set_world_poses(orientations=level, convention="usd")
    sensor.set_world_poses(orientations=level, convention="world")
    depth = sensor.data.output["distance_to_camera"].numpy()[0, ..., 0]
    assert (depth[:3] == 0.0).all() and (depth[5] > 0.0).all()
    np.testing.assert_allclose(sensor.data.pos_w.numpy(), eyes, atol=1e-5)
    with pytest.raises(ShapeError):
        sensor.set_world_poses(np.zeros((count + 1, 3)))


def test_a_camera_on_a_body_moves_with_it(make_sim):
    def stage_with_body(stage):
        floor(stage)
        box(stage, f"{ENV}/base", (0.0, 0.0, 2.0))

    offset = RayCasterCameraCfg.OffsetCfg(convention="opengl")
    sim = make_sim(stage_with_body)
    sensor = camera(prim_path=f"{ANY}/base", offset=offset)
    sim.reset()
    before = sensor.data.output["distance_to_image_plane"].numpy().copy()
    for _ in range(10):
        sim.step()
    sensor.update(10 * sim.physics_dt, force_recompute=True)
    fallen = before - sensor.data.output["distance_to_image_plane"].numpy()
    assert (fallen > 1e-4).all()
    height = sensor.data.pos_w.numpy()[0, 2]
    np.testing.assert_allclose(before[0, 0, 0, 0] - fallen[0], height, rtol=1e-5)


@pytest.mark.parametrize(
    "values",
    [
        {"data_types": ["rgb"]},
        {"depth_clipping_behavior": "some"},
        {"offset": RayCasterCameraCfg.OffsetCfg(convention="usd")},
    ],
)
def test_what_it_cannot_do_is_refused(make_sim, values):
    make_sim(stage_with_mount)
    with pytest.raises(InvalidValueError):
        camera(**values)


def test_lenses_of_single_instances_can_be_set_and_samples_are_counted(make_sim):
    offset = RayCasterCameraCfg.OffsetCfg(convention="opengl")
    sim = make_sim(stage_with_mount)
    sensor = camera(offset=offset, data_types=["distance_to_camera"])
    sim.reset()
    assert sensor.frame.numpy().tolist() == [0] * sim.num_envs
    before = sensor.data.output["distance_to_camera"].numpy().copy()
    last = sim.num_envs - 1
    matrix = np.array([[4.0, 0.0, 4.0], [0.0, 4.0, 3.0], [0.0, 0.0, 1.0]])
    sensor.set_intrinsic_matrices(matrix[None], 24.0, [last])
    after = sensor.data.output["distance_to_camera"].numpy()
    np.testing.assert_allclose(after[:last], before[:last])
    slope = np.hypot((0.5 - 4.0) / 4.0, (0.5 - 3.0) / 4.0)
    assert after[last, 0, 0, 0] == pytest.approx(2.0 * np.hypot(1.0, slope), rel=1e-5)
    np.testing.assert_allclose(sensor.data.intrinsic_matrices.numpy()[last], matrix)
    assert sensor.frame.numpy()[last] == 2
    sensor.reset(env_ids=[last])
    assert sensor.frame.numpy()[last] == 0
    with pytest.raises(ShapeError, match="matrices"):
        sensor.set_intrinsic_matrices(matrix)
