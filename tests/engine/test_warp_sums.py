"""Sensors of a Warp device that add up forces: where they end, and what they cannot count."""

from __future__ import annotations

import numpy as np
import pytest
from device_under_test import DEVICE
from engine_scenes import G, body, geom, ground, pose, scene

from usdsim.converters import convert
from usdsim.core.errors import SimulationError
from usdsim.engine import compile_scene, create_engine
from usdsim.parser import parse_stage
from usdsim.sensors.contact.elements import with_contact_sensors
from usdsim.usd import open_stage

CUTOFF = 3.0
BEADS, MASS = 70, 2.0
RESTING = f"""
<mujoco>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 .1">
      <freejoint/>
      <geom type="box" size=".1 .1 .1" mass="{MASS}"/>
      <site name="zone" type="box" size=".2 .2 .2"/>
    </body>
  </worldbody>
  <sensor>
    <touch name="free" site="zone"/>
    <touch name="limited" site="zone" cutoff="{CUTOFF}"/>
  </sensor>
</mujoco>
"""


@pytest.fixture(scope="module")
def resting(tmp_path_factory):
    """A box on the ground, felt by a sensor that reads all of its weight and by one that ends."""
    folder = tmp_path_factory.mktemp("touch")
    (folder / "box.xml").write_text(RESTING)
    stage = open_stage(convert(folder / "box.xml", folder / "box.usda"))
    return compile_scene(parse_stage(stage).scene)


@pytest.mark.parametrize("device", ["cpu", DEVICE])
def test_touch_sensors_end_at_their_cutoff(resting, device):
    sim = create_engine(resting, 3, device=device)
    wanted = np.tile([MASS * G, CUTOFF], (3, 1))
    sim.step(300)
    assert sim.read("sensordata") == pytest.approx(wanted, rel=1e-3)
    sim.step(2, env_ids=[1])
    assert sim.read("sensordata") == pytest.approx(wanted, rel=1e-3)
    sim.write("qvel", 0.0)
    assert sim.read("sensordata") == pytest.approx(wanted, rel=1e-3)
    sim.forward([0])
    assert sim.read("sensordata") == pytest.approx(wanted, rel=1e-3)


def test_cutoffs_that_change_while_it_runs_act(resting):
    sim = create_engine(resting, 2, device=DEVICE)
    sim.step(300)
    sim.set_param("sensor_cutoff", 7.0)
    sim.step(3)
    assert sim.read("sensordata") == pytest.approx(np.full((2, 2), 7.0))


def beads(count: int):
    """Spheres of one body on the ground, whose contact forces one sensor sums."""
    shapes = [
        geom(f"/bar/bead{i}", size=(0.05, 0.0, 0.0), pose=pose((0.2 * i, 0.0, 0.0)))
        for i in range(count)
    ]
    middle = np.array([0.1 * (count - 1), 0.0, 0.0])
    bar = body("/bar", pose((0.0, 0.0, 0.049)), mass=MASS, com=middle)
    return compile_scene(with_contact_sensors(scene([bar], (), [ground(), *shapes]), ["/bar"], ()))


def test_a_contact_sensor_counts_as_many_contacts_as_the_device_has_room_for():
    sim = create_engine(beads(64), device=DEVICE)
    sim.step(400)
    assert sim.read("sensordata")[0, 2] == pytest.approx(-MASS * G, rel=1e-3)


@pytest.mark.parametrize("policy", ["raise", "grow"])
def test_more_contacts_are_refused_with_a_remedy_that_helps(policy):
    sim = create_engine(beads(BEADS), 2, device=DEVICE, nconmax=100, njmax=500, on_overflow=policy)
    with pytest.raises(SimulationError, match="more than 64 contacts in world 0, 1") as caught:
        sim.step()
        sim.step()
    assert "nconmax" not in str(caught.value) and "fewer colliders" in str(caught.value)
    sim.write("qpos", 5.0, ids=[2])
    sim.step()
    assert sim.read("sensordata") == pytest.approx(np.zeros((2, 3)))


def test_both_remedies_are_told_where_both_are_needed():
    sim = create_engine(beads(BEADS), device=DEVICE, nconmax=66, njmax=500, on_overflow="raise")
    with pytest.raises(SimulationError, match=r"nconmax=140 .* more than 64 contacts"):
        sim.step()
        sim.step()
