"""Arguments of engines: what is wrong is refused in the same words by both."""

from __future__ import annotations

import re

import numpy as np
import pytest
from device_under_test import DEVICE
from warp_scenes import workshop

from usdsim.core.errors import (
    InvalidValueError,
    ShapeError,
    UnknownNameError,
    UnsupportedError,
)
from usdsim.engine import compile_scene, create_engine
from usdsim.engine.base import device_engine

# Which fields there are is each engine's own.
LISTED = re.compile(r"(?: in the Warp engine)?\. Did you mean|state: act,")


@pytest.fixture(scope="module")
def engines():
    compiled = compile_scene(workshop())
    return [create_engine(compiled, 2, device=device) for device in ("cpu", DEVICE)]


def make(sim, **options):
    device = "cpu" if sim.device == "cpu" and not hasattr(sim, "device_array") else DEVICE
    return create_engine(sim.compiled, **{"num_envs": 1, "device": device, **options})


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda s: s.write("ctrl", np.zeros((3, 3))),
            ShapeError,
            r"ctrl has shape \(3, 3\).*\(2, 3\)",
        ),
        (lambda s: s.write("ctrl", "fast"), ShapeError, "ctrl"),
        (lambda s: s.write("ctrl", 0, env_ids=[2]), InvalidValueError, "env_ids is 2.*0 to 1"),
        (lambda s: s.write("ctrl", 0, env_ids=[-1]), InvalidValueError, "env_ids is -1"),
        (lambda s: s.write("ctrl", 0, env_ids=[0.5]), InvalidValueError, "integers"),
        (lambda s: s.write("ctrl", 0, env_ids=[[0]]), ShapeError, "env_ids"),
        (lambda s: s.write("ctrl", 0, env_ids=[True]), ShapeError, "mask"),
        (lambda s: s.write("ctrl", 0, ids=[3]), InvalidValueError, "ids of ctrl is 3"),
        (lambda s: s.write("time", 0, ids=[0]), InvalidValueError, "one value per world"),
        (lambda s: s.write("qqpos", 0), UnknownNameError, "'qpos'"),
        (lambda s: s.read("xposs"), UnknownNameError, "'xpos'"),
        (lambda s: s.reset(keyframe="home"), UnknownNameError, "key 'home'"),
        (lambda s: s.reset(keyframe=0), InvalidValueError, "no keyframes"),
        (lambda s: s.step(-1), InvalidValueError, "number of steps is -1"),
        (lambda s: s.step(1.5), InvalidValueError, "number of steps is 1.5"),
        (lambda s: s.step(True), InvalidValueError, "number of steps is True"),
        (lambda s: s.step(env_ids=[7]), InvalidValueError, "env_ids is 7"),
        (lambda s: s.forward([7]), InvalidValueError, "env_ids is 7"),
        (lambda s: s.touch([7]), InvalidValueError, "env_ids is 7"),
        (lambda s: s.reset([True]), ShapeError, "mask"),
        (lambda s: s.state("xpos"), InvalidValueError, "state: "),
        (lambda s: s.world_data(2), InvalidValueError, "world is 2"),
        (lambda s: s.world_model(-1), InvalidValueError, "world is -1"),
        (lambda s: s.param("body_maas"), UnknownNameError, "'body_mass'"),
        (lambda s: s.set_param("body_mass", -1.0), InvalidValueError, ">= 0"),
        (lambda s: s.set_param("body_mass", np.nan), InvalidValueError, "NaN"),
        (lambda s: s.set_param("body_mass", "heavy"), InvalidValueError, "numbers"),
        (lambda s: s.set_param("opt.timestep", 0.0), InvalidValueError, "> 0"),
        (lambda s: s.set_param("jnt_type", 0), UnsupportedError, "structure"),
        (lambda s: s.set_param("body_mass", np.ones(9)), ShapeError, "body_mass"),
        (lambda s: make(s, num_envs=0), InvalidValueError, "num_envs is 0"),
        (lambda s: make(s, num_envs=1.5), InvalidValueError, "num_envs"),
        (lambda s: make(s, num_envs=True), InvalidValueError, "num_envs is True"),
        (lambda s: make(s, threads=True), InvalidValueError, "threads is True"),
        (lambda s: make(s, threads=-1), InvalidValueError, "threads"),
        (lambda s: make(s, on_failure="ignore"), InvalidValueError, "'raise', 'reset'"),
    ],
)
def test_wrong_arguments_answer_alike_on_both_engines(engines, call, error, words):
    answers = []
    for sim in engines:
        with pytest.raises(error, match=words) as caught:
            call(sim)
        answers.append(LISTED.split(str(caught.value))[0])
    assert answers[0] == answers[1]


def test_a_device_is_asked_for_by_name(engines):
    cpu, device = engines
    assert device_engine(device) is device
    with pytest.raises(UnsupportedError, match="'cpu' has no arrays on a device"):
        device_engine(cpu)
