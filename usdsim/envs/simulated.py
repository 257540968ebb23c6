"""Simulated environment base: the simulation, the scene, seeds, pictures, and the end of life."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Self

import numpy as np
import torch

from usdsim.core.arguments import whole
from usdsim.core.errors import InvalidValueError, StageError
from usdsim.render import Renderer, look_at
from usdsim.sim import InteractiveScene, SimulationContext
from usdsim.usd.stage import create_stage
from usdsim.views.values import to_numpy

from .cfg import EnvCfg
from .managers.base import terms_of
from .managers.event import EventManager
from .spaces import gymnasium
from .streams import Streams

__all__ = ["SimulatedEnv", "view_origin"]


class SimulatedEnv(gymnasium.Env[Any, Any]):
    """Base of environments: a scene of many copies in a simulation of its own, on a new stage.

    Observations, actions and rewards are tensors with a row for each copy. There is one simulation
    at a time: `close` it before the next environment is made, or use a ``with`` block.

    Args:
        cfg: the configuration; environments read it while they run.
        render_mode: None, or ``rgb_array`` for pictures from `render`.

    Attributes:
        cfg: the configuration.
        sim: the simulation.
        scene: the scene.
        event_manager: events; without terms if there are none.
        streams: random numbers, a stream for each copy; what terms draw comes from here.
        extras: what a step says besides, such as ``extras["log"]``.
        common_step_counter: number of decisions since the environment was made.

    Raises:
        InvalidValueError: a value of the configuration is missing or not allowed.
        StageError: there is a simulation already.
    """

    metadata: dict[str, Any] = {"render_modes": [None, "human", "rgb_array"]}  # noqa: RUF012
    is_vector_env = True

    def __init__(self, cfg: EnvCfg, render_mode: str | None = None, **unused: Any):
        if render_mode not in self.metadata["render_modes"]:
            raise InvalidValueError("render_mode", render_mode, "None, human or rgb_array")
        cfg.validate()
        self.cfg: Any = cfg
        self.render_mode = render_mode
        self._closed = True
        self._renderer: Any = None
        if SimulationContext.instance() is not None:
            raise StageError(
                "There is a simulation already. Close the environment it belongs to, or end it "
                "with SimulationContext.clear_instance()."
            )
        self.sim = SimulationContext(cfg.sim, create_stage())
        self._closed = False
        try:
            self.streams = Streams(cfg.scene.num_envs, self.sim.device, 0)
            self.seed(cfg.seed if cfg.seed is not None else -1)
            self.scene = InteractiveScene(cfg.scene)
            self.extras: dict[str, Any] = {}
            self.common_step_counter = 0
            self._sim_steps = 0
            self._build()
        except Exception:
            # What derived classes would close may not be there yet.
            SimulatedEnv.close(self)
            raise
        metadata = type(self).metadata
        self.metadata = {**metadata, "render_fps": 1.0 / self.step_dt}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __del__(self) -> None:
        if not getattr(self, "_closed", True):
            self.close()

    # -- what it is ----------------------------------------------------------------------------

    @property
    def num_envs(self) -> int:
        """Number of copies."""
        return self.scene.num_envs

    @property
    def device(self) -> str:
        """Device of the tensors."""
        return self.sim.device

    @property
    def physics_dt(self) -> float:
        """Time step of the simulation [s]."""
        return self.sim.physics_dt

    @property
    def step_dt(self) -> float:
        """Time from one decision to the next [s]."""
        return self.sim.physics_dt * int(self.cfg.decimation)

    @property
    def unwrapped(self) -> Any:
        """The environment itself."""
        return self

    # -- random numbers ------------------------------------------------------------------------

    def seed(self, seed: int = -1) -> int:
        """Start all random numbers anew: of `streams`, Python, NumPy and torch.

        Args:
            seed: the seed; -1: any.

        Returns:
            The seed that was taken.
        """
        if seed == -1:
            seed = int(np.random.SeedSequence().generate_state(1, np.uint32)[0])
        seed = whole("seed", seed, most=2**64 - 1)
        random.seed(seed)
        np.random.seed(seed % 2**32)  # noqa: NPY002
        torch.manual_seed(seed)
        self.streams.seed(seed)
        return seed

    # -- pictures ------------------------------------------------------------------------------

    def render(self, recompute: bool = False) -> np.ndarray[Any, Any] | None:
        """A picture of the copy that `ViewerCfg` names.

        Returns:
            Shape (height, width, 3), uint8, in render mode ``rgb_array``; else None, and the poses
            are written to the stage for its viewers.
        """
        if self.render_mode != "rgb_array":
            if self.render_mode == "human":
                self.sim.render()
            return None
        viewer = self.cfg.viewer
        if self._renderer is None:
            self._renderer = Renderer(self.sim, world=viewer.env_index, size=viewer.resolution)
        origin = view_origin(viewer, self.scene)
        pose = look_at(origin + np.asarray(viewer.eye), origin + np.asarray(viewer.lookat))
        picture: np.ndarray[Any, Any] = self._renderer.render(pose)
        return picture

    def close(self) -> None:
        """End the simulation, and let the next environment be made."""
        if getattr(self, "_closed", True):
            return
        self._closed = True
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None
        if SimulationContext.instance() is self.sim:
            SimulationContext.clear_instance()

    # -- inside --------------------------------------------------------------------------------

    def _require_open(self) -> None:
        """Refuse to go on once the environment was closed.

        Raises:
            StageError: it was.
        """
        if self._closed:
            raise StageError(f"This {type(self).__name__} was closed. Make another one.")

    def _build(self) -> None:
        """Make what the environment consists of besides the scene, and start the simulation."""
        raise TypeError(f"{type(self).__name__} does not say how it is built")

    def _start(self, events: Any) -> None:
        """Start the simulation, with the events around it."""
        terms = terms_of(events)
        early = {n: t for n, t in terms.items() if getattr(t, "mode", None) == "prestartup"}
        drawn = {n: t for n, t in early.items() if getattr(t.func, "draws_worlds", False)}
        before = {n: t for n, t in early.items() if n not in drawn}
        if before:
            EventManager(before, self).apply("prestartup")
        self._let_surfaces_differ(events)
        self.sim.reset()
        self.scene.update(self.physics_dt)
        if drawn:  # looks are those of worlds, which there are now
            EventManager(drawn, self).apply("prestartup")
        self.event_manager = EventManager({n: t for n, t in terms.items() if n not in early}, self)
        self.event_manager.keep(events)

    def _let_surfaces_differ(self, events: Any) -> None:
        """Configure assets, which have copies of their configurations, for what events write."""
        for term in terms_of(events).values():
            entity = getattr(term, "params", {}).get("asset_cfg")
            if getattr(getattr(term, "func", None), "varies_surfaces", False) and entity:
                cfg = self.scene[entity.name].cfg
                for part in getattr(cfg, "rigid_objects", {entity.name: cfg}).values():
                    part.randomize_materials = True

    def _forget_solutions(self, env_ids: torch.Tensor) -> None:
        """Let the solver begin with nothing, on which results depend in their last bits."""
        engine = self.sim.engine
        if engine.on_device is None:  # Devices are not exact to the bit anyway.
            engine.write("qacc_warmstart", 0.0, env_ids.numpy())

    def _simulate(self, apply: Callable[[], None], holds: bool, each: Any = None) -> None:
        """Carry out a decision.

        Args:
            apply: brings actions to the assets.
            holds: whether that is the same in all time steps.
            each: called after each time step; None: nothing.
        """
        steps = int(self.cfg.decimation)
        if holds and each is None:
            apply()
            self.scene.simulate(steps)
        else:
            for _ in range(steps):
                apply()
                self.scene.simulate(1)
                if each is not None:
                    each()
        self._sim_steps += steps
        if self.render_mode == "human":
            self.sim.render()


def view_origin(viewer: Any, scene: InteractiveScene) -> np.ndarray[Any, Any]:
    """Origin of the camera of a configuration in world [m], shape (3,).

    Args:
        viewer: a `ViewerCfg`, which says what the camera is placed from.
        scene: has the environments and assets.
    """
    if viewer.origin_type == "world":
        return np.zeros(3)
    if viewer.origin_type == "asset_root":
        places = scene[viewer.asset_name].data.root_pos_w
    elif viewer.origin_type == "asset_body":
        asset = scene[viewer.asset_name]
        (body,), _ = asset.find_bodies(viewer.body_name)
        places = to_numpy(asset.data.body_pos_w)[:, body]
    else:
        places = scene.env_origins
    return np.asarray(to_numpy(places)[viewer.env_index], float)
