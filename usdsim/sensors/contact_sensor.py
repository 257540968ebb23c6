"""Contact forces on bodies, and how long they last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.assets.simulation import Simulation
from usdsim.core.errors import InvalidValueError, StageError
from usdsim.engine.base import Engine
from usdsim.parser.description import SceneDescription
from usdsim.views.selection import Indices, Mask

from .body_sensor import BodySensor, push
from .contact_forces import ContactForces, find_filters, with_contact_forces
from .contact_sensor_data import ContactSensorData
from .frame_passes import FramePoses
from .kernel_pass import Rows
from .matching import find_bodies, group_bodies
from .mirror import Mirror
from .parts import pose_parts

if TYPE_CHECKING:
    from .contact_sensor_cfg import ContactSensorCfg

__all__ = ["ContactSensor"]

_TIMES = ("current_air_time", "last_air_time", "current_contact_time", "last_contact_time")
_FORCES = ("net_forces_w", "force_matrix_w")


class ContactSensor(BodySensor):
    """Contact forces on bodies.

    Forces are those of the last time step, or after a reset or a write those the state implies.
    They include friction. A sensor with a history or with air times samples in every `update` that
    is due, so call it once per time step.

    Args:
        cfg: the configuration; the sensor works on a copy.
    """

    cfg: ContactSensorCfg

    def __init__(self, cfg: ContactSensorCfg):
        super().__init__(cfg)
        self._mirrors: dict[str, Mirror] = {}
        self._values: dict[str, NDArray[Any]] = {}
        self._filters: tuple[str, ...] = ()

    @property
    def data(self) -> ContactSensorData:
        """What the sensor measures.

        Raises:
            StageError: the simulation was not started.
        """
        self._refresh()
        found: ContactSensorData = self._data
        return found

    @property
    def filter_paths(self) -> list[str]:
        """Prim paths in the first environment of what forces are told apart by, in order.

        Raises:
            StageError: the simulation was not started.
        """
        self._running()
        return list(self._filters)

    @property
    def num_filters(self) -> int:
        """Number of filters.

        Raises:
            StageError: the simulation was not started.
        """
        return len(self.filter_paths)

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

    def reset(self, env_ids: Indices = None, env_mask: Mask = None) -> None:
        """Start some instances anew; their histories and air times are zero then.

        Args:
            env_ids: instances, as indices or a slice; None: all.
            env_mask: booleans, shape (num_instances,), which win over indices.
        """
        super().reset(env_ids, env_mask)

    # -- participation -------------------------------------------------------------------------

    def prepare(self, scene: SceneDescription) -> SceneDescription:
        """A scene whose engine sums contact forces on the bodies; see `Participant.prepare`."""
        env_paths = self._simulation.env_paths
        groups = group_bodies(scene, self.cfg.prim_path, env_paths)
        if not groups:
            # Says what is wrong.
            find_bodies(type(self).__name__, scene, self.cfg.prim_path, env_paths)
        filters = find_filters(scene, self.cfg.filter_prim_paths_expr, env_paths)
        bodies = [path for row in groups.values() for path in row]
        return with_contact_forces(scene, bodies, filters)

    # -- what it measures ----------------------------------------------------------------------

    def _bind(self, simulation: Simulation, engine: Engine) -> int:
        bodies = self._find(simulation, engine)
        scene, paths = engine.compiled.scene, engine.compiled.names.paths("body")
        filters = find_filters(scene, self.cfg.filter_prim_paths_expr, simulation.env_paths)
        self._filters = tuple(f.path for f in filters)
        self._forces = ContactForces(engine, [[paths[b] for b in row] for row in bodies], filters)
        count = simulation.num_envs * len(bodies)
        arrays = self._allocate((count, bodies.shape[1]), engine.device)
        self._poses: FramePoses | None = None
        if self.cfg.track_pose:
            self._poses = FramePoses(engine, bodies, np.eye(7)[6])
            arrays["pos_w"], arrays["quat_w"] = pose_parts(self._poses.poses)
        self._data = ContactSensorData(**arrays)
        return count

    def _allocate(self, size: tuple[int, int], device: str) -> dict[str, wp.array]:
        count, bodies = size
        tails: dict[str, tuple[int, ...]] = {"net_forces_w": (bodies,)}
        if self._filters:
            tails["force_matrix_w"] = (bodies, len(self._filters))
        length = self.cfg.history_length
        mirrors = {name: Mirror((count, *tail), wp.vec3f, device) for name, tail in tails.items()}
        arrays = {name: mirror.array for name, mirror in mirrors.items()}
        for name, tail in tails.items():
            past = f"{name}_history"
            if length:
                mirrors[past] = Mirror((count, length, *tail), wp.vec3f, device)
                arrays[past] = mirrors[past].array
            else:
                arrays[past] = arrays[name].reshape((count, 1, *tail))
        if self.cfg.track_air_time:
            mirrors |= {name: Mirror(size, wp.float32, device) for name in _TIMES}
            arrays |= {name: mirrors[name].array for name in _TIMES}
        self._mirrors = mirrors
        self._values = {name: mirror.host for name, mirror in mirrors.items()}
        return arrays

    def _publish(self) -> None:
        for mirror in self._mirrors.values():
            mirror.publish()

    @property
    def _samples_always(self) -> bool:
        return super()._samples_always or self.cfg.track_air_time

    def _evaluate(self, rows: Rows) -> None:
        self._forces.net(self._values["net_forces_w"], rows)
        if self._filters:
            self._forces.matrix(self._values["force_matrix_w"], rows)
        if self._poses is not None:
            self._poses.run(rows)
        self._publish()

    def _sample(self, rows: Rows, elapsed: NDArray[np.float64]) -> None:
        self._evaluate(rows)
        if self.cfg.history_length:
            for name in _FORCES:
                if name in self._values:
                    push(self._values[f"{name}_history"], self._values[name], rows)
        if self.cfg.track_air_time:
            self._count(rows, elapsed)
        self._publish()

    def _count(self, rows: Rows, elapsed: NDArray[np.float64]) -> None:
        """Go on counting times in contact and in the air."""
        where: Any = slice(None) if rows is None else rows
        force = self._values["net_forces_w"][where]
        touching = np.einsum("ijk,ijk->ij", force, force) > self.cfg.force_threshold**2
        passed = elapsed[:, None].astype(np.float32)
        for state, before in (("contact", ~touching), ("air", touching)):
            current = self._values[f"current_{state}_time"]
            total = current[where] + passed
            ended = before & (current[where] > 0.0)
            last = self._values[f"last_{state}_time"]
            last[where] = np.where(ended, total, last[where])
            current[where] = np.where(before, 0.0, total)

    def _forget(self, rows: Rows) -> None:
        where: Any = slice(None) if rows is None else rows
        names = [f"{name}_history" for name in _FORCES] if self.cfg.history_length else []
        names += _TIMES if self.cfg.track_air_time else ()
        for name in names:
            if name in self._values:
                self._values[name][where] = 0.0
        self._publish()

    def _within(self, name: str, dt: float, abs_tol: float) -> wp.array:
        engine = self._running()
        if not self.cfg.track_air_time:
            raise StageError(
                f"ContactSensor at {self.cfg.prim_path!r} does not track air times. Set "
                "track_air_time in its configuration."
            )
        if not dt > 0.0:
            raise InvalidValueError("dt", dt, "a time above 0 s")
        self._refresh()
        time = self._values[name]
        return wp.array((time > 0.0) & (time < dt + abs_tol), dtype=wp.bool, device=engine.device)
