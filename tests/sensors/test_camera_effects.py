"""What cameras add to images: motion, noise, latency, and looks of single environments."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from pxr import Gf, UsdGeom
from sensor_stages import camera_at_box, row_of_boxes

from usdsim.core.errors import FileError, InvalidValueError, ShapeError
from usdsim.sensors import Camera
from usdsim.sim import SimulationCfg, SimulationContext

WIDTH, HEIGHT = 32, 24
MIDDLE = (HEIGHT // 2, WIDTH // 2)
_WALL = "/World/wall"
DEPTH = 1.8
"""From the camera to the box [m]."""


def _stage(count: int):
    """Environments on a row, each with a box that falls before a wall."""
    stage = row_of_boxes(count)
    wall = UsdGeom.Cube.Define(stage, "/World/wall")
    wall.CreateSizeAttr(1.0)
    wall.AddTranslateOp().Set(Gf.Vec3d(-1.0, 0.0, 1.0))
    wall.AddScaleOp().Set(Gf.Vec3f(0.2, 90.0, 40.0))
    return stage


def _camera(*types: str, **options) -> Camera:
    return Camera(camera_at_box((WIDTH, HEIGHT), *types, **options))


def test_pixels_move_as_what_they_show_does(device: str):
    """A fall by dz moves the image by focal dz / depth rows; the wall stands still."""
    with SimulationContext(SimulationCfg(dt=0.01, device=device), stage=_stage(2)) as sim:
        camera = _camera("motion_vectors", "depth")
        sim.reset()
        assert np.abs(camera.data.output["motion_vectors"].numpy()).max() == 0.0
        focal = camera.data.intrinsic_matrices.numpy()[0, 0, 0]
        heights = []
        for _ in range(2):
            for _ in range(5):
                sim.step()
            heights.append(_fallen(sim))
            motion = camera.data.output["motion_vectors"].numpy()
        moved = (heights[0] - heights[1]) * focal / DEPTH
        assert moved > 0.5
        np.testing.assert_allclose(motion[:, *MIDDLE], [[0.0, moved]] * 2, atol=2e-3)
        np.testing.assert_allclose(motion[:, 1, 1], 0.0, atol=1e-4)


def _fallen(sim) -> float:
    body = sim.engine.compiled.names.index("body", "/World/envs/env_0/box")
    return float(sim.engine.read("xpos")[0, body, 2])


def test_a_camera_that_turns_sees_everything_move():
    """A step aside by 0.1 m moves what is 1.8 m away by a tenth of the focal length over 1.8."""
    with SimulationContext(SimulationCfg(dt=0.01), stage=_stage(1)) as sim:
        camera = _camera("motion_vectors")
        sim.reset()
        camera.set_world_poses_from_view([[2.0, 0.0, 1.0]], [[0.0, 0.0, 1.0]])
        assert np.abs(camera.data.output["motion_vectors"].numpy()).max() == 0.0
        camera.set_world_poses_from_view([[2.0, 0.1, 1.0]], [[0.0, 0.1, 1.0]])
        motion = camera.data.output["motion_vectors"].numpy()[0]
        focal = camera.data.intrinsic_matrices.numpy()[0, 0, 0]
        # Looking along -x with z up, +y is to the right, so that all moves to the left.
        np.testing.assert_allclose(motion[MIDDLE], [-0.1 * focal / DEPTH, 0.0], atol=1e-3)


def test_late_images_are_those_of_so_many_samples_before():
    with SimulationContext(SimulationCfg(dt=0.01), stage=_stage(1)) as sim:
        late = _camera("depth", prim_path="/World/envs/env_.*/late", latency=2)
        now = _camera("depth", prim_path="/World/envs/env_.*/now")
        sim.reset()
        fresh, found = [], []
        for _ in range(6):
            fresh.append(now.data.output["depth"].numpy().copy())
            found.append(late.data.output["depth"].numpy().copy())
            for _ in range(12):
                sim.step()
        assert any((a != b).any() for a, b in itertools.pairwise(fresh))
        for index, image in enumerate(found):
            np.testing.assert_array_equal(image, fresh[max(index - 2, 0)])


def test_noise_has_the_spread_that_was_asked_for():
    with SimulationContext(SimulationCfg(dt=0.01), stage=_stage(1)) as sim:
        plain = _camera("depth", "rgb", prim_path="/World/envs/env_.*/plain")
        noisy = _camera("depth", "rgb", prim_path="/World/envs/env_.*/noisy",
                        depth_noise=0.02, colour_noise=0.04)  # fmt: skip
        sim.reset()
        depth, found = (c.data.output["depth"].numpy() for c in (plain, noisy))
        relative = (found / depth - 1.0).reshape(-1)
        assert np.isfinite(relative).all() and abs(relative.mean()) < 0.004
        assert relative.std() == pytest.approx(0.02, rel=0.15)
        first = found.copy()
        colours = [c.data.output["rgb"].numpy().astype(float) for c in (plain, noisy)]
        inside = (colours[0] > 40.0) & (colours[0] < 215.0)
        assert (colours[1] - colours[0])[inside].std() == pytest.approx(0.04 * 255.0, rel=0.15)
        sim.step()
        assert (noisy.data.output["depth"].numpy() != first).mean() > 0.9, "another image's noise"


def test_environments_can_have_looks_of_their_own(device: str):
    """Colours, textures and light of one environment, which all cameras see."""
    stripes = np.zeros((8, 8, 3), np.uint8)
    stripes[:, :4, 1], stripes[:, 4:, 2] = 255, 255  # green and blue
    box, (row, column) = "/World/envs/env_0/box", MIDDLE
    with SimulationContext(SimulationCfg(dt=0.01, device=device), stage=_stage(6)) as sim:
        camera, other = _camera("rgb"), _camera("rgb", prim_path="/World/envs/env_.*/other")
        sim.reset()
        before = camera.data.output["rgb"].numpy().astype(int).copy()
        camera.set_part_colours(box, (0.0, 0.0, 1.0, 1.0), env_ids=[1])
        camera.set_brightness([0.5, 0.5, 0.5], env_ids=[2])
        camera.set_part_colours(box, (1.0, 1.0, 1.0, 1.0), env_ids=[3, 4])
        camera.set_part_textures(box, [stripes, 255 - stripes], [0, 1], env_ids=[3, 4])
        # The sun behind the box: its face has the soft light from the other side alone.
        camera.set_light(direction=(-2.0, 0.0, 0.2), ambient=(0.0, 0.0, 0.0), env_ids=[5])
        after = camera.data.output["rgb"].numpy().astype(int)
        np.testing.assert_array_equal(after, other.data.output["rgb"].numpy())
        np.testing.assert_array_equal(after[0], before[0])
        assert after[1][MIDDLE][2] > 3 * after[1][MIDDLE][0] + 20
        np.testing.assert_array_equal(after[1][1, 1], before[1][1, 1])
        ratio = after[2][MIDDLE][0] / before[2][MIDDLE][0]
        assert ratio == pytest.approx(0.5, abs=0.03)
        bright = before[0][MIDDLE][0] / 0.9
        for env, left, right in ((3, (0, 1, 0), (0, 0, 1)), (4, (1, 0, 1), (1, 1, 0))):
            np.testing.assert_allclose(
                after[env, row, column - 3], np.multiply(left, bright), atol=2
            )
            np.testing.assert_allclose(
                after[env, row, column + 2], np.multiply(right, bright), atol=2
            )
        cosine = 1.0 / np.hypot(1.0, 0.1)
        soft = 255.0 * cosine * np.multiply((0.9, 0.05, 0.05), (0.16, 0.17, 0.19))
        np.testing.assert_allclose(after[5][MIDDLE], soft, atol=1)
        # What is said of the prim above takes back what was said below; -1 is the stage's texture.
        camera.set_part_textures("/World/envs/env_0", [], -1)
        camera.set_part_colours("/World/envs/env_0", (0.9, 0.05, 0.05, 1.0))
        again = camera.data.output["rgb"].numpy()
        np.testing.assert_array_equal(again[[1, 3, 4]], before[[1, 3, 4]])


_REFUSED = (
    (lambda c: c.set_part_colours("/World/nothing", (1, 1, 1, 1)), InvalidValueError, "shows"),
    (lambda c: c.set_part_colours(_WALL, (1, 1, 1)), ShapeError, "rgba"),
    (lambda c: c.set_part_colours(_WALL, [(1, 1, 1, 1)] * 3), ShapeError, "rgba"),
    (lambda c: c.set_brightness([-1.0, 0.0, 0.0]), InvalidValueError, "brightness"),
    (lambda c: c.set_light(direction=(0, 0, 0)), InvalidValueError, "direction"),
    (lambda c: c.set_light(sun=(1, 1, 1), env_ids=[9]), InvalidValueError, "worlds"),
    (lambda c: c.set_part_textures(_WALL, ["no.png"], 0), FileError, "no.png"),
    (lambda c: c.set_part_textures(_WALL, [], 0), InvalidValueError, "choice"),
    (lambda c: c.set_part_textures(_WALL, [np.zeros((2, 2))], 0), ShapeError, "texture"),
    (lambda c: c.set_offsets([(0, 0, 0)], [(0, 0, 0, 0)]), InvalidValueError, "quat"),
)


def test_looks_that_cannot_be_are_refused_and_images_stay():
    with SimulationContext(SimulationCfg(dt=0.01), stage=_stage(1)) as sim:
        camera = _camera("rgb")
        sim.reset()
        before = camera.data.output["rgb"].numpy().copy()
        for call, error, words in _REFUSED:
            with pytest.raises(error, match=words):
                call(camera)
            np.testing.assert_array_equal(camera.data.output["rgb"].numpy(), before)


def test_offsets_move_cameras_in_their_own_frames():
    """0.3 m ahead, and 0.1 m to the right after a roll about the line of sight."""
    with SimulationContext(SimulationCfg(dt=0.01), stage=_stage(2)) as sim:
        camera = _camera("depth")
        sim.reset()
        camera.set_offsets([(0.1, 0.0, -0.3)], [(0.0, 0.0, 1.0, 1.0)], env_ids=[1])
        depth = camera.data.output["depth"].numpy()[:, *MIDDLE, 0]
        np.testing.assert_allclose(depth, [DEPTH, DEPTH - 0.3], atol=1e-5)
        # Looking along -x with z up, the camera's right is +y.
        moved = camera.data.pos_w.numpy() - [[2.0, 0.0, 1.0], [2.0, 4.0, 1.0]]
        np.testing.assert_allclose(moved, [[0.0] * 3, [-0.3, 0.1, 0.0]], atol=1e-6)


@pytest.mark.parametrize("options", [{"depth_noise": -1.0}, {"latency": -1}, {"latency": 0.5}])
def test_bad_values_are_refused(options):
    with (
        SimulationContext(SimulationCfg(dt=0.01), stage=_stage(1)),
        pytest.raises(InvalidValueError, match=next(iter(options))),
    ):
        _camera("rgb", **options)
