"""Height fields and scans of them, against the slope they are made of and against rays."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import usdsim
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.scene import SceneData, TerrainScanner, load_mjcf_str

# A plane rising along x from 0 at -2 to 1 at +2, and along y by nothing.
SCENE = """
<mujoco>
  <asset><hfield name="ramp" nrow="2" ncol="2" size="2 2 1 .1" elevation="0 1  0 1"/></asset>
  <worldbody>
    <geom name="ground" type="hfield" hfield="ramp" pos="0 0 .5" euler="0 0 90"/>
    <geom name="plate" type="box" size="1 1 1" pos="0 0 -9"/>
    <body name="base" pos="0 0 3"><freejoint/><geom size=".1" mass="1"/></body>
  </worldbody>
</mujoco>
"""


@pytest.fixture(scope="module")
def model() -> usdsim.SceneModel:
    return load_mjcf_str(SCENE)


def _ground(y: np.ndarray) -> np.ndarray:
    """The field is turned by 90 degrees, so it rises along world y."""
    return 0.5 + (np.clip(y, -2, 2) + 2) / 4


def test_heights_follow_the_slope(model):
    ground, data = model.get_geom("ground"), SceneData(model, batch=(3,))
    points = np.random.default_rng(0).uniform(-3, 3, size=(3, 50, 2))
    np.testing.assert_allclose(
        ground.sample_height(data, points), _ground(points[..., 1]), atol=1e-6
    )
    shared = ground.sample_height(data, points[0])
    np.testing.assert_allclose(shared, np.tile(_ground(points[0, :, 1]), (3, 1)), atol=1e-6)
    raw, hit = mujoco.MjData(model.low), np.zeros(1, np.int32)
    mujoco.mj_forward(model.low, raw)
    for x, y in points[1, :10] / 2:
        down = mujoco.mj_ray(model.low, raw, [x, y, 2.9], [0, 0, -1], None, 1, -1, hit, None)
        assert 2.9 - down == pytest.approx(_ground(y), abs=1e-5)


@pytest.mark.parametrize("yaw", [0.0, 0.7, -2.5])
@pytest.mark.parametrize("alignment", ["yaw", "base", "world"])
def test_scans_turn_as_asked(model, yaw, alignment):
    data = SceneData(model, batch=(2,))
    turn = [0, 0, np.sin(yaw / 2), np.cos(yaw / 2)]
    model.floating_bases[0].set_rotation(data, turn)
    model.floating_bases[0].set_translation(data, [[0, 0.25, 3], [1, -0.5, 4]])
    offsets = np.array([[0.0, 0.0], [0.5, 0.0], [0.0, 0.5], [-0.3, 0.2]])
    angle = 0.0 if alignment == "world" else yaw
    y = offsets[:, 0] * np.sin(angle) + offsets[:, 1] * np.cos(angle)
    expected = _ground(np.array([[0.25], [-0.5]]) + y)
    terrain, base = model.get_geom("ground"), model.get_link("base")
    scanner = TerrainScanner(terrain, base, offsets, alignment=alignment)
    np.testing.assert_allclose(scanner.scan(data), expected, atol=1e-6)
    out = np.empty((2, 4), np.float32)
    clear = TerrainScanner(terrain, base, offsets, alignment=alignment, output="clearance")
    assert clear.scan(data, out=out) is out
    np.testing.assert_allclose(out, np.array([[3], [4]]) - expected, atol=1e-5)
    np.testing.assert_allclose(clear.scan(data[1]), out[1], atol=1e-6)


def test_yaw_scans_ignore_the_tilt(model):
    data = SceneData(model)
    model.floating_bases[0].set_rotation(data, [0, np.sin(0.3), 0, np.cos(0.3)])  # nose down
    terrain, base = model.get_geom("ground"), model.get_link("base")
    offsets = [[0.0, 1.0], [1.0, 0.0]]
    np.testing.assert_allclose(
        TerrainScanner(terrain, base, offsets).scan(data), [1.25, 1.0], atol=1e-6
    )


def test_what_cannot_be_scanned(model):
    terrain, base = model.get_geom("ground"), model.get_link("base")
    for bad in ("ground", [], [terrain, "plate"]):
        with pytest.raises(InvalidValueError, match="terrain is"):
            TerrainScanner(bad, base, [[0, 0]])
    with pytest.raises(InvalidValueError, match="geoms of one link"):
        TerrainScanner([terrain, base.geoms[0]], base, [[0, 0]])
    with pytest.raises(InvalidValueError, match="frame is 'base'"):
        TerrainScanner(terrain, "base", [[0, 0]])
    with pytest.raises(InvalidValueError, match="'yaw', 'base', 'world'"):
        TerrainScanner(terrain, base, [[0, 0]], alignment="roll")
    with pytest.raises(InvalidValueError, match="output"):
        TerrainScanner(terrain, base, [[0, 0]], output="depth")
    with pytest.raises(ShapeError):
        TerrainScanner(terrain, base, [0, 0])
    with pytest.raises(InvalidValueError, match="offset"):
        TerrainScanner(terrain, base, [[0, np.nan]])
    with pytest.raises(InvalidValueError, match="terrain's model"):
        TerrainScanner(terrain, load_mjcf_str(SCENE).get_link("base"), [[0, 0]])
