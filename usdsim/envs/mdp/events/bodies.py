"""Randomised bodies: surfaces, masses, inertias and centres of mass.

What is drawn acts on the values there were when an event was first called, so that repeated events
do not drift, and events after each other act on what those before them made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from usdsim.core.arguments import whole
from usdsim.envs.managers.base import ManagerTermBase
from usdsim.envs.managers.scene_entity import SceneEntityCfg
from usdsim.envs.signals.noise import operated
from usdsim.envs.tensors import tensor

from .resets import AXES, Ranges, drawn
from .sampling import Distribution, Operation, columns_of, randomized

if TYPE_CHECKING:
    from usdsim.envs import ManagerBasedEnv

__all__ = [
    "randomize_rigid_body_com",
    "randomize_rigid_body_inertia",
    "randomize_rigid_body_mass",
    "randomize_rigid_body_material",
]

_SMALLEST = 1e-6
"""Smallest mass that is written [kg]."""


class _FromFirstCall(ManagerTermBase):
    """A term that acts on what quantities were when it was first called."""

    def __init__(self, cfg: Any, env: Any):
        super().__init__(cfg, env)
        self._first: dict[str, torch.Tensor] = {}

    def first(self, asset: Any, name: str) -> torch.Tensor:
        """A quantity of an asset as it was in all environments at the first call."""
        if name not in self._first:
            self._first[name] = tensor(getattr(asset.data, name)).clone()
        return self._first[name]


class randomize_rigid_body_material(ManagerTermBase):
    """Give the shapes of bodies surfaces, drawn from so many.

    Environments with this event simulate the asset as if configured with ``randomize_materials``.
    """

    varies_surfaces = True
    """Whether surfaces are made to differ once the simulation runs, which the engine prepares."""

    def __init__(self, cfg: Any, env: Any):
        super().__init__(cfg, env)
        params = cfg.params
        count = whole("num_buckets", int(params["num_buckets"]), 1)
        ranges = [
            params[f"{name}_range"]
            for name in ("static_friction", "dynamic_friction", "restitution")
        ]
        limits = torch.tensor([[float(n) for n in r] for r in ranges], device=env.device)
        first = torch.zeros(1, dtype=torch.int64, device=env.device)
        drawn_values = env.streams.uniform(limits[:, 0], limits[:, 1], (count, 3), first)
        self._surfaces = drawn_values[0]
        if params.get("make_consistent", False):
            self._surfaces[:, 1] = torch.minimum(self._surfaces[:, 0], self._surfaces[:, 1])

    def __call__(
        self,
        env: ManagerBasedEnv,
        env_ids: torch.Tensor,
        static_friction_range: tuple[float, float],
        dynamic_friction_range: tuple[float, float],
        restitution_range: tuple[float, float],
        num_buckets: int,
        asset_cfg: SceneEntityCfg,
        make_consistent: bool = False,
    ) -> None:
        """Draw surfaces.

        Args:
            env: the environment.
            env_ids: environments.
            static_friction_range: smallest and largest static friction; see
                `Engine.set_surfaces` for where it acts.
            dynamic_friction_range: smallest and largest friction.
            restitution_range: smallest and largest restitution.
            num_buckets: number of different surfaces.
            asset_cfg: the asset, and its bodies.
            make_consistent: whether dynamic friction is at most static friction.
        """
        asset = env.scene[asset_cfg.name]
        columns = _shapes_of(asset, asset_cfg.body_ids)
        which = env.streams.integers(0, len(self._surfaces), asset.data.num_shapes, env_ids)
        surfaces = self._surfaces[which[:, columns]]
        asset.set_material_properties(surfaces, shape_ids=columns_of(columns), env_ids=env_ids)


def _shapes_of(asset: Any, body_ids: list[int] | slice) -> list[int] | slice:
    """Shapes of some bodies, in the order of the asset's arrays."""
    if isinstance(body_ids, slice):
        return body_ids
    layout, model = asset.root_view.layout, asset.root_view.engine.compiled.mj
    owners = model.geom_bodyid[layout.geoms[0]]
    found: list[int] = np.flatnonzero(np.isin(owners, layout.bodies[0][body_ids])).tolist()
    return found


class randomize_rigid_body_mass(_FromFirstCall):
    """Give bodies masses drawn about those of the first call."""

    def __call__(
        self,
        env: ManagerBasedEnv,
        env_ids: torch.Tensor,
        asset_cfg: SceneEntityCfg,
        mass_distribution_params: tuple[float, float],
        operation: Operation,
        distribution: Distribution = "uniform",
        recompute_inertia: bool = True,
        min_mass: float = _SMALLEST,
    ) -> None:
        """Draw masses.

        Args:
            env: the environment.
            env_ids: environments.
            asset_cfg: the asset, and its bodies.
            mass_distribution_params: limits, or mean and deviation; see `randomized`.
            operation: what is done with what is drawn.
            distribution: where it is drawn from.
            recompute_inertia: whether inertias change in proportion.
            min_mass: smallest mass [kg].
        """
        asset, ids = env.scene[asset_cfg.name], asset_cfg.body_ids
        start = self.first(asset, "body_mass")[env_ids][:, ids]
        moments = self.first(asset, "body_inertia")[env_ids]
        mass = randomized(
            env, env_ids, start, mass_distribution_params, operation, distribution
        ).clamp(min=min_mass)
        columns = columns_of(ids)
        asset.set_masses(mass, body_ids=columns, env_ids=env_ids)
        if recompute_inertia:
            solid = moments.any(dim=2).all(dim=0)  # links that only mark a place have none
            chosen = torch.arange(len(solid), device=solid.device)[ids]
            among = solid[chosen]
            ratio = (mass / start.clamp(min=_SMALLEST))[:, among].unsqueeze(-1)
            columns = chosen[among].tolist()
            asset.set_inertias(moments[:, columns] * ratio, body_ids=columns, env_ids=env_ids)


class randomize_rigid_body_inertia(_FromFirstCall):
    """Give bodies inertias drawn about those of the first call, one number for each body."""

    def __call__(
        self,
        env: ManagerBasedEnv,
        env_ids: torch.Tensor,
        asset_cfg: SceneEntityCfg,
        inertia_distribution_params: tuple[float, float],
        operation: Operation = "add",
        distribution: Distribution = "uniform",
        diagonal_only: bool = True,
    ) -> None:
        """Draw inertias.

        Args:
            env: the environment.
            env_ids: environments.
            asset_cfg: the asset, and its bodies.
            inertia_distribution_params: limits, or mean and deviation; see `randomized`.
            operation: what is done with what is drawn.
            distribution: where it is drawn from.
            diagonal_only: whether products of inertia stay as they are.
        """
        asset, ids = env.scene[asset_cfg.name], asset_cfg.body_ids
        start = self.first(asset, "body_inertia")[env_ids][:, ids]
        each = torch.zeros(start.shape[:2], device=env.device)
        number = randomized(env, env_ids, each, inertia_distribution_params, "abs", distribution)
        number = number.unsqueeze(-1).expand(start.shape)
        inertia = operated(start, number, operation)
        if diagonal_only:
            diagonal = torch.eye(3, dtype=torch.bool, device=env.device).flatten()
            inertia = torch.where(diagonal, inertia, start)
        asset.set_inertias(inertia, body_ids=columns_of(ids), env_ids=env_ids)


class randomize_rigid_body_com(_FromFirstCall):
    """Shift centres of mass from where they were at the first call."""

    def __call__(
        self,
        env: ManagerBasedEnv,
        env_ids: torch.Tensor,
        com_range: Ranges,
        asset_cfg: SceneEntityCfg,
    ) -> None:
        """Draw shifts, the same for all bodies of an environment.

        Args:
            env: the environment.
            env_ids: environments.
            com_range: intervals for x, y, z in the frame of the body [m].
            asset_cfg: the asset, and its bodies.
        """
        shift = drawn(env, env_ids, com_range, AXES[:3])
        asset = env.scene[asset_cfg.name]
        pose = self.first(asset, "body_com_pose_b")[env_ids][:, asset_cfg.body_ids].clone()
        pose[..., :3] += shift.unsqueeze(1)
        asset.set_coms(pose, body_ids=columns_of(asset_cfg.body_ids), env_ids=env_ids)
