"""Lidars: points on the walls of a room, through whatever carries the scanner."""

from __future__ import annotations

import numpy as np
import pytest

import usdsim
from usdsim.core.errors import ConversionError, InvalidValueError
from usdsim.core.lidar import LidarScan, spread

ROOM = """
<mujoco>
  <option gravity="0 0 0"/>
  <asset><lidar name="profile" {profile}/></asset>
  <worldbody>
    <geom type="box" size=".1 9 9" pos="5 0 0"/><geom type="box" size=".1 9 9" pos="-5 0 0"/>
    <geom type="box" size="9 .1 9" pos="0 5 0"/><geom type="box" size="9 .1 9" pos="0 -5 0"/>
    <geom type="box" size="9 9 .1" pos="0 0 5"/><geom type="box" size="9 9 .1" pos="0 0 -5"/>
    <body name="carrier">
      <freejoint/><geom size=".2" pos="0 0 .5" mass="1"/><site name="eye"/>
      <body name="arm"><joint name="hinge"/><geom size=".2" pos=".7 0 0" mass="1"/></body>
    </body>
  </worldbody>
  <sensor>
    <gyro name="gyro" site="eye"/>
    <lidar name="scan" site="eye" asset="profile" {sensor}/>
    <framepos name="place" objtype="site" objname="eye"/>
  </sensor>
</mujoco>
"""
RINGS = 'pattern="rings" elevations="-10 0 30" hscan="4" hrange="-180 180"'


def room(profile: str, sensor: str = "") -> str:
    return ROOM.format(profile=profile, sensor=sensor)


def walls(directions):
    """Where rays from the middle of the room end: 4.9 m away along one axis."""
    return directions * (4.9 / np.abs(directions).max(axis=-1, keepdims=True))


@pytest.mark.parametrize("exact", [False, True])
def test_points_are_on_the_walls(exact):
    model = usdsim.load_mjcf_str(room(RINGS, 'exclude="parentsubtree"'), exact=exact)
    data = usdsim.SceneData(model, batch=2)
    points = model.get_sensor_value("scan", data).reshape(2, 4, 3, 3)
    angles = np.deg2rad([-180.0, -90.0, 0.0, 90.0])
    level = np.stack([np.sin(angles), np.zeros(4), np.cos(angles)], -1)
    np.testing.assert_allclose(points[0, :, 1], 4.9 * level, atol=1e-5)
    directions = points[0] / np.linalg.norm(points[0], axis=-1, keepdims=True)
    np.testing.assert_allclose(points[0], walls(directions), atol=1e-5)
    heights = np.broadcast_to(np.sin(np.deg2rad([-10, 0, 30])), (4, 3))
    np.testing.assert_allclose(directions[..., 1], heights, atol=1e-6)
    np.testing.assert_array_equal(points[0], points[1])
    sensor = model.get_sensor("scan")
    assert (sensor.typ, sensor.size, sensor.unit) == ("lidar", 36, "m")


def test_points_are_in_world_and_follow_the_scanner():
    model = usdsim.load_mjcf_str(room('hscan="3" hrange="-20 20"', 'exclude="parentsubtree"'))
    data = usdsim.SceneData(model, batch=2)
    pos = data.dof_pos
    # The second one moved by 1 m and turned by a quarter about x: forward is -y then.
    pos[1, :7] = [1.0, 0.0, 0.0, np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]
    data.set_dof_pos(pos)
    points = model.get_sensor_value("scan", data).reshape(2, 3, 3)
    np.testing.assert_allclose(points[0, 1], [0, 0, 4.9], atol=1e-5)
    np.testing.assert_allclose(points[1, 1], [1, -4.9, 0], atol=1e-5)
    reach = 4.9 * np.tan(np.deg2rad(20))
    np.testing.assert_allclose(points[1, :, 0], [1 - reach, 1, 1 + reach], atol=1e-5)
    np.testing.assert_array_equal(model.get_sensor_value("scan", data[1]), points[1].reshape(-1))


@pytest.mark.parametrize(
    ("exclude", "ahead", "right"),
    [("none", 0.3, 0.5), ("parentbody", 4.9, 0.5), ("parentsubtree", 4.9, 4.9)],
)
def test_beams_pass_through_what_carries_the_scanner(exclude, ahead, right):
    text = room('hscan="2" hrange="0 90"', f'exclude="{exclude}"')
    model = usdsim.load_mjcf_str(text)
    points = model.get_sensor_value("scan", usdsim.SceneData(model)).reshape(2, 3)
    np.testing.assert_allclose(points, [[0, 0, ahead], [right, 0, 0]], atol=1e-5)


def test_nothing_within_range_is_zero():
    model = usdsim.load_mjcf_str(room('hscan="3" hrange="-30 30" cutoff="5"'))
    points = model.get_sensor_value("scan", usdsim.SceneData(model)).reshape(3, 3)
    np.testing.assert_allclose(points, [[0, 0, 0], [0, 0, 4.9], [0, 0, 0]], atol=1e-5)


def test_every_way_to_read_gives_the_same():
    model = usdsim.load_mjcf_str(room(RINGS))
    data = usdsim.SceneData(model, batch=2)
    value = model.get_sensor_value("scan", data)
    several = model.get_sensor_values(["place", "scan", "gyro"], data)
    np.testing.assert_array_equal(several[:, 3:-3], value)
    plan = model.compile_query(["place.value", "scan.value"])
    np.testing.assert_array_equal(plan.read(data)[:, 3:], value)


def test_lidars_are_attached_saved_and_loaded_again(tmp_path):
    world = usdsim.msd.from_str("<mujoco><worldbody/></mujoco>")
    world.attach(usdsim.msd.from_str(room(RINGS)), other_prefix="a_")
    model = world.build()
    value = model.get_sensor_value("a_scan", usdsim.SceneData(model))
    model.stage.GetRootLayer().Export(str(tmp_path / "room.usda"))
    again = usdsim.load_model(tmp_path / "room.usda")
    np.testing.assert_allclose(
        again.get_sensor_value("a_scan", usdsim.SceneData(again)), value, atol=1e-6
    )


def test_report_rate_and_frequency_give_the_number_of_columns():
    text = room('hrange="-180 180" reportrate="120" hzrange="10 10"', 'hz="10"')
    model = usdsim.load_mjcf_str(text)
    assert model.get_sensor("scan").size == 12 * 3
    (finding,) = model.conversion.warnings
    assert "hz=..." in str(finding)


@pytest.mark.parametrize(
    ("profile", "sensor", "message"),
    [
        ('cutoff="-1"', "", "cutoff of the lidar is -1"),
        ('hrange="1 2 3"', "", "hrange is '1 2 3'"),
        ('reportrate="10"', "", "needs hz"),
        ('pattern="rings"', "", "no beams"),
        ("", 'exclude="all"', "exclude of the lidar is 'all'"),
    ],
)
def test_wrong_lidars_are_named(profile, sensor, message):
    with pytest.raises(ConversionError, match=message) as caught:
        usdsim.load_mjcf_str(room(profile, sensor))
    assert "<lidar name='scan'>" in str(caught.value)


def test_a_missing_profile_is_named():
    text = room("").replace('asset="profile"', 'asset="profil"')
    with pytest.raises(ConversionError, match=r"asset is 'profil'; allowed: .*\(profile\)"):
        usdsim.load_mjcf_str(text)


def test_scans_are_what_their_numbers_say():
    scan = LidarScan(spread(-30, 30, 3), (5.0,), 20.0, "none")
    assert LidarScan.of_numbers([*scan.numbers(), 0.0, 0.0]) == scan
    assert LidarScan.of_numbers([1.0] * 20) is None
    assert spread(10, 20, 1) == (15.0,)
    assert spread(-180, 180, 4, circle=True) == (-180.0, -90.0, 0.0, 90.0)
    with pytest.raises(InvalidValueError):
        LidarScan((np.nan,), (0.0,))


@pytest.mark.parametrize(
    "profile",
    [
        'hscan="5" vscan="2" hrange="-90 90" vrange="0 20"',
        'hscan="40" vscan="16" vrange="-40 60" hrange="-180 180"',
        'hscan="1" vscan="1" hrange="-30 30" vrange="5 10"',
        'hscan="3" cutoff="5.2" hrange="-30 30"',
        RINGS,
    ],
)
def test_points_are_those_of_motrixsim(profile):
    motrixsim = pytest.importorskip("motrixsim")
    text = room(profile)
    theirs = motrixsim.load_mjcf_str(text)
    state = motrixsim.SceneData(theirs)
    theirs.step(state)
    ours = usdsim.load_mjcf_str(text)
    data = usdsim.SceneData(ours)
    np.testing.assert_allclose(
        ours.get_sensor_value("scan", data), theirs.get_sensor_value("scan", state), atol=2e-5
    )
