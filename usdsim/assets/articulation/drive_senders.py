"""Drive senders: joint commands on their way to the inputs of the engine."""

from __future__ import annotations

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.views import AssetView
from usdsim.views.copies.device_columns import DeviceTable
from usdsim.views.copies.scatter import InstanceColumns

__all__ = ["HostSender", "KernelSender"]


def _columns(view: AssetView) -> NDArray[np.intp]:
    """Controls of the drives, three of each joint in a row, shape (matches, 3 * num_joints)."""
    starts = view.layout.drive_ctrls
    return (starts[..., None] + np.arange(3)).reshape(len(starts), -1).astype(np.intp)


def _commands(view: AssetView) -> wp.array:
    layout = view.layout
    shape = layout.num_instances, 3 * layout.num_joints
    return wp.zeros(shape, dtype=wp.float32, device=view.device)


def _by_kind(commands: wp.array) -> tuple[wp.array, ...]:
    """Commands of position, velocity and effort, each of shape (num_instances, num_joints)."""
    return tuple(commands[:, kind::3] for kind in range(3))


class HostSender:
    """Copies commands to the engine's controls by NumPy.

    Args:
        view: window of the articulation on the engine.

    Attributes:
        commands: of position, velocity and effort, each of shape (num_instances, num_joints).
    """

    def __init__(self, view: AssetView):
        self._engine = view.engine
        self._columns = InstanceColumns(_columns(view))
        commands = _commands(view)
        self.commands, self._values = _by_kind(commands), commands.numpy()

    def renew(self) -> None:
        """Get ready for the engine's arrays, which were replaced."""
        self._copies = self._columns.scatterers(self._values, self._engine.state("ctrl"))

    def launch(self) -> None:
        """Launch what can be recorded together with the kernels that make the commands."""

    def send(self) -> None:
        """Give the commands to the engine, once they are made."""
        for copy in self._copies:
            copy()
        self._engine.touch(field="ctrl")


class KernelSender:
    """As `HostSender`, by a kernel, for controls on a device: the host does not wait for it.

    Where the controls of an articulation follow one another, commands are made in their place.

    Args:
        view: window of the articulation on the engine.

    Attributes:
        commands: see `HostSender`; others after `renew`.
    """

    def __init__(self, view: AssetView):
        self._view = view
        self._table = DeviceTable(_columns(view), view.layout.num_worlds, view.device)
        self._values = _commands(view)
        self.commands = _by_kind(self._values)
        self._copy: wp.Launch | None = None

    def renew(self) -> None:
        """Get ready for the engine's arrays, which were replaced."""
        controls = self._view.arrays.state("ctrl")
        window = self._table.window(controls)
        self.commands = _by_kind(self._values if window is None else window)
        self._copy = self._table.recorded(controls, self._values) if window is None else None

    def launch(self) -> None:
        """Launch what can be recorded together with the kernels that make the commands."""
        if self._copy is not None:
            self._copy.launch()

    def send(self) -> None:
        """Give the commands to the engine, once they are made."""
        self._view.arrays.touch("ctrl")
