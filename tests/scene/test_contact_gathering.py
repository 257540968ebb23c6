"""Contacts taken from several worlds into one table, against MuJoCo's own contact by contact."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from usdsim.scene.contacts.gathering import gather_contacts

SCENE = """<mujoco><option cone="{cone}"/><worldbody><geom type="plane" size="5 5 .1"/>
  <body pos="0 0 0.095"><freejoint/><geom type="box" size="0.1 0.1 0.1" friction="0.7 0.01 0.002"
    condim="{condim}"/></body>
  <body pos="1 0 {height}"><freejoint/><geom size="0.1" condim="1"/></body>
  <body pos="2 0 0.09"><freejoint/><geom size="0.1" condim="3"/></body>
</worldbody></mujoco>"""


def worlds(cone: str, condim: int) -> list[tuple[mujoco.MjModel, mujoco.MjData]]:
    """Worlds with different numbers of contacts, one of which has none."""
    found = []
    for height in (0.09, 5.0, 0.095):
        text = SCENE.format(cone=cone, condim=condim, height=height)
        model = mujoco.MjModel.from_xml_string(text)
        data = mujoco.MjData(model)
        data.qpos[2::7] += 10.0 * (height == 5.0)
        data.qvel[:6] = [0.4, 0.1, -0.2, 0.1, 0.0, 0.3]
        mujoco.mj_forward(model, data)
        found.append((model, data))
    return found


@pytest.mark.parametrize("expected", [0, 1, 11, 40])
@pytest.mark.parametrize("condim", [1, 3, 4, 6])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_contacts_and_their_forces_are_those_of_each_world(cone, condim, expected):
    copies = worlds(cone, condim)
    taken = gather_contacts(iter(copies), expected)
    assert taken.count == [data.ncon for _, data in copies] == [6, 0, 6]
    for name in ("geom", "pos", "frame", "dist"):
        one_by_one = [getattr(contact, name) for _, data in copies for contact in data.contact]
        np.testing.assert_array_equal(taken.fields[name], one_by_one, name)
    wrenches = np.zeros((12, 6))
    for row, (world, contact) in enumerate((world, i) for world in (0, 2) for i in range(6)):
        mujoco.mj_contactForce(*copies[world], contact, wrenches[row])
    assert wrenches[:, 0].max() > 1.0
    np.testing.assert_allclose(taken.wrench, wrenches, 1e-12, 1e-12)
