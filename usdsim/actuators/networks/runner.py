"""Network runners: one row of numbers per joint of every world, on a device."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import warp as wp

from usdsim.actuators.pipeline import Launchable
from usdsim.views.copies.device_selection import DeviceSelection

from .kernels import (
    WIDTH,
    advance_cells,
    clear_rows,
    gather_errors,
    gather_history,
    lanes,
    multiply,
    scatter_efforts,
)
from .network import ACTIVATIONS, DenseLayer, Network

__all__ = ["HistoryRunner", "LstmBody", "MemoryRunner", "NetworkBody", "dense_body"]


class NetworkBody(ABC):
    """Hidden layers: what is between a network's inputs and its output, in place."""

    inputs: Any
    """Inputs, shape (rows, num_inputs)."""
    output: Any
    """Output in column 0, shape (rows, columns)."""
    states: Sequence[Any] = ()
    """Memory between evaluations, arrays of shape (rows, columns)."""
    recordable: ClassVar[bool] = True
    """Whether kernels alone evaluate it, so that a graph can."""

    @abstractmethod
    def record(self) -> list[Launchable]:
        """Launches of one evaluation."""


class _Layer:
    """A dense layer from some columns to others."""

    def __init__(self, layer: DenseLayer, features: Any, device: str):
        outputs, count = layer.weight.shape
        rows, blocks = features.shape[0], -(-outputs // WIDTH)
        table = np.zeros((blocks * WIDTH, count + 1), dtype=np.float32)
        table[:outputs, :count], table[:outputs, count] = layer.weight, layer.bias
        packed = table.reshape(blocks, WIDTH, count + 1).transpose(0, 2, 1)
        self._weights = wp.array(np.ascontiguousarray(packed), dtype=lanes, device=device)
        self._features, self._count, self._device = features, count, device
        self._kind = ACTIVATIONS.index(layer.activation)
        self._wide = wp.zeros((rows, blocks), dtype=lanes, device=device)
        self.output = wp.array(
            ptr=self._wide.ptr, dtype=wp.float32, shape=(rows, blocks * WIDTH), device=device
        )

    def record(self) -> Launchable:
        """Launch of one layer."""
        return wp.launch(
            multiply,
            dim=self._wide.shape,
            inputs=[self._weights, self._count, self._kind, self._features],
            outputs=[self._wide],
            device=self._device,
            record_cmd=True,
        )


class _Dense(NetworkBody):
    """Dense layers, each a launch."""

    def __init__(self, layers: Sequence[DenseLayer], inputs: Any, device: str):
        self.inputs = self.output = inputs
        self._layers = []
        for layer in layers:
            self._layers.append(_Layer(layer, self.output, device))
            self.output = self._layers[-1].output

    def record(self) -> list[Launchable]:
        """A launch per layer."""
        return [layer.record() for layer in self._layers]


def dense_body(network: Network, rows: int, device: str) -> NetworkBody:
    """A network without memory."""
    inputs = wp.zeros((rows, network.num_inputs), dtype=wp.float32, device=device)
    return _Dense(network.layers, inputs, device)


class LstmBody(NetworkBody):
    """LSTM layers, two launches each, and dense layers behind them."""

    def __init__(self, network: Network, rows: int, device: str):
        self._device = device
        self._stages: list[tuple[_Layer, tuple[Any, ...]]] = []
        counts = [cell.weight_ih.shape[1] for cell in network.lstm]
        sizes = [cell.hidden_size for cell in network.lstm]
        # A layer's inputs and hidden state stand side by side, as one row of numbers.
        sides = [
            wp.zeros((rows, count + size), dtype=wp.float32, device=device)
            for count, size in zip(counts, sizes, strict=True)
        ]
        head = wp.zeros((rows, sizes[-1]), dtype=wp.float32, device=device)
        cells = [wp.zeros((rows, size), dtype=wp.float32, device=device) for size in sizes]
        for i, cell in enumerate(network.lstm):
            weight = np.concatenate([cell.weight_ih, cell.weight_hh], axis=1)
            gates = _Layer(DenseLayer(weight, cell.bias), sides[i], device)
            hidden = sides[i][:, counts[i] :]
            following = sides[i + 1][:, : counts[i + 1]] if i + 1 < len(sides) else head
            self._stages.append((gates, (cells[i], hidden, following)))
        self.inputs = sides[0][:, : counts[0]]
        self._head = _Dense(network.layers, head, device)
        self.output = self._head.output
        self.states = [*sides, *cells]

    def record(self) -> list[Launchable]:
        """Two launches per layer."""
        launches: list[Launchable] = []
        for gates, outputs in self._stages:
            launches.append(gates.record())
            launches.append(
                wp.launch(
                    advance_cells,
                    dim=gates.output.shape[0],
                    inputs=[gates.output],
                    outputs=list(outputs),
                    device=self._device,
                    record_cmd=True,
                )
            )
        return launches + self._head.record()


class _Runner:
    """Buffers and launches that networks with and without memory share."""

    def __init__(self, body: NetworkBody, num_joints: int, scale: float, device: str):
        self._body, self._num_joints, self._device = body, num_joints, device
        self._scale = scale
        self._states = list(body.states)

    @property
    def recordable(self) -> bool:
        """Whether kernels alone evaluate the network, so that a graph can."""
        return self._body.recordable

    def reset(self, worlds: DeviceSelection) -> None:
        """Forget the past of some worlds."""
        for array in self._states:
            count, _ = worlds.size((array.shape[0] // self._num_joints, 1))
            wp.launch(
                clear_rows,
                dim=(count, self._num_joints, array.shape[1]),
                inputs=[worlds.rows, worlds.row_mask, self._num_joints],
                outputs=[array],
                device=self._device,
            )

    def _record(
        self,
        kernel: Any,
        constants: list[Any],
        inputs: Sequence[Any],
        outputs: list[Any],
        effort: Any,
    ) -> list[Launchable]:
        gather = wp.launch(
            kernel,
            dim=effort.shape,
            inputs=[*constants, inputs[0], inputs[3], inputs[4]],
            outputs=[*outputs, self._body.inputs],
            device=self._device,
            record_cmd=True,
        )
        scatter = wp.launch(
            scatter_efforts,
            dim=effort.shape,
            inputs=[self._scale, self._body.output],
            outputs=[effort],
            device=self._device,
            record_cmd=True,
        )
        return [gather, *self._body.record(), scatter]


class HistoryRunner(_Runner):
    """A network over past position errors and velocities.

    Args:
        body: the network.
        num_joints: joints it is evaluated for.
        past: which past steps are inputs, 0 the current one.
        position_first: whether errors come before velocities.
        scales: factors of position errors, velocities and the effort.
        device: where it runs.
    """

    def __init__(
        self,
        body: NetworkBody,
        num_joints: int,
        past: Sequence[int],
        position_first: bool,
        scales: tuple[float, float, float],
        device: str,
    ):
        super().__init__(body, num_joints, scales[2], device)
        shape = (body.inputs.shape[0], max(past) + 1)
        errors, velocities = (wp.zeros(shape, dtype=wp.float32, device=device) for _ in range(2))
        self._past = wp.array(np.asarray(past), dtype=wp.int32, device=device)
        self._places = (0, len(past)) if position_first else (len(past), 0)
        self._scales, self._histories = scales[:2], [errors, velocities]
        self._states += self._histories

    def record(self, inputs: Sequence[Any], joints: Any, effort_out: Any) -> list[Launchable]:
        """Launches of one evaluation; see `NetworkRunner`."""
        constants = [joints, self._past, *self._places, *self._scales]
        return self._record(gather_history, constants, inputs, self._histories, effort_out)


class MemoryRunner(_Runner):
    """A network over the current position error and velocity, which remembers by itself."""

    def record(self, inputs: Sequence[Any], joints: Any, effort_out: Any) -> list[Launchable]:
        """Launches of one evaluation; see `NetworkRunner`."""
        return self._record(gather_errors, [joints], inputs, [], effort_out)
