"""Contact sensors: forces on bodies, and times in contact and in the air."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.assets.participation import Simulation
from usdsim.core.arguments import number
from usdsim.core.errors import StageError
from usdsim.engine.base import Engine
from usdsim.math.transforms import IDENTITY_POSE
from usdsim.parser.description import SceneDescription
from usdsim.sensors.common.bodies import find_bodies
from usdsim.sensors.common.body_sensor import BodySensor
from usdsim.sensors.common.history import SampleHistories, clear
from usdsim.sensors.common.kernel_pass import KernelPass, Rows
from usdsim.sensors.common.mirror import Mirror
from usdsim.sensors.common.sample_kernels import count_times, within
from usdsim.sensors.frames.frame_poses import FramePoses, pose_parts
from usdsim.views.copies.device_selection import DeviceSelection
from usdsim.views.usable import usable

from .data import ContactSensorData
from .details import ContactDetails
from .elements import find_filters, with_contact_sensors
from .forces import ContactForces
from .view import ContactView

if TYPE_CHECKING:
    from .cfg import ContactSensorCfg

__all__ = ["ContactSensor"]

_TIMES = ("current_air_time", "last_air_time", "current_contact_time", "last_contact_time")
_FORCES = ("net_forces_w", "force_matrix_w")


class ContactSensor(BodySensor):
    """Contact forces on bodies.

    Forces are those of the last time step, or after a reset or a write those the state implies.
    They include friction, and impulses of impacts divided by the time step. A sensor with a history
    or with air times samples in every `update` that is due, so call it once per time step; both are
    zero after a reset.

    Args:
        cfg: the configuration; the sensor works on a copy.
    """

    cfg: ContactSensorCfg
    data: ContactSensorData

    def __init__(self, cfg: ContactSensorCfg):
        super().__init__(cfg)
        self._arrays: dict[str, wp.array] = {}
        self._filters: tuple[str, ...] = ()

    @property
    def filter_paths(self) -> list[str]:
        """Prim paths in the first environment of what forces are told apart by, in order.

        Raises:
            StageError: the simulation was not started.
        """
        self._running()
        return list(self._filters)

    @property
    def contact_view(self) -> ContactView:
        """Forces and single contacts, with the getters of PhysX's tensor views.

        Raises:
            StageError: the simulation was not started.
        """
        self._running()
        single = self._details.single if self._details is not None else None
        return ContactView(self, single, self._simulation.physics_dt)

    @property
    def contact_physx_view(self) -> ContactView:
        """`contact_view` under its name in Isaac Lab 1.x and 2.x."""
        return self.contact_view

    @property
    def num_filters(self) -> int:
        """Number of filters.

        Raises:
            StageError: the simulation was not started.
        """
        return len(self.filter_paths)

    @property
    def num_sensors(self) -> int:
        """Number of bodies of an instance that are sensed."""
        return len(self.body_names)

    @property
    def sensor_names(self) -> list[str]:
        """Names of the bodies that are sensed, in the order of arrays."""
        return self.body_names

    def find_sensors(
        self, name_keys: str | Sequence[str], preserve_order: bool = False
    ) -> tuple[list[int], list[str]]:
        """Sensed bodies whose names match; see `find_bodies`."""
        return self.find_bodies(name_keys, preserve_order)

    @property
    def _where(self) -> str:
        return f"contact sensor {self.cfg.prim_path}"

    def compute_first_contact(self, dt: float, abs_tol: float = 1e-8) -> wp.array:
        """Bodies whose contact began within the last `dt`.

        Args:
            dt: how far to look back [s], such as the time step of an environment.
            abs_tol: what is added to it for rounding [s].

        Returns:
            Booleans, shape (num_instances, num_bodies).

        Raises:
            StageError: air times are not tracked, or the simulation was not started.
            InvalidValueError: the time is not above 0.
        """
        return self._within("current_contact_time", dt, abs_tol)

    def compute_first_air(self, dt: float, abs_tol: float = 1e-8) -> wp.array:
        """Bodies that lost contact within the last `dt`; see `compute_first_contact`.

        Args:
            dt: how far to look back [s].
            abs_tol: what is added to it for rounding [s].

        Returns:
            Booleans, shape (num_instances, num_bodies).
        """
        return self._within("current_air_time", dt, abs_tol)

    # -- participation -------------------------------------------------------------------------

    def prepare(self, scene: SceneDescription) -> SceneDescription:
        """A scene whose engine sums contact forces on the bodies; see `Participant.prepare`."""
        env_paths = self._simulation.env_paths
        found = find_bodies(type(self).__name__, scene, self.cfg.prim_path, env_paths)
        filters = find_filters(scene, self.cfg.filter_prim_paths_expr, env_paths)
        bodies = [path for row in found.paths for path in row]
        return with_contact_sensors(scene, bodies, filters, self.cfg.contact_slots)

    # -- what it measures ----------------------------------------------------------------------

    def _bind(self, simulation: Simulation, engine: Engine) -> int:
        bodies = self._find(simulation, engine)
        scene = engine.compiled.scene
        filters = find_filters(scene, self.cfg.filter_prim_paths_expr, simulation.env_paths)
        self._filters = tuple(f.path for f in filters)
        count = simulation.num_envs * len(bodies)
        arrays = self._allocate((count, bodies.shape[1]), engine.device)
        forces = {name: array for name, array in arrays.items() if name in _FORCES}
        self._histories = SampleHistories(engine, forces, self.cfg.history_length)
        self._arrays = dict(arrays)
        self._forces = ContactForces(
            engine,
            self._body_paths,
            filters,
            arrays["net_forces_w"],
            arrays.get("force_matrix_w"),
        )
        self._details: ContactDetails | None = None
        if self.cfg.contact_slots:
            self._details = ContactDetails(
                engine,
                self._body_paths,
                filters,
                self.cfg.contact_slots,
                [arrays.get("contact_pos_w"), arrays.get("friction_forces_w")],
            )
        self._times = self._timed_by(engine, arrays) if self.cfg.track_air_time else None
        self._poses: FramePoses | None = None
        if self.cfg.track_pose:
            self._poses = FramePoses(engine, bodies, IDENTITY_POSE)
            arrays["pos_w"], arrays["quat_w"] = pose_parts(self._poses.poses)
        self._data = ContactSensorData(**arrays, **self._histories.arrays)
        return count

    def _allocate(self, size: tuple[int, int], device: str) -> dict[str, wp.array]:
        by_filter = {
            "force_matrix_w": bool(self._filters),
            "contact_pos_w": self.cfg.track_contact_points,
            "friction_forces_w": self.cfg.track_friction_forces,
        }
        shapes: dict[str, tuple[int, ...]] = {"net_forces_w": size}
        shapes |= {name: (*size, len(self._filters)) for name, is_on in by_filter.items() if is_on}
        arrays = {
            name: wp.zeros(shape, dtype=wp.vec3f, device=device) for name, shape in shapes.items()
        }
        if self.cfg.track_air_time:
            arrays |= {name: wp.zeros(size, dtype=wp.float32, device=device) for name in _TIMES}
        return arrays

    def _timed_by(self, engine: Engine, arrays: dict[str, wp.array]) -> KernelPass:
        """Pass that counts air and contact times of a sample."""
        count, bodies = arrays["net_forces_w"].shape
        self._passed = Mirror(wp.zeros(count, dtype=wp.float32, device=engine.device))
        threshold = self.cfg.force_threshold
        least = 1.0 if threshold is None else float(threshold)
        inputs = [self._passed.array, arrays["net_forces_w"], least]
        outputs = [arrays[name] for name in _TIMES]
        return KernelPass(engine, count_times, count, (bodies,), inputs, outputs)

    @property
    def _samples_always(self) -> bool:
        return super()._samples_always or self.cfg.track_air_time

    def _follow(self) -> Hashable | None:
        details = self._details
        return super()._follow() if details is None or not details.rebounds else None

    def _evaluate(self, rows: Rows) -> None:
        self._forces.run(rows)
        if self._details is not None:
            self._details.run(rows)
        if self._poses is not None:
            self._poses.run(rows)

    def _before_sample(self, rows: Rows, elapsed: NDArray[np.float64]) -> None:
        if not self.cfg.track_air_time:
            return
        where: Any = slice(None) if rows is None else rows
        passed = elapsed.astype(np.float32)
        if not np.array_equal(self._passed.host[where], passed):
            self._passed.host[where] = passed
            self._passed.publish()

    def _sample(self, rows: Rows) -> None:
        self._evaluate(rows)
        self._histories.push(rows)
        if self._times is not None:
            self._times.run(rows)

    def _forget(self, rows: Rows | DeviceSelection) -> None:
        self._histories.clear(rows)
        for name in _TIMES if self.cfg.track_air_time else ():
            clear(self._arrays[name], rows)

    def _within(self, name: str, dt: float, abs_tol: float) -> wp.array:
        engine = self._running()
        if not self.cfg.track_air_time:
            raise StageError(
                f"ContactSensor at {self.cfg.prim_path!r} does not track air times. Set "
                "track_air_time in its configuration."
            )
        dt, abs_tol = number("dt", dt), number("abs_tol", abs_tol, above=False)
        self._refresh()
        time = self._arrays[name]
        found = wp.empty(time.shape, dtype=wp.bool, device=engine.device)
        wp.launch(within, time.shape, [time, dt + abs_tol], [found], device=engine.device)
        return usable(found)
