"""Quadruped on rough terrain: it walks as told, on ground that gets harder as it gets better."""

from __future__ import annotations

from typing import Any

import usdsim.envs.mdp as mdp
from usdsim.core.declared import DeclaredConfiguration
from usdsim.envs import ManagerBasedRLEnv
from usdsim.envs.managers import (
    CurriculumTermCfg,
    ObservationTermCfg,
    RewardTermCfg,
    SceneEntityCfg,
    TerminationTermCfg,
)
from usdsim.sensors import OffsetCfg, RayCasterCfg
from usdsim.sensors.patterns import GridPatternCfg
from usdsim.terrains import (
    HfPyramidSlopedTerrainCfg,
    HfRandomUniformTerrainCfg,
    MeshInvertedPyramidStairsTerrainCfg,
    MeshPyramidStairsTerrainCfg,
    TerrainGeneratorCfg,
    TerrainImporterCfg,
)

from .agents import PpoCfg
from .quadruped import (
    FlatPolicyCfg,
    FlatRewardsCfg,
    QuadrupedFlatEnvCfg,
    QuadrupedSceneCfg,
    velocity_error,
)

__all__ = [
    "AGENT",
    "ManagerBasedRLEnv",
    "QuadrupedRoughEnvCfg",
    "RoughSceneCfg",
    "velocity_error",
]

AGENT = PpoCfg(hidden_dims=(256, 128, 64), init_std=0.6, iterations=1500)
"""Agent that learns a policy."""

_SCAN = SceneEntityCfg("scan")
_STAIRS = {"step_height_range": (0.02, 0.12), "step_width": 0.35, "platform_width": 2.0}

TERRAIN = TerrainGeneratorCfg(
    seed=0,
    curriculum=True,
    size=(6.0, 6.0),
    num_rows=6,
    num_cols=8,
    border_width=6.0,
    sub_terrains={
        "slope": HfPyramidSlopedTerrainCfg(slope_range=(0.0, 0.4), platform_width=2.0),
        "rough": HfRandomUniformTerrainCfg(
            noise_range=(0.0, 0.06), noise_step=0.01, downsampled_scale=0.3
        ),
        "stairs": MeshPyramidStairsTerrainCfg(**_STAIRS),
        "stairs_down": MeshInvertedPyramidStairsTerrainCfg(**_STAIRS),
    },
)
"""Slopes, rough ground and stairs, in six rows of difficulty."""


class RoughSceneCfg(QuadrupedSceneCfg):
    """The shipped quadruped on rough terrain, with a scan of the ground around it."""

    ground: Any = None
    terrain = TerrainImporterCfg(
        prim_path="/World/terrain", terrain_generator=TERRAIN, max_init_terrain_level=1
    )
    scan = RayCasterCfg(
        prim_path="{ENV_REGEX_NS}/Robot/trunk",
        mesh_prim_paths=["/World/terrain"],
        offset=OffsetCfg(pos=(0.0, 0.0, 3.0)),
        ray_alignment="yaw",
        pattern_cfg=GridPatternCfg(size=(1.0, 0.6), resolution=0.1),
    )


class _Policy(FlatPolicyCfg):
    heights = ObservationTermCfg(
        func=mdp.height_scan, params={"sensor_cfg": _SCAN, "offset": 0.31}, clip=(-1.0, 1.0)
    )


class _Observations(DeclaredConfiguration):
    policy = _Policy()


class _Rewards(FlatRewardsCfg):
    upright = RewardTermCfg(func=mdp.flat_orientation_l2, weight=-0.5)
    height = RewardTermCfg(
        func=mdp.base_height_l2,
        weight=-5.0,
        params={"target_height": 0.31, "sensor_cfg": _SCAN},
    )


class _Terminations(DeclaredConfiguration):
    time_out = TerminationTermCfg(func=mdp.time_out, time_out=True)
    away = TerminationTermCfg(
        func=mdp.terrain_out_of_bounds, time_out=True, params={"distance_buffer": 1.0}
    )
    fallen = TerminationTermCfg(func=mdp.bad_orientation, params={"limit_angle": 1.2})


class _Curriculum(DeclaredConfiguration):
    levels = CurriculumTermCfg(func=mdp.terrain_levels_vel)


class QuadrupedRoughEnvCfg(QuadrupedFlatEnvCfg):
    """Walk with a commanded velocity for 20 s; who walks far goes on on harder ground."""

    scene = RoughSceneCfg(num_envs=256, env_spacing=2.5)
    observations: Any = _Observations()
    rewards = _Rewards()
    terminations: Any = _Terminations()
    curriculum = _Curriculum()
