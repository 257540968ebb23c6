"""Drive senders: joint commands on their way to the inputs of the engine."""

from __future__ import annotations

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.views import AssetView
from usdsim.views.copies.device_columns import DeviceTable
from usdsim.views.copies.scatter import InstanceColumns
from usdsim.views.memory import part_of

__all__ = ["HostSender", "KernelSender"]


def _columns(view: AssetView) -> NDArray[np.intp]:
    """Controls of the drives, three of each joint in a row, shape (matches, 3 * num_joints)."""
    starts = view.layout.drive_ctrls
    return (starts[..., None] + np.arange(3)).reshape(len(starts), -1).astype(np.intp)


class HostSender:
    """Copies commands to the engine's controls by NumPy.

    Args:
        view: window of the articulation on the engine.
        commands: position, velocity and effort, shape (num_instances, num_joints, 3).
    """

    def __init__(self, view: AssetView, commands: wp.array):
        self._engine, layout = view.engine, view.layout
        self._columns = InstanceColumns(_columns(view))
        self._values = commands.numpy().reshape(layout.num_instances, -1)

    def renew(self) -> None:
        """Get ready for the engine's arrays, which were replaced."""
        self._copies = self._columns.scatterers(self._values, self._engine.state("ctrl"))

    def launch(self) -> None:
        """Do what can be recorded together with the kernels that make the commands."""

    def send(self) -> None:
        """Give the commands to the engine, once they are made."""
        for copy in self._copies:
            copy()
        self._engine.touch(field="ctrl")


class KernelSender:
    """As `HostSender`, by a kernel, for controls on a device: the host does not wait for it.

    Args:
        view: window of the articulation on the engine.
        commands: position, velocity and effort, shape (num_instances, num_joints, 3).
    """

    def __init__(self, view: AssetView, commands: wp.array):
        self._view, layout = view, view.layout
        self._table = DeviceTable(_columns(view), layout.num_worlds, view.device)
        shape = layout.num_instances, 3 * layout.num_joints
        strides = commands.strides[0], commands.strides[2]
        self._values = part_of(commands, wp.float32, shape, strides)
        self._copy: wp.Launch | None = None

    def renew(self) -> None:
        """Get ready for the engine's arrays, which were replaced."""
        self._copy = self._table.recorded(self._view.arrays.state("ctrl"), self._values)

    def launch(self) -> None:
        """Do what can be recorded together with the kernels that make the commands."""
        if self._copy is not None:
            self._copy.launch()

    def send(self) -> None:
        """Give the commands to the engine, once they are made."""
        self._view.arrays.touch("ctrl")
