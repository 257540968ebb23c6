"""Small models the tests share."""

from __future__ import annotations

import numpy as np

import usdsim

ROBOT = """
<mujoco>
  <option timestep="0.002" gravity="0 0 0"/>
  <worldbody>
    <body name="base" pos="0 0 1">
      <freejoint/>
      <inertial pos="0 0 0" mass="1" diaginertia=".02 .02 .02"/>
      <geom name="trunk" type="box" size=".1 .1 .1" pos=".3 0 0"/>
      <site name="tip" pos=".5 0 0"/>
      <body name="arm" pos="0 0 .5">
        <joint name="elbow" axis="0 1 0" damping=".1"/>
        <inertial pos="0 0 .2" mass=".5" diaginertia=".01 .01 .01"/>
        <site name="hand" pos="0 0 1"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor name="m" joint="elbow"/><position name="p" joint="elbow" kp="3"/></actuator>
  <keyframe>
    <key name="up" time="1.5" qpos="0 0 2 .5 .5 .5 .5 .25" qvel="1 0 0 0 0 0 2" ctrl=".1 .2"/>
  </keyframe>
</mujoco>
"""
PENDULUM = """
<mujoco>
  <option timestep="0.001"/>
  <worldbody>
    <body name="bob">
      <joint name="pin" axis="0 1 0"/>
      <geom size=".1" pos="0 0 -2" mass="1"/>
      <site name="end" pos="0 0 -2"/>
      <body name="tip" pos="0 0 -2">
        <geom size=".01" mass=".001" contype="0" conaffinity="0"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="pin"/></actuator>
</mujoco>
"""


def random_positions(rng: np.random.Generator, count: int) -> np.ndarray:
    pos = rng.normal(size=(count, 8))
    pos[:, 3:7] /= np.linalg.norm(pos[:, 3:7], axis=1, keepdims=True)
    return pos


def linear_momentum(model: usdsim.SceneModel, data: usdsim.SceneData) -> np.ndarray:
    """Sum of mass times centre of mass velocity, from Jacobian-free parts, shape (n, 3)."""
    mass = model.low.body_mass[1:]
    velocity = model.get_link_velocities(data).astype(float)
    rotation = model.get_link_rotation_mats(data).astype(float)
    if velocity.ndim == 2:
        velocity, rotation = velocity[None], rotation[None]
    arm = np.einsum("blij,lj->bli", rotation, model.low.body_ipos[1:])
    point = velocity[..., :3] + np.cross(velocity[..., 3:], arm)
    return np.einsum("l,bli->bi", mass, point)
