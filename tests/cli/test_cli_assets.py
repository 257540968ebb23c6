"""The shipped robots do what their documentation says, in the bare engine."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

ASSETS = Path(__file__).resolve().parent.parent.parent / "assets"


@pytest.fixture(scope="module")
def quadruped() -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_path(str(ASSETS / "quadruped" / "scene.xml"))


def _upright(data: mujoco.MjData) -> float:
    """Cosine of the trunk's tilt."""
    return 1.0 - 2.0 * (data.qpos[4] ** 2 + data.qpos[5] ** 2)


def test_quadruped_is_what_its_table_says(quadruped: mujoco.MjModel):
    assert quadruped.nu == 12
    assert quadruped.nq == 19
    assert np.isclose(quadruped.body_subtreemass[1], 14.52)
    visual = (quadruped.geom_contype == 0) & (quadruped.geom_conaffinity == 0)
    assert (quadruped.geom_group[visual] == 2).all()
    assert quadruped.site("imu").id >= 0


def test_quadruped_stands(quadruped: mujoco.MjModel):
    data = mujoco.MjData(quadruped)
    mujoco.mj_resetDataKeyframe(quadruped, data, 0)
    for _ in range(round(5.0 / quadruped.opt.timestep)):
        mujoco.mj_step(quadruped, data)
    assert data.qpos[2] > 0.3
    assert _upright(data) > 0.999
    assert np.abs(data.qvel).max() < 0.01


def test_quadruped_trots_without_falling(quadruped: mujoco.MjModel):
    data = mujoco.MjData(quadruped)
    mujoco.mj_resetDataKeyframe(quadruped, data, 0)
    home = data.ctrl.copy()
    frequency, amplitude, phase = (
        quadruped.numeric(f"gait_{key}").data for key in ("frequency", "amplitude", "phase")
    )
    lowest = 1.0
    while data.time < 5.0:
        swing = np.sin(2.0 * np.pi * frequency * data.time + phase)
        data.ctrl = home + min(1.0, data.time / 0.5) * amplitude * swing
        mujoco.mj_step(quadruped, data)
        lowest = min(lowest, _upright(data))
    assert lowest > 0.98
    assert data.qpos[0] > 1.5
    assert abs(data.qpos[1]) < 0.5


def test_arm_has_six_axes_and_a_mimicking_finger():
    model = mujoco.MjModel.from_xml_path(str(ASSETS / "arm" / "arm.urdf"))
    assert model.nv == 8
    assert model.neq == 1
