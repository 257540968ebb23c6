"""Contact forces copied from blocks of the engine's sensor data."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import warp as wp

from usdsim.engine import device
from usdsim.sensors.contact.host_forces import HostForces

device.init()
WORLDS, WIDTH = 3, 27


@pytest.fixture
def engine():
    values = np.random.default_rng(0).normal(size=(WORLDS, WIDTH))
    model = SimpleNamespace(mj=SimpleNamespace(nsensordata=WIDTH))
    return SimpleNamespace(num_envs=WORLDS, compiled=model, read=lambda field: values)


def expected(engine, addresses, shape):
    parts = np.asarray(addresses)[..., None] + np.arange(3)
    return -engine.read("sensordata")[:, parts].reshape(*shape, 3)


BLOCKS = {
    "adjacent": ([[2], [5], [8], [11]], 2),
    "apart": ([[0], [9], [18]], 1),
    "to the end": ([[6], [15], [24]], 3),
    "of filters": ([[2, 5], [11, 14], [20, 23]], 3),
    "one": ([[24]], 1),
}


@pytest.mark.parametrize("name", BLOCKS)
@pytest.mark.parametrize("rows", [None, [0, 2]])
def test_blocks_are_copied(engine, name, rows):
    addresses, bodies = BLOCKS[name]
    addresses = np.array(addresses, np.int32)
    matches = len(addresses) // bodies
    shape = WORLDS * matches, bodies, addresses.shape[1]
    out = wp.zeros(shape, dtype=wp.vec3f, device="cpu")
    forces = HostForces.of(engine, addresses, out)
    assert forces is not None
    forces.run(None if rows is None else np.array(rows))
    wanted = expected(engine, addresses, shape)
    if rows is not None:
        others = np.setdiff1d(np.arange(shape[0]), rows)
        wanted[others] = 0.0
    assert out.numpy() == pytest.approx(wanted)


@pytest.mark.parametrize(
    "addresses",
    [[[0], [3], [9]], [[9], [3]], [[0, 6], [12, 18]], [[0, 3], [3, 6]], [[2], [20]]],
    ids=["uneven", "backwards", "gaps", "overlapping", "too far apart"],
)
def test_what_does_not_repeat_is_left_to_a_kernel(engine, addresses):
    found = np.array(addresses, np.int32)
    out = wp.zeros((WORLDS, *found.shape), dtype=wp.vec3f, device="cpu")
    assert HostForces.of(engine, found, out) is None
