"""Queries of a `SceneModel`: constraints, cameras, contacts and rays of its worlds."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.arguments import truth
from usdsim.scene.arrays import FloatArray, frozen
from usdsim.scene.cameras.manager import CameraMgr
from usdsim.scene.contacts.constraints_report import ConstraintsReport
from usdsim.scene.contacts.contacts import Contacts
from usdsim.scene.contacts.query import ContactQuery
from usdsim.scene.contacts.reports import ReportFlags
from usdsim.scene.data.given import check_data, engine_array
from usdsim.scene.data.scene_data import SceneData
from usdsim.scene.elements.link import Link
from usdsim.scene.terrain.rays import RayHits, cast_rays

from .part import ModelPart

__all__ = ["ModelQueries"]


class ModelQueries(ModelPart):
    """Constraints, cameras, contacts and rays of a model's data."""

    # Constraints ---------------------------------------------------------------------------------

    _reports_constraints: bool = False

    @property
    def reports_constraints(self) -> bool:
        """Whether every step also makes the report; see `enable_constraints_report`."""
        return self._reports_constraints

    def enable_constraints_report(self, enabled: bool = True) -> None:
        """Make the report on constraints part of every step of all data of this model.

        Without, `get_constraints_report` makes it when asked, which costs about 20 us per world;
        with, that time is spent in the step, and asking afterwards costs nothing.

        Args:
            enabled: whether to.
        """
        self._reports_constraints = truth("enabled", enabled)

    def get_constraints_report(self, data: SceneData) -> ConstraintsReport:
        """Iterations, residuals, numbers and forces of constraints in the current state."""
        check_data(data, self._model)
        return data.read_constraints()

    @property
    def breakable_joints(self) -> tuple[str, ...]:
        """Prim paths of the joints that break, in stage order."""
        return self._model.compiled.breakable.paths

    def get_broken_joints(self, data: SceneData) -> NDArray[np.bool_]:
        """Broken joints among `breakable_joints`, shape (*B, joints). Resets mend joints.

        A joint breaks at the end of the first step in which the force or the torque it transmits,
        about its frame, is above what the stage says. How large they were is what the sensors
        ``<path>:force`` and ``<path>:torque`` say.
        """
        active = engine_array(data, self._model, "eq_active")
        return np.asarray(active[..., self._model.compiled.breakable.equalities] == 0)

    # Cameras -------------------------------------------------------------------------------------

    @cached_property
    def cameras(self) -> CameraMgr:
        """All cameras: ``model.cameras["name"]``, ``model.cameras[0]``, iteration and `len`."""
        return CameraMgr(self._model, self._model.catalog("camera"))

    def get_camera_poses(self, data: SceneData) -> FloatArray:
        """World poses of all cameras: position [m], quaternion (x, y, z, w), (*B, cameras, 7)."""
        return self.cameras.get_poses(data)

    # Contacts ------------------------------------------------------------------------------------

    @cached_property
    def reports(self) -> ReportFlags:
        """Switches of reports, which programs may set; see `ReportFlags`."""
        return ReportFlags()

    def get_contact_query(self, data: SceneData) -> ContactQuery:
        """Query of contacts between elements in `data`, now and whenever it is asked later."""
        return ContactQuery(self._model, data)

    def get_contacts(self, data: SceneData) -> Contacts:
        """All contacts of the current state with their forces, worlds one after the other."""
        return ContactQuery(self._model, data).contacts

    def cast_rays(
        self,
        data: SceneData,
        origins: ArrayLike,
        directions: ArrayLike,
        max_distance: float = np.inf,
        exclude: Link | None = None,
        groups: Iterable[int] | None = None,
        include_static: bool = True,
    ) -> RayHits:
        """Find what rays meet first in the current state of each world.

        Geoms that are fully transparent are not hit, and rays that start inside a geom hit its far
        side. Reading changes nothing; the next step computes positions anew.

        Args:
            data: the worlds.
            origins: where rays start, in world [m]: (3,), (R, 3) for all worlds, or (*B, R, 3).
            directions: where they go, in world, of any length but zero; shapes as `origins`.
            max_distance: hits beyond this do not count [m].
            exclude: a link whose geoms are not hit.
            groups: groups of geoms that may be hit, 0 to 5; None: all.
            include_static: whether what cannot move may be hit.

        Raises:
            ShapeError: another shape, or numbers of rays that do not fit.
            InvalidValueError: not finite, a direction of length zero, or a wrong choice.
        """
        return cast_rays(
            self._model, data, origins, directions, max_distance, exclude, groups, include_static
        )

    @cached_property
    def reference_positions(self) -> NDArray[np.float64]:
        """Origins of the engine's bodies in the reference pose, in world [m], shape (nbody, 3)."""
        data = mujoco.MjData(self._model.low)
        mujoco.mj_kinematics(self._model.low, data)
        return frozen(np.array(data.xpos))
