"""Stand-ins for networks of actuators: springs with dampers, in the form of the network.

Gains are those that drives of these robots are run with.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from usdsim.actuators.networks.network import DenseLayer, LstmLayer, Network, save_network

__all__ = ["NETWORKS", "write_network"]

_SMALL = 1e-3
"""Factor of what enters a cell: its hyperbolic tangent is then a straight line."""
_OPEN = 50.0
"""Input of a gate that is open; that of one that is shut is the negative."""


def _perceptron(stiffness: float, damping: float, past: int) -> Network:
    """Effort by the present error and velocity, the first of so many of each."""
    weight = np.zeros((1, 2 * past), np.float32)
    weight[0, 0], weight[0, past] = stiffness, -damping
    return Network((DenseLayer(weight, np.zeros(1, np.float32)),))


def _memory(stiffness: float, damping: float) -> Network:
    """Effort by a cell that forgets at once: its output is its input."""
    weight = np.zeros((4, 2), np.float32)
    weight[2] = _SMALL * np.array([stiffness, -damping]) / stiffness
    gates = np.array([_OPEN, -_OPEN, 0.0, _OPEN], np.float32)
    cell = LstmLayer(weight, np.zeros((4, 1), np.float32), gates)
    out = np.full((1, 1), stiffness / _SMALL, np.float32)
    return Network((DenseLayer(out, np.zeros(1, np.float32)),), (cell,))


_NETS = "Isaac/IsaacLab/ActuatorNets"
NETWORKS: dict[str, Callable[[], Network]] = {
    f"{_NETS}/ANYbotics/anydrive_3_lstm_jit.pt": partial(_memory, 80.0, 2.0),
    # Its programs give it errors with the opposite sign.
    f"{_NETS}/Unitree/unitree_go1.pt": partial(_perceptron, -25.0, 0.5, 3),
}
"""Networks by their paths on the server."""


def write_network(path: str, place: Path) -> str:
    """Write the network that stands in for one of the server; returns the path of the file.

    Args:
        path: path on the server.
        place: path of the file, without an ending.
    """
    file = place.with_suffix(".npz")
    save_network(file, NETWORKS[path]())
    return str(file)
