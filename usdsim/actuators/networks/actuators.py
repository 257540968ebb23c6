"""Network actuators: efforts by a perceptron over the past, or by one with memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from usdsim.actuators.base import ActuatorBase
from usdsim.actuators.dc_motor import DCMotor, DCMotorCfg
from usdsim.actuators.kernels import MOTOR, NETWORK
from usdsim.actuators.pipeline import NetworkRunner
from usdsim.core.arguments import choice
from usdsim.core.errors import InvalidValueError, MissingFileError
from usdsim.core.shipped import located

from .network import Network, load_npz
from .runner import HistoryRunner, LstmBody, MemoryRunner, NetworkBody, dense_body
from .torchscript import TorchScriptFile, torch_body

__all__ = ["ActuatorNetLSTM", "ActuatorNetLSTMCfg", "ActuatorNetMLP", "ActuatorNetMLPCfg"]

_ORDERS = ("pos_vel", "vel_pos")


class _ActuatorNet(DCMotor, ABC):
    """A network whose effort is limited like a DC motor's."""

    kind = MOTOR | NETWORK
    recurrent = False

    def __init__(self, cfg: Any, *args: Any, **kwargs: Any):
        super().__init__(cfg, *args, **kwargs)
        self._runner = self._make_runner()

    @property
    def network(self) -> NetworkRunner:
        """Runner that evaluates the network."""
        return self._runner

    @abstractmethod
    def _make_runner(self) -> NetworkRunner: ...

    def _body(self, num_inputs: int) -> NetworkBody:
        """The network from its file."""
        path = Path(located(str(self.cfg.network_file)))
        if not path.is_file():
            raise MissingFileError(f"network_file of {self.title}: there is no file {path}.")
        rows = self._num_envs * self.num_joints
        if path.suffix == ".npz":
            network: Network | None = load_npz(path)
        else:
            file = TorchScriptFile(path, recurrent=self.recurrent)
            network = file.network
        if network is None:
            return torch_body(file, num_inputs, rows, self._device, recurrent=self.recurrent)
        if bool(network.lstm) != self.recurrent:
            raise InvalidValueError(
                f"network_file of {self.title}", str(path),
                "a network with LSTM layers" if self.recurrent else "one without LSTM layers",
            )  # fmt: skip
        if network.num_inputs != num_inputs:
            raise InvalidValueError(
                f"number of inputs of the network of {self.title}", network.num_inputs,
                f"{num_inputs}, as configured",
            )  # fmt: skip
        if network.num_outputs != 1:
            raise InvalidValueError(
                f"number of outputs of the network of {self.title}", network.num_outputs,
                "1: the effort",
            )  # fmt: skip
        return (LstmBody if self.recurrent else dense_body)(network, rows, self._device)


class ActuatorNetMLP(_ActuatorNet):
    """A perceptron over past position errors and velocities makes the effort.

    ``effort = torque_scale network(pos_scale (q* - q), vel_scale v)``, within the limits of a DC
    motor. Velocity and effort targets have no effect. The past is zero after a reset.
    """

    def _make_runner(self) -> NetworkRunner:
        cfg = self.cfg
        past = [int(i) for i in cfg.input_idx]
        if not past or min(past) < 0:
            raise InvalidValueError(
                f"input_idx of {self.title}", past, "steps into the past, 0 the current one"
            )
        choice(f"input_order of {self.title}", cfg.input_order, _ORDERS)
        scales = (float(cfg.pos_scale), float(cfg.vel_scale), float(cfg.torque_scale))
        body = self._body(2 * len(past))
        first = cfg.input_order == "pos_vel"
        return HistoryRunner(body, self.num_joints, past, first, scales, self._device)


@dataclass(kw_only=True)
class ActuatorNetMLPCfg(DCMotorCfg):
    """Configuration of a perceptron that makes efforts."""

    class_type: type[ActuatorBase] = ActuatorNetMLP
    network_file: str
    """TorchScript file, which needs torch, or an ``.npz`` file of `save_network`."""
    pos_scale: float
    """Factor of position errors."""
    vel_scale: float
    """Factor of velocities."""
    torque_scale: float
    """Factor of the network's output."""
    input_order: Literal["pos_vel", "vel_pos"]
    """Whether position errors come before velocities."""
    input_idx: Iterable[int]
    """Input steps of the past: 0 is the current one."""


class ActuatorNetLSTM(_ActuatorNet):
    """A network with memory makes the effort from position error and velocity.

    The effort is within the limits of a DC motor at the joint's velocity. Velocity and effort
    targets have no effect. The memory is zero after a reset.
    """

    recurrent = True

    def _make_runner(self) -> NetworkRunner:
        return MemoryRunner(self._body(2), self.num_joints, 1.0, self._device)


@dataclass(kw_only=True)
class ActuatorNetLSTMCfg(DCMotorCfg):
    """Configuration of a network with memory that makes efforts."""

    class_type: type[ActuatorBase] = ActuatorNetLSTM
    network_file: str
    """TorchScript file, which needs torch, or an ``.npz`` file of `save_network`."""
