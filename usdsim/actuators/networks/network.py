"""Small networks as plain numbers: layers, LSTM cells, and the file they are kept in.

The file is NumPy's ``.npz`` with these arrays:

- ``format``: the text ``usdsim-network-1``;
- ``weight_<i>`` (outputs, inputs), ``bias_<i>`` (outputs,) and ``activation_<i>`` (one of
  `ACTIVATIONS`) of each dense layer, from 0;
- ``lstm_weight_ih_<i>`` (4 hidden, inputs), ``lstm_weight_hh_<i>`` (4 hidden, hidden) and
  ``lstm_bias_<i>`` (4 hidden,) of each LSTM layer before them, gates in the order input, forget,
  candidate, output; none for a network without memory;
- ``metadata``: a JSON object of whatever belongs to the network, such as its input scales.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.arguments import choice
from usdsim.core.boundary import boundary, require_regular
from usdsim.core.errors import FileError, InvalidValueError, ShapeError
from usdsim.core.transaction import replacing

__all__ = ["ACTIVATIONS", "DenseLayer", "LstmLayer", "Network", "load_npz", "save_network"]

ACTIVATIONS = ("identity", "relu", "elu", "softsign", "tanh", "sigmoid", "silu")
"""Names of the activation functions."""

FORMAT = "usdsim-network-1"
_REMEDY = "Write one with save_network, or with save_policy for a policy."

Array = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class DenseLayer:
    """outputs = activation(weight inputs + bias)."""

    weight: Array
    """Shape (outputs, inputs)."""
    bias: Array
    """Shape (outputs,)."""
    activation: str = "identity"
    """One of `ACTIVATIONS`."""

    def __post_init__(self) -> None:
        """Check shapes and the name of the activation."""
        _require_matrix("weight", self.weight)
        _require_shape("bias", self.bias, self.weight.shape[:1])
        choice("activation", self.activation, ACTIVATIONS)


@dataclass(frozen=True, eq=False)
class LstmLayer:
    """A layer of long short-term memory; gates in the order input, forget, candidate, output."""

    weight_ih: Array
    """Weights of the inputs, shape (4 hidden, inputs)."""
    weight_hh: Array
    """Weights of the hidden state, shape (4 hidden, hidden)."""
    bias: Array
    """Sum of both biases, shape (4 hidden,)."""

    def __post_init__(self) -> None:
        """Check shapes."""
        _require_matrix("weight_ih", self.weight_ih)
        size = self.weight_ih.shape[0]
        _require_shape("weight_hh", self.weight_hh, (size, size // 4))
        _require_shape("bias", self.bias, (size,))

    @property
    def hidden_size(self) -> int:
        """Number of hidden units."""
        return int(self.weight_hh.shape[1])


@dataclass(frozen=True, eq=False)
class Network:
    """LSTM layers, if any, then dense layers; those of actuators have one output, the effort."""

    layers: tuple[DenseLayer, ...]
    lstm: tuple[LstmLayer, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Metadata of the network, besides weights."""

    def __post_init__(self) -> None:
        """Check that layers fit together."""
        if not self.layers:
            raise InvalidValueError("layers", self.layers, "at least one dense layer")
        sizes = [(cell.weight_ih.shape[1], cell.hidden_size) for cell in self.lstm]
        sizes += [(layer.weight.shape[1], layer.weight.shape[0]) for layer in self.layers]
        for i in range(1, len(sizes)):
            if sizes[i - 1][1] != sizes[i][0]:
                raise InvalidValueError(
                    f"number of inputs of layer {i}", sizes[i][0],
                    f"{sizes[i - 1][1]}, the outputs of the layer before",
                )  # fmt: skip

    @property
    def num_inputs(self) -> int:
        """Number of inputs."""
        first = self.lstm[0].weight_ih if self.lstm else self.layers[0].weight
        return int(first.shape[1])

    @property
    def num_outputs(self) -> int:
        """Number of outputs."""
        return int(self.layers[-1].weight.shape[0])


def save_network(path: str | Path, network: Network) -> None:
    """Write a network to an ``.npz`` file, which needs nothing but NumPy to be read.

    Raises:
        InvalidValueError: the file's name does not end in ``.npz``.
    """
    if Path(path).suffix != ".npz":
        raise InvalidValueError("network file", str(path), "a name that ends in .npz")
    arrays: dict[str, Any] = {"format": FORMAT, "metadata": json.dumps(dict(network.metadata))}
    for i, layer in enumerate(network.layers):
        arrays[f"weight_{i}"], arrays[f"bias_{i}"] = layer.weight, layer.bias
        arrays[f"activation_{i}"] = layer.activation
    for i, cell in enumerate(network.lstm):
        arrays[f"lstm_weight_ih_{i}"], arrays[f"lstm_weight_hh_{i}"] = (
            cell.weight_ih,
            cell.weight_hh,
        )
        arrays[f"lstm_bias_{i}"] = cell.bias
    with replacing(path) as staged:
        np.savez(staged, **arrays)


def load_npz(path: str | Path) -> Network:
    """Read a network from an ``.npz`` file.

    Raises:
        FileError: the file is missing, or is not of this format.
        InvalidValueError: layers do not fit together.
    """
    with boundary(f"Cannot read network file {path}", remedy=_REMEDY):
        require_regular(path)
        # NumPy leaves a damaged archive open that it has opened itself.
        with open(path, "rb") as opened:
            if not zipfile.is_zipfile(opened):
                raise ValueError("it is no .npz archive")
            opened.seek(0)
            with np.load(opened, allow_pickle=False) as file:
                arrays = dict(file)
    if str(arrays.get("format")) != FORMAT:
        raise FileError(f"Network file {path} is not of the format {FORMAT!r}. {_REMEDY}")
    layers: list[DenseLayer] = []
    cells: list[LstmLayer] = []
    with boundary(f"Cannot read network file {path}", remedy=_REMEDY):
        while f"weight_{len(layers)}" in arrays:
            i = len(layers)
            layers.append(
                DenseLayer(
                    arrays[f"weight_{i}"].astype(np.float32),
                    arrays[f"bias_{i}"].astype(np.float32),
                    str(arrays[f"activation_{i}"]),
                )
            )
        while f"lstm_weight_ih_{len(cells)}" in arrays:
            names = (f"lstm_{part}_{len(cells)}" for part in ("weight_ih", "weight_hh", "bias"))
            cells.append(LstmLayer(*(arrays[name].astype(np.float32) for name in names)))
        metadata = dict(json.loads(str(arrays.get("metadata", "{}"))))
    return Network(tuple(layers), tuple(cells), metadata)


def _require_matrix(what: str, array: Any) -> None:
    if np.ndim(array) != 2:
        raise ShapeError(what, np.shape(array), "(outputs, inputs)")


def _require_shape(what: str, array: Any, shape: tuple[int, ...]) -> None:
    if np.shape(array) != shape:
        raise ShapeError(what, np.shape(array), str(shape))
