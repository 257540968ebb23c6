"""Which velocities move which bodies."""

from __future__ import annotations

import mujoco

from usdsim.engine.trees import last_dofs, moving_dofs

_ARM = """
<mujoco>
  <worldbody>
    <body mocap="true"><geom size=".1"/>
      <body name="mounted"><geom size=".1"/></body>
    </body>
    <body><freejoint/><geom size=".1"/>
      <body><joint axis="1 0 0"/><joint axis="0 1 0"/><geom size=".1"/>
        <body name="welded"><geom size=".1"/></body>
      </body>
      <body><joint axis="0 0 1"/><geom size=".1"/></body>
    </body>
  </worldbody>
</mujoco>
"""


def test_bodies_without_joints_move_with_what_they_are_fixed_to():
    model = mujoco.MjModel.from_xml_string(_ARM)
    last = last_dofs(model)
    assert last.tolist() == [-1, -1, -1, 5, 7, 7, 8]
    for body in range(model.nbody):
        moving = moving_dofs(model, body)
        assert (moving[-1] if len(moving) else -1) == last[body]
