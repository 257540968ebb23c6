"""Published checkpoints: policies on Isaac Lab's server, from the folder that stands for it."""

from __future__ import annotations

import logging
from pathlib import Path

from usdsim.core.arguments import choice

from .paths import ISAACLAB_NUCLEUS_DIR

__all__ = [
    "WORKFLOWS",
    "WORKFLOW_PRETRAINED_CHECKPOINT_FILENAMES",
    "get_published_pretrained_checkpoint",
    "get_published_pretrained_checkpoint_path",
]

logger = logging.getLogger("usdsim")

WORKFLOW_PRETRAINED_CHECKPOINT_FILENAMES = {
    "rl_games": "checkpoint.pth",
    "rsl_rl": "checkpoint.pt",
    "sb3": "checkpoint.zip",
    "skrl": "checkpoint.pt",
}
"""Names of the files by training library."""
WORKFLOWS = list(WORKFLOW_PRETRAINED_CHECKPOINT_FILENAMES)
"""Training libraries."""


def get_published_pretrained_checkpoint_path(workflow: str, task_name: str) -> str:
    """Path of the checkpoint of a task in the folder, whether or not it is there.

    Args:
        workflow: training library, one of `WORKFLOWS`.
        task_name: identifier of the task.

    Raises:
        InvalidValueError: the library is none of these.
    """
    name = WORKFLOW_PRETRAINED_CHECKPOINT_FILENAMES[choice("workflow", workflow, WORKFLOWS)]
    return f"{ISAACLAB_NUCLEUS_DIR}/PretrainedCheckpoints/{workflow}/{task_name}/{name}"


def get_published_pretrained_checkpoint(workflow: str, task_name: str) -> str | None:
    """Path of the checkpoint of a task; None, with a warning, where the folder has none.

    Args:
        workflow: training library, one of `WORKFLOWS`.
        task_name: identifier of the task.

    Raises:
        InvalidValueError: the library is none of these.
    """
    path = Path(get_published_pretrained_checkpoint_path(workflow, task_name))
    if path.is_file():
        return str(path.resolve())
    logger.warning(
        "There is no checkpoint %s. Set USDSIM_ISAAC_ASSETS to a folder with the file, or train "
        "the task.",
        path,
    )
    return None
