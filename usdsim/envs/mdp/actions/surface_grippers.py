"""Surface gripper actions: open or closed."""

from __future__ import annotations

from typing import Any

import torch

from usdsim.envs.managers.term_cfg import ActionTermCfg

from .binary import closing
from .buffered import BufferedActions

__all__ = ["SurfaceGripperBinaryAction", "SurfaceGripperBinaryActionCfg"]


class SurfaceGripperBinaryAction(BufferedActions):
    """Command of a surface gripper: negative, or False, closes it."""

    def __init__(self, cfg: SurfaceGripperBinaryActionCfg, env: Any):
        super().__init__(cfg, env)
        self._allocate(1)

    def process_actions(self, actions: torch.Tensor) -> None:
        """Take the actions of a decision, shape (num_envs, 1)."""
        self._raw_actions.copy_(actions)
        self._processed_actions.fill_(self.cfg.open_command)
        self._processed_actions[closing(actions)] = self.cfg.close_command

    def apply_actions(self) -> None:
        """Set the command, and open or close as it says."""
        self._asset.set_grippers_command(self._processed_actions.view(-1))
        self._asset.write_data_to_sim()


class SurfaceGripperBinaryActionCfg(ActionTermCfg):
    """A surface gripper that is open or closed."""

    class_type: type[Any] = SurfaceGripperBinaryAction
    """Class of the term."""
    open_command: float = -1.0
    """Command of the gripper when it is to open."""
    close_command: float = 1.0
    """Command of the gripper when it is to close."""
