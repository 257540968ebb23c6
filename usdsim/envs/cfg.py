"""Environment configurations: direct, by managers, and what they have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING
from typing import Any, Literal, get_args

from usdsim.core.arguments import choice, number, whole
from usdsim.core.declared import DeclaredConfiguration
from usdsim.sim import InteractiveSceneCfg, SimulationCfg
from usdsim.spawners import RigidBodyMaterialCfg

from .managers.term_cfg import EventTermCfg
from .mdp.events.resets import reset_scene_to_default

__all__ = [
    "Autoreset",
    "DefaultEventsCfg",
    "DirectRLEnvCfg",
    "EnvCfg",
    "EpisodicEnvCfg",
    "ManagerBasedEnvCfg",
    "ManagerBasedRLEnvCfg",
    "ViewerCfg",
]

Autoreset = Literal["same_step", "next_step", "disabled"]
"""When an environment whose episode is over starts the next one."""


class ViewerCfg(DeclaredConfiguration):
    """Camera pose that pictures of an environment are taken from."""

    eye: Sequence[float] = (7.5, 7.5, 7.5)
    """Position of the camera, relative to the environment's origin [m], shape (3,)."""
    lookat: Sequence[float] = (0.0, 0.0, 0.0)
    """Target point of the camera, relative to the environment's origin [m], shape (3,)."""
    resolution: tuple[int, int] = (640, 480)
    """Width and height of pictures [pixels]."""
    env_index: int = 0
    """The environment that is shown."""
    origin_type: Literal["env", "world", "asset_root", "asset_body"] = "env"
    """Origin of `eye` and `lookat`: the environment's origin, that of the world, or the root
    of `asset_name`, or its body `body_name`, when the picture is taken."""
    asset_name: str | None = None
    """Name of the asset in the scene, for ``asset_root`` and ``asset_body``."""
    body_name: str | None = None
    """Name of a body of the asset, for ``asset_body``."""
    cam_prim_path: str | None = None
    """Camera of a window, where there is one; without effect."""


class EnvCfg(DeclaredConfiguration):
    """Simulation, scene and control period of an environment."""

    viewer: ViewerCfg = ViewerCfg()
    """Camera of pictures."""
    sim: SimulationCfg = SimulationCfg(physics_material=RigidBodyMaterialCfg())
    """Settings of the simulation."""
    decimation: int = MISSING  # type: ignore[assignment]
    """Number of time steps of the simulation per decision."""
    scene: InteractiveSceneCfg = MISSING  # type: ignore[assignment]
    """Scene of every environment."""
    seed: int | None = None
    """Seed of all random numbers; None: another one in every run."""
    torch_threads: int | None = 1
    """Threads of the CPU by which torch computes terms; None: as many as elsewhere.

    Rows of numbers are too short to be worth sharing, and threads that wait for the next tensor
    take the processor from the simulation. Terms that evaluate networks may want more."""

    def validate(self) -> None:
        """Check the values; those of the simulation and the scene are checked by these.

        Raises:
            InvalidValueError: a value is missing, or outside what is allowed.
        """
        super().validate()
        title = type(self).__name__
        whole(f"{title}.decimation", self.decimation, 1)
        if self.seed is not None:
            whole(f"{title}.seed", self.seed, most=2**64 - 1)
        if self.torch_threads is not None:
            whole(f"{title}.torch_threads", self.torch_threads, 1)
        self.validate_config()

    def validate_config(self) -> None:
        """Check combinations of values; tasks refuse here what they cannot be run with.

        Raises:
            ValueError: values do not go together.
        """


class EpisodicEnvCfg(EnvCfg):
    """Episodes of an environment: how long they last, and when the next one starts."""

    episode_length_s: float = MISSING  # type: ignore[assignment]
    """Time after which an episode is cut off [s]."""
    is_finite_horizon: bool = False
    """Whether the end of time is part of the task, so that nothing is earned after it."""
    autoreset: Autoreset = "same_step"
    """When the next episode starts: in the step that ends one, whose observations are then those
    of the new episode; in the step after it, whose action is ignored; or by `reset` alone."""
    final_observations: bool = False
    """Whether ``extras["final_obs"]`` has the last observations of episodes that ended in a step
    (``same_step`` only); it takes another evaluation in steps in which one ends."""

    def validate(self) -> None:
        """Check the values; see `EnvCfg.validate`."""
        super().validate()
        title = type(self).__name__
        number(f"{title}.episode_length_s", self.episode_length_s, unit="s")
        choice(f"{title}.autoreset", self.autoreset, get_args(Autoreset))


class DirectRLEnvCfg(EpisodicEnvCfg):
    """An environment whose class computes observations, rewards and ends of episodes itself.

    Spaces are Gymnasium's, or shorthands: an integer for so many numbers, a list of integers for
    a shape, a set with one integer for a choice among so many, a list of sets for several choices,
    mappings and tuples of these.
    """

    observation_space: Any = MISSING
    """Observations of one environment."""
    action_space: Any = MISSING
    """Actions of one environment."""
    state_space: Any = None
    """Observations of a critic of one environment; None, or 0: the same."""
    events: Any = None
    """Terms of events, as attributes; None: none."""
    observation_noise_model: Any = None
    """A `NoiseModelCfg` for observations ``policy``."""
    action_noise_model: Any = None
    """A `NoiseModelCfg` for actions."""


class DefaultEventsCfg(DeclaredConfiguration):
    """The only event: what is reset goes to its default state."""

    reset_scene_to_default = EventTermCfg(func=reset_scene_to_default, mode="reset")


class ManagerBasedEnvCfg(EnvCfg):
    """An environment whose actions, observations and events are made of terms.

    What managers are configured by are objects, or mappings, whose entries are terms.
    """

    actions: Any = MISSING
    """Terms of actions."""
    observations: Any = MISSING
    """Groups of terms of observations."""
    events: Any = DefaultEventsCfg()
    """Terms of events; None: none."""
    recorders: Any = None
    """Terms of the recorder; None: none."""


class ManagerBasedRLEnvCfg(ManagerBasedEnvCfg, EpisodicEnvCfg):
    """An environment of terms with rewards and ends of episodes."""

    rewards: Any = MISSING
    """Terms of rewards."""
    terminations: Any = MISSING
    """Terms that end episodes."""
    commands: Any = None
    """Terms of commands; None: none."""
    curriculum: Any = None
    """Terms of the curriculum; None: none."""
