"""Warp arrays over engine memory, and the counters that say what changed."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import warp as wp
from engine_scenes import body, dof, engine, geom, ground, joint, pose, scene

from usdsim.core.errors import InvalidValueError
from usdsim.engine.arrays import WarpArrays
from usdsim.engine.device import resolve_device

FALLING = scene([body(at=pose((0, 0, 1)))], (), [ground(), geom()])
PENDULUM = scene(
    [body(at=pose((0, 0, 1)), joints=(0,), com=np.array([0.3, 0.0, 0.0]))],
    [joint(dof())],
    [geom()],
)


@pytest.mark.parametrize(
    ("field", "dtype", "shape"),
    [
        ("qpos", wp.float64, (3, 7)),
        ("xpos", wp.vec3d, (3, 2)),
        ("xquat", wp.vec4d, (3, 2)),
        ("xmat", wp.mat33d, (3, 2)),
        ("time", wp.float64, (3,)),
    ],
)
def test_arrays_have_the_shape_of_what_they_hold(field, dtype, shape):
    worlds = engine(FALLING, num_envs=3)
    array = WarpArrays(worlds).read(field)
    assert (array.dtype, array.shape) == (dtype, shape)
    assert np.array_equal(array.numpy().reshape(-1), worlds.read(field).reshape(-1))


def test_writes_through_warp_reach_the_engine():
    worlds = engine(FALLING, num_envs=2)
    state = WarpArrays(worlds).state("qpos")
    state.numpy()[1, 2] = 5.0
    worlds.touch([1])
    assert worlds.read("xpos")[:, 1, 2].tolist() == [1.0, 5.0]


def test_arrays_follow_the_engine_when_it_moves_them():
    worlds = engine(PENDULUM, num_envs=2)
    arrays = WarpArrays(worlds)
    before = arrays.read("qpos")
    moves = worlds.versions.arrays
    worlds.set_param("body_ipos", [[0.3, 0.1, 0.05]])
    assert worlds.versions.arrays == moves + 1
    after = arrays.read("qpos")
    assert after.ptr != before.ptr
    worlds.write("qpos", [[0.25]])
    assert after.numpy().tolist() == [[0.25], [0.25]]


@pytest.mark.parametrize(
    ("change", "motion", "forces", "parameters"),
    [
        (lambda e: e.step(), True, True, False),
        (lambda e: e.write("qpos", 0.1), True, True, False),
        (lambda e: e.reset([0]), True, True, False),
        (lambda e: e.write("qfrc_applied", 0.1), False, True, False),
        (lambda e: e.set_param("body_mass", 2.0, ids=[1]), True, True, True),
        (lambda e: e.read("xpos"), False, False, False),
        (lambda e: e.forward(), False, True, False),
    ],
)
def test_versions_count_what_changed(change, motion, forces, parameters):
    worlds = engine(PENDULUM, num_envs=2)
    versions = worlds.versions
    before = versions.motion, versions.forces, versions.parameters
    change(worlds)
    after = versions.motion, versions.forces, versions.parameters
    assert [b > a for a, b in zip(before, after, strict=True)] == [motion, forces, parameters]


def test_unknown_devices_are_refused_by_name():
    with pytest.raises(InvalidValueError, match=r"'tpu'.*cpu"):
        resolve_device("tpu")
    assert resolve_device("cpu") == "cpu"


def test_starting_warp_writes_nothing():
    code = "from usdsim.engine import device; device.init()"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
