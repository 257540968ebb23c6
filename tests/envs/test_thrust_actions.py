"""Actions of multirotors: thrusts of rotors, and flights that a controller follows."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import usdsim.envs.mdp as mdp  # noqa: E402
from usdsim.controllers import (  # noqa: E402
    LeeControllerBase,
    LeeControllerBaseCfg,
    LeePosController,
)
from usdsim.core.errors import InvalidValueError  # noqa: E402


def test_thrusts_are_scaled_offset_and_clipped_by_rotor():
    craft = SimpleNamespace(thruster_names=["front_left", "front_right", "rear"], num_thrusters=3)
    env = SimpleNamespace(scene={"craft": craft}, num_envs=2, device="cpu")
    cfg = mdp.ThrustActionCfg(
        asset_name="craft", scale={"front_.*": 2.0}, offset={"rear": 0.5}, use_default_offset=False,
        clip={"front_left": (1.0, 3.0), "rear": (-1.0, 9.0)},
    )  # fmt: skip
    term = mdp.ThrustAction(cfg, env)
    term.process_actions(torch.tensor([[2.0, 2.0, 2.0], [-1.0, -1.0, -1.0]]))
    assert term.processed_actions.tolist() == [[3.0, 4.0, 2.5], [1.0, 0.0, 0.0]]


class Follower(LeeControllerBase):
    """Controller that keeps what it is asked for."""

    def __init__(self, *arguments):
        self.asked, self.begun = torch.empty(0), 0

    def compute(self, command):
        self.asked = command.clone()
        return torch.tensor([[0.0, 0.0, 4.0, 1.0, 0.0, 0.0]]).repeat(len(command), 1)

    def reset_idx(self, env_ids=None):
        self.begun += 1

    def _goal(self, command, craft):
        return command, command, command


class PositionFollower(Follower, LeePosController):
    pass


def navigation(kind, **changes):
    """Term of a vehicle at (1, 2, 3) that looks along world y, and the thrusts that it sets."""
    half = math.sqrt(0.5)
    data = SimpleNamespace(
        root_pos_w=torch.tensor([[1.0, 2.0, 3.0]]),
        root_quat_w=torch.tensor([[0.0, 0.0, half, half]]),
        heading_w=torch.tensor([math.pi / 2]),
    )
    matrix = torch.zeros(1, 6, 2)
    matrix[0, 2], matrix[0, 3, 0], matrix[0, 3, 1] = 1.0, 0.5, -0.5
    set_thrusts = []
    craft = SimpleNamespace(
        data=data, allocation_matrices=matrix, set_thrust_target=set_thrusts.append
    )
    env = SimpleNamespace(scene={"craft": craft}, num_envs=1, device="cpu")
    cfg = mdp.NavigationActionCfg(
        asset_name="craft", max_magnitude=2.0, max_inclination_angle=math.pi / 6,
        max_yaw_command=0.5, controller_cfg=LeeControllerBaseCfg(class_type=kind), **changes,
    )  # fmt: skip
    return mdp.NavigationAction(cfg, env), set_thrusts


def test_navigation_is_a_vector_ahead_that_a_controller_follows():
    term, set_thrusts = navigation(Follower)
    assert term.action_dim == 3
    term.process_actions(torch.tensor([[0.0, 1.0, -2.0]]))
    term.apply_actions()
    ahead = [math.cos(math.pi / 6), 0.0, 0.5, -0.5]
    np.testing.assert_allclose(term._controller.asked[0], ahead, rtol=1e-6)
    # Both lift together; the torque of 1 about x is (2 + 1) and (2 - 1) on arms of 0.5.
    np.testing.assert_allclose(set_thrusts[0][0], [3.0, 1.0], rtol=1e-6)
    term.process_actions(torch.tensor([[-1.0, 0.0, 0.0]]))
    np.testing.assert_allclose(term.prev_commands[0], ahead, rtol=1e-6)
    assert not term.commands.any()
    term.reset()
    assert term._controller.begun == 1 and not term.prev_commands.any()
    with pytest.raises(InvalidValueError, match="use_default_offset is True"):
        navigation(Follower, use_default_offset=True)


def test_navigation_by_positions_counts_from_the_vehicle_at_the_decision():
    term, _ = navigation(PositionFollower, scale={"yaw": 2.0})
    term.process_actions(torch.tensor([[1.0, 0.0, 0.25]]))
    term._asset.data.root_pos_w += 1.0
    term.apply_actions()
    goal = [1.0, 4.0, 3.0, math.pi / 2 + 0.25]
    np.testing.assert_allclose(term._controller.asked[0], goal, rtol=1e-6)
