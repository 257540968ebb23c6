"""A policy that cannot be imported on every node."""

from __future__ import annotations

import os

import numpy as np

if "CLUSTER_TEST_BLIND" in os.environ:
    raise ImportError("no such library on this node")


def sway(observation: np.ndarray, time: float) -> np.ndarray:
    return np.zeros((len(observation), 1))
