"""Ray patterns against their geometry."""

from __future__ import annotations

import numpy as np
import pytest

from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.sensors.patterns import (
    BpearlPatternCfg,
    GridPatternCfg,
    LidarPatternCfg,
    PatternBaseCfg,
    PinholeCameraPatternCfg,
)


def test_grid_covers_its_extent_in_the_order_asked_for():
    starts, directions = GridPatternCfg(size=(0.4, 0.2), resolution=0.2).rays()
    assert starts == pytest.approx(
        np.array([[x, y, 0] for y in (-0.1, 0.1) for x in (-0.2, 0, 0.2)]), abs=1e-12
    )
    assert directions == pytest.approx(np.tile([0, 0, -1], (6, 1)))
    other, _ = GridPatternCfg(size=(0.4, 0.2), resolution=0.2, ordering="yx").rays()
    assert other == pytest.approx(
        np.array([[x, y, 0] for x in (-0.2, 0, 0.2) for y in (-0.1, 0.1)]), abs=1e-12
    )
    assert len(GridPatternCfg(size=(1.6, 1.0), resolution=0.1).rays()[0]) == 17 * 11


def test_directions_become_unit_vectors():
    _, directions = GridPatternCfg(size=(0.0, 0.0), direction=(3.0, 0.0, 4.0)).rays()
    assert directions == pytest.approx(np.array([[0.6, 0, 0.8]]))


def test_lidar_has_rays_at_equal_angles_and_none_twice():
    cfg = LidarPatternCfg(
        channels=3,
        vertical_fov_range=(-30, 30),
        horizontal_fov_range=(-180, 180),
        horizontal_res=90,
    )
    starts, directions = cfg.rays()
    assert not starts.any() and len(directions) == 3 * 4
    assert np.degrees(np.arcsin(directions[:, 2])) == pytest.approx(np.repeat([-30, 0, 30], 4))
    assert directions[4:8] == pytest.approx(
        np.array([[-1, 0, 0], [0, -1, 0], [1, 0, 0], [0, 1, 0]]), abs=1e-12
    )
    half = LidarPatternCfg(channels=1, horizontal_fov_range=(0, 90), horizontal_res=40)
    azimuth = np.degrees(np.arctan2(half.rays()[1][:, 1], half.rays()[1][:, 0]))
    assert azimuth == pytest.approx([0, 30, 60, 90])


def test_bpearl_sees_half_a_sphere():
    _, directions = BpearlPatternCfg().rays()
    assert len(directions) == 36 * 32
    assert (directions[:, 2] > 0).all()
    assert np.degrees(np.arcsin(directions[:32, 2])) == pytest.approx(
        [89.5 - 2.8125 * i for i in range(32)]
    )
    assert np.linalg.norm(directions, axis=1) == pytest.approx(1.0)


def test_camera_rays_go_through_the_centres_of_pixels():
    cfg = PinholeCameraPatternCfg(
        width=4, height=2, focal_length=10, horizontal_aperture=20, horizontal_aperture_offset=1.0
    )
    matrix = cfg.intrinsic_matrix()
    assert matrix == pytest.approx(np.array([[2, 0, 2.2], [0, 2, 1], [0, 0, 1]]))
    _, directions = cfg.rays()
    camera = np.stack([-directions[:, 1], -directions[:, 2], directions[:, 0]], axis=1)
    pixels = camera @ matrix.T
    pixels = pixels[:, :2] / pixels[:, 2:]
    assert pixels == pytest.approx(
        np.array([[u + 0.5, v + 0.5] for v in range(2) for u in range(4)])
    )


def test_camera_of_a_matrix_has_it():
    matrix = np.array([[50.0, 0, 30], [0, 60.0, 25], [0, 0, 1]])
    cfg = PinholeCameraPatternCfg.from_intrinsic_matrix(matrix, width=64, height=48)
    assert cfg.intrinsic_matrix() == pytest.approx(matrix)
    with pytest.raises(InvalidValueError, match="intrinsic_matrix"):
        PinholeCameraPatternCfg.from_intrinsic_matrix([50, 1, 30, 0, 60, 25, 0, 0, 1], 64, 48)
    with pytest.raises(InvalidValueError, match="intrinsic_matrix"):
        PinholeCameraPatternCfg.from_intrinsic_matrix([50, 60], 64, 48)


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        (GridPatternCfg, "resolution", 0.0),
        (GridPatternCfg, "size", (1.0, -1.0)),
        (GridPatternCfg, "size", (1.0,)),
        (GridPatternCfg, "direction", (0.0, "a", 1.0)),
        (GridPatternCfg, "ordering", "zx"),
        (LidarPatternCfg, "channels", 0),
        (LidarPatternCfg, "vertical_fov_range", (30.0, -30.0)),
        (LidarPatternCfg, "horizontal_fov_range", (0.0, 400.0)),
        (LidarPatternCfg, "horizontal_res", -1.0),
        (BpearlPatternCfg, "horizontal_fov", 0.0),
        (BpearlPatternCfg, "horizontal_res", float("nan")),
        (BpearlPatternCfg, "vertical_ray_angles", []),
        (PinholeCameraPatternCfg, "focal_length", 0.0),
        (PinholeCameraPatternCfg, "vertical_aperture", -1.0),
        (PinholeCameraPatternCfg, "horizontal_aperture_offset", float("inf")),
        (PinholeCameraPatternCfg, "width", 0),
        (PatternBaseCfg, "func", None),
    ],
)
def test_values_that_make_no_sense_are_refused(kind, name, value):
    with pytest.raises(InvalidValueError, match=name):
        kind(**{name: value}).validate()


@pytest.mark.parametrize(
    ("rays", "error", "message"),
    [
        (([[0, 0]], [[0, 0]]), ShapeError, "starts"),
        (([[0, 0, 0]], [[0, 0, 1], [0, 0, 1]]), ShapeError, "directions"),
        (([[0, 0, 0]] * 2, [[0, 0, 1], [0, 0, 0]]), InvalidValueError, "direction 1"),
        ((np.zeros((0, 3)), np.zeros((0, 3))), InvalidValueError, "at least one ray"),
    ],
)
def test_functions_that_return_no_rays_are_refused(rays, error, message):
    with pytest.raises(error, match=message):
        PatternBaseCfg(func=lambda cfg: rays).rays()
    with pytest.raises(InvalidValueError, match="direction"):
        GridPatternCfg(direction=(0.0, 0.0, 0.0)).rays()


# -- as tensors ---------------------------------------------------------------------------------

PATTERNS = (
    GridPatternCfg(size=(0.4, 0.2), resolution=0.2),
    LidarPatternCfg(channels=3, horizontal_res=30.0),
    BpearlPatternCfg(),
    PinholeCameraPatternCfg(width=4, height=3),
)


@pytest.mark.parametrize("cfg", PATTERNS, ids=lambda cfg: type(cfg).__name__)
def test_patterns_for_a_device_are_tensors(cfg):
    torch = pytest.importorskip("torch")
    starts, directions = cfg.func(cfg, "cpu")
    assert starts.dtype == directions.dtype == torch.float32
    for found, expected in zip((starts, directions), cfg.func(cfg), strict=True):
        np.testing.assert_allclose(found.numpy(), expected, atol=1e-6)


def test_a_function_may_need_the_device():
    def up(cfg, device):
        assert device == "cpu"
        return [[0.0, 0.0, 0.0]], [[0.0, 0.0, 2.0]]

    _, directions = PatternBaseCfg(func=up).rays()
    np.testing.assert_allclose(directions, [[0.0, 0.0, 1.0]])


def test_cameras_of_several_calibrations():
    cfg = PinholeCameraPatternCfg(width=4, height=3)
    wide = cfg.intrinsic_matrix() @ np.diag([0.5, 0.5, 1.0])
    wide[:, 2] = cfg.intrinsic_matrix()[:, 2]
    _, directions = cfg.func(cfg, np.stack([cfg.intrinsic_matrix(), wide]))
    assert directions.shape == (2, 12, 3)
    np.testing.assert_allclose(directions[0], cfg.rays()[1], atol=1e-12)
    tangents = directions[..., 1:] / directions[..., :1]
    np.testing.assert_allclose(tangents[1], 2.0 * tangents[0], atol=1e-12)
