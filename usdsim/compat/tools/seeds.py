"""Seeds of all random numbers of a program."""

from __future__ import annotations

import random

import numpy as np
import torch
import warp as wp

__all__ = ["configure_seed"]


def configure_seed(seed: int | None, torch_deterministic: bool = False) -> int:
    """Seed Python, NumPy, torch and Warp.

    Args:
        seed: the number; None or -1: another in every run.
        torch_deterministic: whether torch must use algorithms without chance.

    Returns:
        The number used.
    """
    if seed is None or seed == -1:
        seed = int(np.random.default_rng().integers(10_000))
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - programs draw from the global state
    torch.manual_seed(seed)
    wp.rand_init(seed)
    if torch_deterministic:
        torch.use_deterministic_algorithms(True)
    return seed
