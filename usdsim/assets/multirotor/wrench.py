"""Multirotor wrench: force and torque of all thrusts on the root."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.views import AssetView

from .allocation import RotorFrames, derived_allocation, given_allocation, rotor_signs
from .kernels import apply_thrusts
from .thrusters import ThrusterGroups

if TYPE_CHECKING:
    from .cfg import MultirotorCfg

__all__ = ["ThrustWrench"]

logger = logging.getLogger("usdsim")

_ALLOCATION, _ADDS = 1, 2  # places among the arguments of the kernel


class ThrustWrench:
    """The allocation matrix of a multirotor, and what brings its wrench to the engine.

    Args:
        view: window of the vehicle on the engine.
        cfg: its configuration.
        thrusters: its thrusters.
        title: the vehicle in messages.

    Raises:
        ShapeError: the matrix or the directions of rotors do not fit the thrusters there are.
    """

    def __init__(self, view: AssetView, cfg: MultirotorCfg, thrusters: ThrusterGroups, title: str):
        self._view, self._thrusters = view, thrusters
        self._roots = wp.array(view.layout.roots, dtype=wp.int32, device=view.device)
        self._launch: Any = None
        self._arrays: tuple[wp.array, wp.array] | None = None
        self._adds = False
        self._seen = -1
        self._adopted = 0
        self._frames: RotorFrames | None = None
        self._signs: NDArray[np.float64] | None = None
        direction = np.asarray(cfg.thruster_force_direction, np.float64)
        self._direction = direction / np.linalg.norm(direction)
        if cfg.rotor_directions is not None:
            what = f"rotor_directions of the {title}"
            self._signs = rotor_signs(what, cfg.rotor_directions, thrusters.names)
        if cfg.allocation_matrix is None:
            self._frames = RotorFrames(view.engine, view.layout, thrusters.bodies)
            self._follow()
            return
        what = f"allocation_matrix of the {title}"
        matrix = given_allocation(what, cfg.allocation_matrix, thrusters.names)
        self._adopt(matrix[None])
        if not np.any(self._direction @ matrix[:3]):
            logger.warning(
                "By its allocation_matrix no thruster of the %s pushes along "
                "thruster_force_direction %s; the rows are Fx, Fy, Fz, Tx, Ty, Tz.",
                title,
                tuple(cfg.thruster_force_direction),
            )

    @property
    def matrices(self) -> wp.array:
        """Matrices for the present parameters of the engine, shape (n, 6, num_thrusters).

        Instance i has that of row i % n.
        """
        self._follow()
        return self._allocation

    def apply(self, adds: bool) -> None:
        """Give the engine the wrench of the thrusts.

        Args:
            adds: whether to what acts on the root already, rather than instead of it.
        """
        self.prepare()
        self.launch(adds)
        self.note()

    def prepare(self) -> int:
        """Follow the engine's parameters; returns how often the matrix was replaced."""
        self._follow()
        return self._adopted

    def launch(self, adds: bool) -> None:
        """Launch what `apply` does on the device."""
        view = self._view
        view.arrays.fresh("xquat")
        arrays = view.arrays.read("xquat"), view.arrays.state("xfrc_applied")
        known = self._arrays
        if known is None or arrays[0] is not known[0] or arrays[1] is not known[1]:
            self._launch = wp.launch(
                view.arrays.kernel(apply_thrusts),
                dim=view.layout.num_instances,
                inputs=[self._roots, self._allocation, adds, arrays[0], self._thrusters.applied],
                outputs=[arrays[1]],
                device=view.device,
                record_cmd=True,
            )
            self._arrays = arrays
        elif adds != self._adds:
            self._launch.set_param_at_index(_ADDS, adds)
        self._adds = adds
        self._launch.launch()

    def note(self) -> None:
        """Record what `launch` did."""
        self._view.arrays.touch("xfrc_applied")

    def _follow(self) -> None:
        """Update a derived matrix to the present parameters."""
        now = self._view.engine.versions.parameters
        if self._frames is None or now == self._seen:
            return
        self._seen = now
        if self._frames.follow():
            self._adopt(
                derived_allocation(
                    self._frames.positions,
                    self._frames.quats,
                    self._direction,
                    self._thrusters.torque_ratios,
                    self._signs,
                )
            )

    def _adopt(self, matrices: NDArray[np.float64]) -> None:
        self._allocation = wp.array(
            matrices.astype(np.float32), dtype=wp.float32, device=self._view.device
        )
        self._adopted += 1
        if self._launch is not None:
            self._launch.set_param_at_index(_ALLOCATION, self._allocation)
