"""Vertex actions: some vertices of deformable bodies are held, and moved by their hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING
from typing import Any, ClassVar

import torch

from usdsim.core.errors import InvalidValueError
from usdsim.envs.managers.term_cfg import ActionTermCfg
from usdsim.envs.tensors import tensor

from .buffered import BufferedActions

__all__ = ["VertexVelocityAction", "VertexVelocityActionCfg"]


class VertexVelocityAction(BufferedActions):
    """Velocity in world of a hold on vertices of a deformable body [m/s]: scale times action.

    The hold keeps the distances between its vertices, and starts where they are at a reset.
    """

    holds: ClassVar[bool] = True

    def __init__(self, cfg: VertexVelocityActionCfg, env: Any):
        super().__init__(cfg, env)
        count = int(self._asset.max_sim_vertices_per_body)
        given = sorted(cfg.vertices)
        if not given or given[0] < 0 or given[-1] >= count:
            raise InvalidValueError("vertices", list(cfg.vertices), f"indices below {count}")
        self._held = torch.tensor(given, device=self.device)
        self._allocate(3)
        self._targets = torch.ones((self.num_envs, count, 4), device=self.device)
        self._targets[:, self._held, 3] = 0.0

    @property
    def position(self) -> torch.Tensor:
        """Middle of the hold in world [m], shape (num_envs, 3)."""
        return self._targets[:, self._held, :3].mean(1)

    def reset(self, env_ids: Any = None) -> None:
        """Take hold of the vertices where they are; see `ManagerTermBase.reset`."""
        super().reset(env_ids)
        rows = slice(None) if env_ids is None else env_ids
        self._targets[rows, :, :3] = tensor(self._asset.data.nodal_pos_w)[rows]

    def process_actions(self, actions: torch.Tensor) -> None:
        """Take the actions of a decision, shape (num_envs, 3)."""
        limit = self.cfg.max_speed
        self._raw_actions.copy_(actions)
        self._processed_actions.copy_((self.cfg.scale * actions).clamp(-limit, limit))
        moved = self._targets[:, self._held, :3]
        moved += self._env.step_dt * self._processed_actions.unsqueeze(1)
        moved[..., 2].clamp_(min=self.cfg.min_height)
        self._targets[:, self._held, :3] = moved

    def apply_actions(self) -> None:
        """Hold the vertices at their targets."""
        self._asset.write_nodal_kinematic_target_to_sim(self._targets)


class VertexVelocityActionCfg(ActionTermCfg):
    """Velocity of a hold on vertices of a deformable body."""

    class_type: type[Any] = VertexVelocityAction
    """Class of the term."""
    vertices: Sequence[int] = MISSING  # type: ignore[assignment]
    """Indices of the vertices that are held."""
    scale: float = 1.0
    """Factor of actions [m/s]."""
    max_speed: float = 1.0
    """Largest speed along each axis [m/s]."""
    min_height: float = 0.0
    """Height in world that held vertices are not moved below [m]."""
