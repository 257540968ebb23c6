"""Cameras of the asset door: where they are, what they see, when."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from pxr import Gf, Sdf, UsdGeom
from sensor_stages import camera_at_box, row_of_boxes

from usdsim.core.errors import InvalidValueError, StageError
from usdsim.math.rotations import quat_apply
from usdsim.sensors import Camera, CameraCfg, TiledCameraCfg
from usdsim.sim import SimulationCfg, SimulationContext
from usdsim.spawners import FisheyeCameraCfg, PinholeCameraCfg

WIDTH, HEIGHT = 24, 16
SPACING = 3.0
EXACT = 1e-4
"""Depths a metre away in single precision [m]."""


def _stage(count: int):
    """Environments on a row, each with a falling box and a wall that only eyes see."""
    stage = row_of_boxes(count, SPACING)
    for index in range(count):
        wall = UsdGeom.Cube.Define(stage, f"/World/envs/env_{index}/wall")
        wall.CreateSizeAttr(1.0)
        wall.AddTranslateOp().Set(Gf.Vec3d(-1.0, 0.0, 1.0))
        wall.AddScaleOp().Set(Gf.Vec3f(0.2, 4.0, 4.0))
        wall.CreateDisplayColorAttr([(0.05, 0.05, 0.9)])
    return stage


def _cfg(**options) -> CameraCfg:
    types = ("rgb", "depth", "distance_to_camera", "normals")
    return camera_at_box((WIDTH, HEIGHT), *types, **options)


def test_every_environment_sees_its_own_box(device: str):
    stage = _stage(3)
    with SimulationContext(SimulationCfg(dt=0.01), stage=stage) as sim:
        camera = Camera(_cfg())
        sim.reset()
        data = camera.data
        assert camera.num_instances == 3 and data.image_shape == (HEIGHT, WIDTH)
        eyes = [[2.0, SPACING * k, 1.0] for k in range(3)]
        np.testing.assert_allclose(data.pos_w.numpy(), eyes, atol=1e-6)
        ahead = quat_apply(data.quat_w_opengl.numpy(), np.array([0.0, 0.0, -1.0]))
        np.testing.assert_allclose(ahead, [[-1.0, 0.0, 0.0]] * 3, atol=1e-6)
        along = quat_apply(data.quat_w_ros.numpy(), np.array([0.0, 0.0, 1.0]))
        np.testing.assert_allclose(along, ahead, atol=1e-6)
        middle = (HEIGHT // 2, WIDTH // 2)
        depth = data.output["depth"].numpy()
        assert depth.shape == (3, HEIGHT, WIDTH, 1)
        np.testing.assert_allclose(depth[:, *middle, 0], 1.8, atol=EXACT)
        np.testing.assert_allclose(depth[:, 1, 1, 0], 2.9, atol=EXACT)  # the wall
        np.testing.assert_allclose(data.output["normals"].numpy()[:, *middle], [[1, 0, 0]] * 3)
        rgb = data.output["rgb"].numpy()[:, *middle].astype(int)
        assert rgb.shape == (3, 3) and (rgb[:, 0] > 3 * rgb[:, 2]).all()
        corner = data.output["rgb"].numpy()[:, 1, 1].astype(int)
        assert (corner[:, 2] > 3 * corner[:, 0]).all()
        for _ in range(60):
            sim.step()
        falling = camera.data.output["depth"].numpy()
        np.testing.assert_allclose(falling[:, *middle, 0], 2.9, atol=EXACT)


def test_camera_prims_have_the_aspect_ratio_of_their_images():
    stage = _stage(1)
    with SimulationContext(SimulationCfg(), stage=stage):
        Camera(_cfg())
        eye = UsdGeom.Camera.Get(stage, "/World/envs/env_0/eye")
        sides = [a.Get() for a in (eye.GetVerticalApertureAttr(), eye.GetHorizontalApertureAttr())]
        np.testing.assert_allclose(sides[0], sides[1] * HEIGHT / WIDTH, rtol=1e-6)


def test_depth_to_the_plane_is_the_distance_times_the_cosine():
    with SimulationContext(SimulationCfg(dt=0.01), stage=_stage(1)) as sim:
        camera = Camera(_cfg())
        sim.reset()
        data = camera.data
        k = data.intrinsic_matrices.numpy()[0]
        assert k[0, 0] == pytest.approx(WIDTH * 24.0 / 20.955)
        assert k[0, 0] == pytest.approx(k[1, 1])
        x, y = np.meshgrid(np.arange(WIDTH) + 0.5, np.arange(HEIGHT) + 0.5)
        slope = np.hypot((x - k[0, 2]) / k[0, 0], (y - k[1, 2]) / k[1, 1])
        depth = data.output["depth"].numpy()[0, ..., 0]
        length = data.output["distance_to_camera"].numpy()[0, ..., 0]
        np.testing.assert_allclose(length, depth * np.hypot(1.0, slope), atol=EXACT)


def test_a_camera_on_a_body_moves_with_it():
    stage = _stage(1)
    with SimulationContext(SimulationCfg(dt=0.01), stage=stage) as sim:
        offset = CameraCfg.OffsetCfg(pos=(0.3, 0.0, 0.0), rot=(0, 0, 1, 0), convention="world")
        camera = Camera(_cfg(prim_path="/World/envs/env_0/box/eye", offset=offset))
        sim.reset()
        before = camera.data.pos_w.numpy().copy()
        for _ in range(20):
            sim.step()
        after = camera.data.pos_w.numpy()
        np.testing.assert_allclose(before, [[0.3, 0.0, 1.0]], atol=1e-6)
        assert after[0, 2] == pytest.approx(1.0 - 9.81 * 0.01**2 * 20 * 21 / 2, abs=1e-4)


def test_segmentation_tells_labels_prims_and_background_apart():
    stage = _stage(2)
    types = [
        "semantic_segmentation",
        "instance_segmentation_fast",
        "instance_id_segmentation_fast",
    ]
    wall = stage.GetPrimAtPath("/World/envs/env_0/wall")
    name = Sdf.ValueTypeNames.TokenArray
    wall.CreateAttribute("semantics:labels:class", name).Set(["wall"])
    with SimulationContext(SimulationCfg(dt=0.01), stage=stage) as sim:
        camera = TiledCameraCfg(**{**vars(_cfg()), "data_types": types})
        camera = Camera(camera)
        sim.reset()
        data = camera.data
        seen = {t: data.output[t].numpy()[..., 0] for t in types}
        labels = {t: data.info[t]["idToLabels"] for t in types}
        middle = (0, HEIGHT // 2, WIDTH // 2)
        assert labels[types[0]][seen[types[0]][middle]] == {"class": "UNLABELLED"}
        assert labels[types[0]][seen[types[0]][0, 1, 1]] == {"class": "wall"}
        assert labels[types[1]][seen[types[1]][0, 1, 1]] == "/World/envs/env_0/wall"
        assert labels[types[2]][seen[types[2]][middle]] == "/World/envs/env_0/box"


def test_segmentation_in_colours_and_albedo_without_light():
    stage = _stage(1)
    wall = stage.GetPrimAtPath("/World/envs/env_0/wall")
    wall.CreateAttribute("semantics:labels:class", Sdf.ValueTypeNames.TokenArray).Set(["wall"])
    types = ["rgb", "albedo", "semantic_segmentation", "instance_id_segmentation_fast"]
    with SimulationContext(SimulationCfg(dt=0.01), stage=stage) as sim:
        camera = Camera(
            _cfg(
                data_types=types,
                colorize_semantic_segmentation=True,
                semantic_segmentation_mapping={"class:wall": (1, 2, 3, 255)},
                renderer_cfg=SimpleNamespace(colorize_instance_id_segmentation=True),
            )
        )
        sim.reset()
        corner, middle = (0, 1, 1), (0, HEIGHT // 2, WIDTH // 2)
        images = {name: camera.data.output[name].numpy() for name in types}
        labels = {name: camera.data.info[name]["idToLabels"] for name in types[2:]}
        assert tuple(images[types[2]][corner]) == (1, 2, 3, 255)
        assert labels[types[2]]["(1, 2, 3, 255)"] == {"class": "wall"}
        assert tuple(images[types[2]][middle]) == (0, 0, 0, 255)
        told = tuple(int(c) for c in images[types[3]][middle])
        assert labels[types[3]][str(told)] == "/World/envs/env_0/box"
        expected = [0.9, 0.05, 0.05, 1.0]
        np.testing.assert_allclose(images["albedo"][middle] / 255.0, expected, atol=1 / 255)
        assert images["rgb"][middle][0] < images["albedo"][middle][0]


def test_updates_follow_the_period_and_hold_in_between():
    with SimulationContext(SimulationCfg(dt=0.01), stage=_stage(1)) as sim:
        path = "/World/envs/env_0/box/eye"
        camera = Camera(_cfg(prim_path=path, update_period=0.05, data_types=["depth"]))
        sim.reset()
        seen = []
        for _ in range(15):
            sim.step()
            camera.update(0.01)
            seen.append(camera.data.pos_w.numpy().copy())
        changed = [k + 1 for k in range(1, 15) if (seen[k] != seen[k - 1]).any()]
        assert changed == [5, 10, 15]


def test_intrinsics_and_poses_can_be_set():
    with SimulationContext(SimulationCfg(dt=0.01), stage=_stage(2)) as sim:
        camera = Camera(_cfg(data_types=["depth"]))
        sim.reset()
        camera.set_world_poses_from_view([[3.0, 0.0, 1.0]], [[0.0, 0.0, 1.0]], env_ids=[0])
        depth = camera.data.output["depth"].numpy()[:, HEIGHT // 2, WIDTH // 2, 0]
        np.testing.assert_allclose(depth, [2.8, 1.8], atol=EXACT)
        camera.set_world_poses(positions=[[4.0, 0.0, 1.0]], env_ids=[0])
        ahead = quat_apply(camera.data.quat_w_world.numpy(), [1.0, 0.0, 0.0])
        np.testing.assert_allclose(ahead, [[-1.0, 0.0, 0.0]] * 2, atol=1e-6)
        camera.set_world_poses(orientations=[[0.0, 0.0, 0.0, 1.0]], env_ids=[0], convention="world")
        ahead = quat_apply(camera.data.quat_w_world.numpy(), [1.0, 0.0, 0.0])
        np.testing.assert_allclose(ahead, [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]], atol=1e-6)
        np.testing.assert_allclose(camera.data.pos_w.numpy()[0], [4.0, 0.0, 1.0], atol=1e-6)
        wide = np.array([[[10.0, 0.0, 12.0], [0.0, 10.0, 8.0], [0.0, 0.0, 1.0]]])
        camera.set_intrinsic_matrices(wide, env_ids=[1])
        box = np.isclose(camera.data.output["depth"].numpy()[1, ..., 0], 1.8, atol=1e-3)
        assert box.sum() == 4  # 0.4 m at 1.8 m, 10 pixels a radian


def test_a_fisheye_sees_in_proportion_to_the_angle():
    lens = FisheyeCameraCfg(
        clipping_range=(0.01, 100.0),
        fisheye_nominal_width=WIDTH,
        fisheye_nominal_height=HEIGHT,
        fisheye_optical_centre_x=WIDTH / 2,
        fisheye_optical_centre_y=HEIGHT / 2,
        fisheye_polynomial_b=0.1,
    )
    with SimulationContext(SimulationCfg(dt=0.01), stage=_stage(1)) as sim:
        camera = Camera(_cfg(spawn=lens, data_types=["distance_to_camera"]))
        sim.reset()
        seen = camera.data.output["distance_to_camera"].numpy()[0, :, :, 0]
        angle = 0.1 * 0.5 * np.sqrt(2.0)
        assert seen[HEIGHT // 2, WIDTH // 2] == pytest.approx(1.8 / np.cos(angle), abs=EXACT)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"width": 0}, "width"),
        ({"data_types": ["smell"]}, "semantic_segmentation"),
        ({"spawn": PinholeCameraCfg(clipping_range=(5.0, 1.0))}, "nearest < farthest"),
        ({"depth_clipping_behavior": "min"}, "'none', 'max', 'zero'"),
    ],
)
def test_bad_values_are_refused(options, message):
    with (
        SimulationContext(SimulationCfg(dt=0.01), stage=_stage(1)),
        pytest.raises(InvalidValueError, match=message),
    ):
        Camera(_cfg(**options))


def test_a_camera_without_prim_says_so_and_the_simulation_goes_on():
    with SimulationContext(SimulationCfg(dt=0.01), stage=_stage(1)) as sim:
        camera = Camera(_cfg(spawn=None, prim_path="/World/envs/env_.*/wall"))
        with pytest.raises(StageError, match="There is no camera at /World/envs/env_0/wall"):
            sim.reset()
        sim.unregister(camera)
        sim.reset()
        sim.step()


def test_more_pixels_than_memory_holds_are_refused_and_the_simulation_goes_on():
    with SimulationContext(SimulationCfg(dt=0.01), stage=_stage(5)) as sim:
        camera = Camera(_cfg(width=8192, height=8192))
        with pytest.raises(InvalidValueError, match="pixels of all cameras is 335544320; allowed"):
            sim.reset()
        sim.unregister(camera)
        sim.reset()
        sim.step()


def test_images_that_are_not_taken_are_named():
    with SimulationContext(SimulationCfg(dt=0.01), stage=_stage(1)) as sim:
        camera = Camera(_cfg(data_types=["rgb"]))
        sim.reset()
        with pytest.raises(KeyError, match=r"No image 'depth' in data_types.*Available: rgb"):
            camera.data.output["depth"]
        assert camera.data.output.get("depth") is None and "depth" not in camera.data.output
