"""Policies of rsl_rl before version 4 in files, TorchScript and ONNX, with their normalizers."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import torch

from usdsim.core.errors import InvalidValueError
from usdsim.core.extras import library

__all__ = ["export_policy_as_jit", "export_policy_as_onnx"]

_PARTS = (("actor", "memory_a"), ("student", "memory_s"))
"""Attributes of policies that act, and those of their memories."""
_STATES = {"LSTM": ("h", "c"), "GRU": ("h",)}
"""Kinds of memories, and the names of their states."""
_OPSET = 18


def export_policy_as_jit(
    policy: Any, normalizer: Any, path: str | Path, filename: str = "policy.pt"
) -> None:
    """Write a policy as TorchScript: observations to actions, with memories that ``reset`` clears.

    Args:
        policy: with an ``actor`` or a ``student``, and their memory where it `is_recurrent`.
        normalizer: module that observations go through first; None: none.
        path: folder, which is made where there is none.
        filename: name of the file.

    Raises:
        InvalidValueError: the policy has no such part, or a memory of another kind.
    """
    module = (
        _remembering(policy, normalizer) if policy.is_recurrent else _Acting(policy, normalizer)
    )
    Path(path).mkdir(parents=True, exist_ok=True)
    torch.jit.script(module).save(str(Path(path) / filename))


def export_policy_as_onnx(
    policy: Any,
    path: str | Path,
    normalizer: Any = None,
    filename: str = "policy.onnx",
    verbose: bool = False,
) -> None:
    """Write a policy as ONNX: ``obs`` to ``actions``, and states of its memory in and out.

    Args:
        policy: see `export_policy_as_jit`.
        path: folder, which is made where there is none.
        normalizer: module that observations go through first; None: none.
        filename: name of the file.
        verbose: whether the model is printed.

    Raises:
        InvalidValueError: see `export_policy_as_jit`.
        UnsupportedError: onnx is not installed.
    """
    Path(path).mkdir(parents=True, exist_ok=True)
    _OnnxPolicyExporter(policy, normalizer, verbose).export(path, filename)


class _Acting(torch.nn.Module):
    """The part of a policy that acts, on the CPU."""

    def __init__(self, policy: Any, normalizer: Any = None):
        super().__init__()
        found = [part for part in _PARTS if hasattr(policy, part[0])]
        if not found:
            raise InvalidValueError(
                "policy", type(policy).__name__, "one with an actor or a student"
            )
        part, memory = found[0]
        self.actor = copy.deepcopy(getattr(policy, part)).cpu()
        given = torch.nn.Identity() if normalizer is None else normalizer
        self.normalizer = copy.deepcopy(given).cpu()
        self.is_recurrent = bool(policy.is_recurrent)
        if self.is_recurrent:
            self.rnn = copy.deepcopy(getattr(policy, memory).rnn).cpu()
            if type(self.rnn).__name__ not in _STATES:
                raise InvalidValueError("memory", type(self.rnn).__name__, ", ".join(_STATES))
        self.eval()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Actions, shape (n, actions), of observations."""
        acted: torch.Tensor = self.actor(self.normalizer(x))
        return acted

    @torch.jit.export
    def reset(self) -> None:
        """Nothing: there is no memory."""


class _Lstm(_Acting):
    """A policy with a memory of two states."""

    def __init__(self, policy: Any, normalizer: Any = None):
        super().__init__(policy, normalizer)
        size = self.rnn.num_layers, 1, self.rnn.hidden_size
        self.register_buffer("hidden_state", torch.zeros(size))
        self.register_buffer("cell_state", torch.zeros(size))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Actions, shape (1, actions), of observations; the memory goes on."""
        seen = self.normalizer(x).unsqueeze(0)
        out, (hidden, cell) = self.rnn(seen, (self.hidden_state, self.cell_state))
        self.hidden_state[:] = hidden
        self.cell_state[:] = cell
        return self.actor(out.squeeze(0))

    @torch.jit.export
    def reset(self) -> None:
        """Forget."""
        self.hidden_state[:] = 0.0
        self.cell_state[:] = 0.0


class _Gru(_Acting):
    """A policy with a memory of one state."""

    def __init__(self, policy: Any, normalizer: Any = None):
        super().__init__(policy, normalizer)
        size = self.rnn.num_layers, 1, self.rnn.hidden_size
        self.register_buffer("hidden_state", torch.zeros(size))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Actions, shape (1, actions), of observations; the memory goes on."""
        out, hidden = self.rnn(self.normalizer(x).unsqueeze(0), self.hidden_state)
        self.hidden_state[:] = hidden
        return self.actor(out.squeeze(0))

    @torch.jit.export
    def reset(self) -> None:
        """Forget."""
        self.hidden_state[:] = 0.0


def _remembering(policy: Any, normalizer: Any) -> _Acting:
    kind = type(_Acting(policy).rnn).__name__
    return _Lstm(policy, normalizer) if kind == "LSTM" else _Gru(policy, normalizer)


class _OnnxPolicyExporter(_Acting):
    """A policy that writes itself as ONNX; programs derive from it to write more."""

    def __init__(self, policy: Any, normalizer: Any = None, verbose: bool = False):
        super().__init__(policy, normalizer)
        self.verbose = verbose

    def forward(self, x: torch.Tensor, *states: torch.Tensor) -> Any:
        """Actions of observations, followed by the states of the memory, if there is one."""
        if not states:
            return super().forward(x)
        before = states if len(states) > 1 else states[0]
        out, after = self.rnn(self.normalizer(x).unsqueeze(0), before)
        return (self.actor(out.squeeze(0)), *(after if len(states) > 1 else (after,)))

    def export(self, path: str | Path, filename: str) -> None:
        """Write it; see `export_policy_as_onnx`."""
        library("onnx")
        self.to("cpu").eval()
        names = _STATES[type(self.rnn).__name__] if self.is_recurrent else ()
        if self.is_recurrent:
            size = self.rnn.num_layers, 1, self.rnn.hidden_size
            sample = [torch.zeros(1, self.rnn.input_size), *(torch.zeros(size) for _ in names)]
        else:
            layers = [m for m in self.actor.modules() if isinstance(m, torch.nn.Linear)]
            sample = [torch.zeros(1, layers[0].in_features)]
        torch.onnx.export(
            self,
            tuple(sample),
            str(Path(path) / filename),
            opset_version=_OPSET,
            verbose=self.verbose,
            input_names=["obs", *(f"{name}_in" for name in names)],
            output_names=["actions", *(f"{name}_out" for name in names)],
            dynamo=False,
        )
