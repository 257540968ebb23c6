"""Policy files: networks that run in NumPy, and their exports to TorchScript and ONNX."""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.actuators.networks.network import DenseLayer, Network, load_npz, save_network
from usdsim.core.boundary import boundary
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.core.extras import library
from usdsim.core.transaction import replacing

from .exported import METADATA, READERS, ExportedPolicy, Observations, rows_of

__all__ = ["Policy", "load_policy", "save_policy"]

Array = NDArray[np.float32]

_ACTIVATIONS: dict[str, Any] = {
    "identity": lambda x: x,
    "relu": lambda x: np.maximum(x, 0.0),
    "elu": lambda x: np.where(x > 0.0, x, np.expm1(np.minimum(x, 0.0))),
    "softsign": lambda x: x / (1.0 + np.abs(x)),
    "tanh": np.tanh,
    "sigmoid": lambda x: 1.0 / (1.0 + np.exp(-x)),
    "silu": lambda x: x / (1.0 + np.exp(-x)),
}
_TORCH = {
    "identity": "Identity", "relu": "ReLU", "elu": "ELU", "softsign": "Softsign", "tanh": "Tanh",
    "sigmoid": "Sigmoid", "silu": "SiLU",
}  # fmt: skip
_ALONE = 2**18
"""Multiplications up to which linear algebra libraries do a product of matrices on one thread."""


class Policy:
    """A network from observations to actions, evaluated in NumPy.

    Args:
        network: dense layers; its metadata say which task it is for, and how it was learned.

    Attributes:
        network: the layers.
        metadata: what belongs to the policy.
    """

    def __init__(self, network: Network):
        if network.lstm:
            raise InvalidValueError("LSTM layers of a policy", len(network.lstm), "none")
        self.network = network
        self.metadata = dict(network.metadata)

    def __call__(self, observations: Observations) -> Array:
        """Actions.

        Args:
            observations: shape (..., inputs); an array, a tensor on any device, or groups of
                which ``policy`` is one.

        Raises:
            ShapeError: the number of inputs is another.
            UnknownNameError: there is no group ``policy``.
        """
        values = rows_of(observations)
        if values.shape[-1:] != (self.network.num_inputs,):
            raise ShapeError("observations", values.shape, f"(..., {self.network.num_inputs})")
        for layer in self.network.layers:
            values = _ACTIVATIONS[layer.activation](_product(values, layer.weight) + layer.bias)
        return np.asarray(values, dtype=np.float32)

    def module(self) -> Any:
        """The same as a torch module, shape (rows, inputs) to (rows, actions)."""
        torch = library("torch")
        parts = []
        for layer in self.network.layers:
            outputs, inputs = layer.weight.shape
            linear = torch.nn.Linear(inputs, outputs)
            with torch.no_grad():
                linear.weight.copy_(torch.from_numpy(layer.weight))
                linear.bias.copy_(torch.from_numpy(layer.bias))
            parts += [linear, getattr(torch.nn, _TORCH[layer.activation])()]
        return torch.nn.Sequential(*parts).eval()

    @classmethod
    def of_rsl_rl(cls, actor: Any, metadata: dict[str, Any]) -> Policy:
        """The policy of an actor of rsl_rl: the mean of its actions.

        Args:
            actor: an ``MLPModel``.
            metadata: what belongs to the policy.
        """
        torch = library("torch")
        layers: list[DenseLayer] = []
        for part in actor.mlp:
            if isinstance(part, torch.nn.Linear):
                weight, bias = (p.detach().cpu().double().numpy() for p in (part.weight, part.bias))
                layers.append(DenseLayer(weight, bias))
            else:
                name = type(part).__name__
                known = {torch_name: ours for ours, torch_name in _TORCH.items()}
                if name not in known:
                    raise InvalidValueError("activation of the actor", name, ", ".join(known))
                layers[-1] = DenseLayer(layers[-1].weight, layers[-1].bias, known[name])
        if actor.obs_normalization:
            norm = actor.obs_normalizer
            mean = norm.mean.cpu().double().numpy()
            std = norm.std.cpu().double().numpy() + norm.eps
            first = layers[0]
            scaled = first.weight / std
            layers[0] = DenseLayer(scaled, first.bias - scaled @ mean, first.activation)
        single = [
            DenseLayer(x.weight.astype(np.float32), x.bias.astype(np.float32), x.activation)
            for x in layers
        ]
        return cls(Network(tuple(single), metadata=metadata))


def _product(values: Array, weight: Array) -> Array:
    """Values times a weight, shape (..., outputs), in pieces that need one thread.

    The threads that a library has for more spin for a while after it, which keeps the processors
    from the simulation whose step comes next.
    """
    rows = values.reshape(-1, weight.shape[1])
    count = _ALONE // weight.size
    if count < 4 or len(rows) <= count:
        return np.asarray(values @ weight.T)
    found = np.empty((len(rows), len(weight)), np.float32)
    for start in range(0, len(rows), count):
        piece = slice(start, start + count)
        np.matmul(rows[piece], weight.T, out=found[piece])
    return found.reshape(*values.shape[:-1], len(weight))


def load_policy(path: str | Path) -> Policy | ExportedPolicy:
    """Read a policy; see `save_policy`.

    Args:
        path: an ``.npz`` file, or one that others may have written: TorchScript (``.pt``) or ONNX
            (``.onnx``), which give an `ExportedPolicy`.

    Raises:
        FileError: the file is missing, or is no network.
        UnsupportedError: the format needs a library that is not installed.
    """
    return ExportedPolicy(path) if Path(path).suffix in READERS else Policy(load_npz(path))


def save_policy(path: str | Path, policy: Policy) -> None:
    """Write a policy.

    Args:
        path: an ``.npz`` file (read without torch), ``.pt`` (TorchScript) or ``.onnx``.
        policy: the policy.

    Raises:
        InvalidValueError: the suffix is another.
        UnsupportedError: the format needs a library that is not installed.
    """
    suffix = Path(path).suffix
    if suffix == ".npz":
        save_network(path, policy.network)
    elif suffix == ".pt":
        torch = library("torch")
        extra = {METADATA: json.dumps(policy.metadata)}
        with replacing(path) as staged, warnings.catch_warnings():
            # What asks for TorchScript is not helped by other formats that PyTorch advises.
            warnings.filterwarnings("ignore", "`torch.jit", FutureWarning)
            warnings.filterwarnings("ignore", "`torch.jit", DeprecationWarning)
            torch.jit.save(torch.jit.script(policy.module()), str(staged), _extra_files=extra)
    elif suffix == ".onnx":
        torch, _ = library("torch"), library("onnx")
        sample = torch.zeros(1, policy.network.num_inputs)
        with replacing(path) as staged, boundary(f"Cannot write {path}"), _unadvised():
            torch.onnx.export(
                policy.module(), (sample,), str(staged), input_names=["observations"],
                output_names=["actions"], dynamic_shapes=({0: "rows"},), verbose=False,
                external_data=False,
            )  # fmt: skip
    else:
        raise InvalidValueError("policy file", str(path), "a name that ends in .npz, .pt or .onnx")


@contextmanager
def _unadvised() -> Iterator[None]:
    """Context in which PyTorch's exporter says nothing of what no policy has, such as images."""
    log = logging.getLogger("torch.onnx")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*LeafSpec", FutureWarning)
            yield
    finally:
        log.setLevel(level)
