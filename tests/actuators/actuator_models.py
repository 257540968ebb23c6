"""Small groups of actuators, and what the control laws say about them."""

from __future__ import annotations

import numpy as np
import warp as wp

from usdsim.actuators import ArticulationActions

NAMES = ["hip", "knee", "ankle"]
SEED = 3
RNG = np.random.default_rng(SEED)


INPUTS = ("pos_target", "vel_target", "effort_target", "joint_pos", "joint_vel")
OUTPUTS = ("pos_cmd_out", "vel_cmd_out", "effort_cmd_out", "computed_out", "applied_out")


def arrays(num_envs, num_joints, **values):
    zeros = np.zeros((num_envs, num_joints), dtype=np.float32)
    return {
        name: wp.array(values.get(name, zeros), dtype=wp.float32, device="cpu")
        for name in INPUTS + OUTPUTS
    }


def make(cfg, names=NAMES, num_envs=2, ids=slice(None), **on_stage):
    return cfg.class_type(cfg, names, ids, num_envs, "cpu", **on_stage)


def numbers(*shape, scale=1.0, rng=RNG):
    return (scale * rng.standard_normal(shape)).astype(np.float32)


def compute(model, q, v, position=None, velocity=None, effort=None):
    """Effort the model asks for before and after limits, and its commands."""
    action = ArticulationActions(
        joint_positions=position, joint_velocities=velocity, joint_efforts=effort
    )
    out = model.compute(action, q, v)
    return model.computed_effort.numpy().copy(), model.applied_effort.numpy().copy(), out


def pd(kp, kd, position, q, velocity, v, effort):
    return kp * (position - q) + kd * (velocity - v) + effort
