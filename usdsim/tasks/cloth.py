"""Cloth pull: a hold on one edge of a cloth pulls its middle over the ground to a place."""

from __future__ import annotations

from typing import Any

import torch

import usdsim.envs.mdp as mdp
from usdsim.assets import AssetBaseCfg, DeformableObjectCfg
from usdsim.core.declared import DeclaredConfiguration
from usdsim.envs import ManagerBasedRLEnv, ManagerBasedRLEnvCfg
from usdsim.envs.managers import (
    EventTermCfg,
    ObservationGroupCfg,
    ObservationTermCfg,
    RewardTermCfg,
    SceneEntityCfg,
    TerminationTermCfg,
)
from usdsim.envs.tensors import tensor
from usdsim.schemas import PhysxDeformableBodyPropertiesCfg
from usdsim.sim import InteractiveSceneCfg, SimulationCfg
from usdsim.spawners import (
    GroundPlaneCfg,
    MeshSquareCfg,
    PreviewSurfaceCfg,
    SurfaceDeformableBodyMaterialCfg,
)

from .agents import PpoCfg

__all__ = [
    "AGENT",
    "ClothPullEnvCfg",
    "ClothSceneCfg",
    "ManagerBasedRLEnv",
    "cloth_distance",
    "corners_b",
    "goal_b",
    "hold_b",
]

AGENT = PpoCfg(hidden_dims=(64, 64), init_std=0.6, iterations=60, save_interval=20)
"""Agent that learns a policy."""

CELLS, SIDE = 3, 0.4
"""Cells along a side of the cloth, and its length [m]."""
EDGE = tuple(range(CELLS * (CELLS + 1), (CELLS + 1) ** 2))
"""Vertices of the edge that is held, which runs along y."""
CORNERS = (0, CELLS, CELLS * (CELLS + 1), (CELLS + 1) ** 2 - 1)
CLOTH = SceneEntityCfg("cloth")


def _middle(env: Any) -> torch.Tensor:
    return tensor(env.scene["cloth"].data.root_pos_w)


def goal_b(env: Any) -> torch.Tensor:
    """Goal, relative to the middle of the cloth [m], shape (num_envs, 2)."""
    goal: torch.Tensor = env.command_manager.get_command("goal")
    return (goal - _middle(env))[:, :2]


def cloth_distance(env: Any) -> torch.Tensor:
    """Horizontal distance of the middle of the cloth from its goal [m], shape (num_envs,)."""
    return goal_b(env).norm(dim=1)


def corners_b(env: Any) -> torch.Tensor:
    """Corners of the cloth, relative to its middle [m], shape (num_envs, 12)."""
    corners = tensor(env.scene["cloth"].data.nodal_pos_w)[:, list(CORNERS)]
    return (corners - _middle(env).unsqueeze(1)).flatten(1)


def hold_b(env: Any) -> torch.Tensor:
    """Middle of the hold, relative to that of the cloth [m], shape (num_envs, 3)."""
    hold: torch.Tensor = env.action_manager.get_term("hold").position
    return hold - _middle(env)


def near_goal(env: Any, std: float) -> torch.Tensor:
    """1 - tanh(d / std) of `cloth_distance`, shape (num_envs,)."""
    return 1.0 - torch.tanh(cloth_distance(env) / std)


class ClothSceneCfg(InteractiveSceneCfg):
    """A square cloth on the ground."""

    ground = AssetBaseCfg(prim_path="/World/ground", spawn=GroundPlaneCfg())
    cloth = DeformableObjectCfg(
        prim_path="{ENV_REGEX_NS}/Cloth",
        spawn=MeshSquareCfg(
            size=(SIDE, SIDE),
            resolution=(CELLS, CELLS),
            deformable_props=PhysxDeformableBodyPropertiesCfg(mass=0.2),
            physics_material=SurfaceDeformableBodyMaterialCfg(
                youngs_modulus=2e4, poissons_ratio=0.3, surface_thickness=0.005,
                dynamic_friction=0.5,
            ),
            visual_material=PreviewSurfaceCfg(diffuse_color=(0.2, 0.4, 0.8)),
        ),
        init_state=DeformableObjectCfg.InitialStateCfg(pos=(0.0, 0.0, 0.01)),
    )  # fmt: skip


class _Actions(DeclaredConfiguration):
    hold = mdp.VertexVelocityActionCfg(
        asset_name="cloth", vertices=EDGE, scale=0.5, max_speed=0.5, min_height=0.01
    )


class _Commands(DeclaredConfiguration):
    goal = mdp.UniformPositionCommandCfg(
        asset_name="cloth",
        resampling_time_range=(6.0, 6.0),
        ranges=mdp.UniformPositionCommandCfg.Ranges(
            pos_x=(-0.5, 0.5), pos_y=(-0.5, 0.5), pos_z=(0.0, 0.0)
        ),
    )


class _Policy(ObservationGroupCfg):
    goal = ObservationTermCfg(func=goal_b)
    hold = ObservationTermCfg(func=hold_b)
    corners = ObservationTermCfg(func=corners_b)
    action = ObservationTermCfg(func=mdp.last_action)


class _Observations(DeclaredConfiguration):
    policy = _Policy()


class _Events(DeclaredConfiguration):
    start = EventTermCfg(
        func=mdp.reset_nodal_state_uniform,
        mode="reset",
        params={
            "asset_cfg": CLOTH,
            "position_range": {"x": (-0.1, 0.1), "y": (-0.1, 0.1)},
            "velocity_range": {},
        },
    )


class _Rewards(DeclaredConfiguration):
    near = RewardTermCfg(func=near_goal, weight=1.0, params={"std": 0.3})
    at = RewardTermCfg(func=near_goal, weight=1.0, params={"std": 0.05})
    smooth = RewardTermCfg(func=mdp.action_rate_l2, weight=-0.01)


class _Terminations(DeclaredConfiguration):
    time_out = TerminationTermCfg(func=mdp.time_out, time_out=True)


class ClothPullEnvCfg(ManagerBasedRLEnvCfg):
    """Pull a cloth to a place on the ground within 6 s, at 25 decisions per second."""

    sim = SimulationCfg(dt=0.01)
    scene = ClothSceneCfg(num_envs=128, env_spacing=2.0)
    decimation = 4
    episode_length_s = 6.0
    actions = _Actions()
    observations = _Observations()
    events = _Events()
    commands = _Commands()
    rewards = _Rewards()
    terminations = _Terminations()
