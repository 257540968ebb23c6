"""Moving prims: poses and velocities of what is simulated, on the stage before it starts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pxr import Gf, Usd, UsdGeom

from usdsim.assets.common.root_view import RootView
from usdsim.compat.prims.placing import convert_world_pose_to_local
from usdsim.core.errors import StageError
from usdsim.math.rotations import quat_to_wxyz
from usdsim.math.transforms import Pose
from usdsim.sim import SimulationContext
from usdsim.usd.xforms import world_pose
from usdsim.views.selection import Indices, selected

from .backends import given, poses_given, rows, xyzw
from .frames import XFormPrim

__all__ = ["MovingPrims"]


class MovingPrims(XFormPrim):
    """Prims that are simulated; see `XFormPrim` for what they are before the start."""

    kind: ClassVar[str] = ""
    """Beginning of the names of poses and velocities in `RootView`."""
    _engine: Any = None
    _bound: RootView | None = None

    @property
    def _physics_view(self) -> RootView | None:
        """Window on the engine; None: nothing runs."""
        simulation = SimulationContext.instance()
        if simulation is None or simulation.is_stopped():
            return None
        if self._engine is not simulation.engine:
            self._bound = self._bind(simulation)
            self._engine = simulation.engine
        return self._bound

    @abstractmethod
    def _bind(self, simulation: SimulationContext) -> RootView:
        """The window on the engine that runs."""

    @property
    def _running(self) -> RootView:
        view = self._physics_view
        if view is None:
            raise StageError(f"{self.name!r} is not simulated yet. Call world.reset() first.")
        return view

    def is_physics_handle_valid(self) -> bool:
        """Whether it is simulated."""
        return self._physics_view is not None

    # -- poses ---------------------------------------------------------------------------------

    def get_world_poses(self, indices: Indices = None, clone: bool = True, usd: bool = True) -> Any:
        """Poses in world: positions [m], shape (n, 3), and quaternions wxyz, (n, 4)."""
        view = self._physics_view
        if view is None:
            return super().get_world_poses(indices)
        return poses_given(self._read(f"{self.kind}transforms", indices))

    def get_local_poses(self, indices: Indices = None) -> Any:
        """Poses in the frames of the parents, where these are on the stage."""
        if self._physics_view is None:
            return super().get_local_poses(indices)
        prims, found = self._chosen(indices), []
        for prim, pose in zip(prims, self._read(f"{self.kind}transforms", indices), strict=True):
            place, turn = convert_world_pose_to_local(pose[:3], pose[3:], prim.GetParent())
            found.append([*place, *(turn or ())])
        return poses_given(np.array(found, np.float32))

    def set_world_poses(
        self,
        positions: Any = None,
        orientations: Any = None,
        indices: Indices = None,
        usd: bool = True,
    ) -> None:
        """Place them in world, at once; velocities stay. See `XFormPrim.set_world_poses`.

        Raises:
            StageError: a body hangs on another by a joint.
        """
        if self._physics_view is None:
            super().set_world_poses(positions, orientations, indices)
            return
        parts = [(slice(0, 3), positions), (slice(3, 7), xyzw(orientations))]
        self._write(f"{self.kind}transforms", parts, indices)

    def set_local_poses(
        self, translations: Any = None, orientations: Any = None, indices: Indices = None
    ) -> None:
        """Place them in the frames of their parents, where these are on the stage."""
        if self._physics_view is None:
            super().set_local_poses(translations, orientations, indices)
            return
        before = self.get_local_poses(indices)
        places: Any = rows(before[0] if translations is None else translations)
        turns: Any = xyzw(before[1] if orientations is None else orientations)
        frames, prims = UsdGeom.XformCache(), self._chosen(indices)
        points = [
            frames.GetParentToWorldTransform(prim).Transform(Gf.Vec3d(*map(float, place)))
            for prim, place in zip(prims, np.broadcast_to(places, (len(prims), 3)), strict=True)
        ]
        turned = [
            (_outer(prim) @ Pose(quat=turn)).quat
            for prim, turn in zip(prims, np.broadcast_to(turns, (len(prims), 4)), strict=True)
        ]
        self.set_world_poses(np.array(points), quat_to_wxyz(turned), indices)

    # -- velocities ----------------------------------------------------------------------------

    def get_velocities(self, indices: Indices = None, clone: bool = True) -> Any:
        """Velocities of the centres of mass in world [m/s, rad/s], linear first, shape (n, 6)."""
        return given(self._read(f"{self.kind}velocities", indices))

    def get_linear_velocities(self, indices: Indices = None, clone: bool = True) -> Any:
        """Linear velocities of the centres of mass in world [m/s], shape (n, 3)."""
        return self.get_velocities(indices)[:, :3]

    def get_angular_velocities(self, indices: Indices = None, clone: bool = True) -> Any:
        """Angular velocities in world [rad/s], shape (n, 3)."""
        return self.get_velocities(indices)[:, 3:]

    def set_velocities(self, velocities: Any, indices: Indices = None) -> None:
        """Set velocities; see `get_velocities`."""
        self._write(f"{self.kind}velocities", [(slice(0, 6), velocities)], indices)

    def set_linear_velocities(self, velocities: Any, indices: Indices = None) -> None:
        """Set linear velocities; see `get_linear_velocities`."""
        self._write(f"{self.kind}velocities", [(slice(0, 3), velocities)], indices)

    def set_angular_velocities(self, velocities: Any, indices: Indices = None) -> None:
        """Set angular velocities; see `get_angular_velocities`."""
        self._write(f"{self.kind}velocities", [(slice(3, 6), velocities)], indices)

    def post_reset(self) -> None:
        """Put them in the state that `set_default_state` says; what it leaves out is as started."""
        super().post_reset()
        for name in ("linear_velocities", "angular_velocities"):
            if name in self._defaults:
                getattr(self, f"set_{name}")(self._defaults[name])

    # -- reading and writing -------------------------------------------------------------------

    def _read(self, name: str, indices: Indices = None) -> NDArray[np.float32]:
        """Numbers that the view has under a name, for some instances."""
        view = self._running
        found: NDArray[np.float32] = getattr(view, f"get_{name}")().numpy()
        chosen = selected("indices", indices, view.count)
        return found if chosen is None else found[chosen]

    def _write(self, name: str, parts: Sequence[tuple[Any, Any]], indices: Indices = None) -> None:
        """Write columns of what the view has under a name, for some instances.

        Args:
            name: that of the quantity.
            parts: values by columns; None: as they are.
            indices: instances; None: all.
        """
        view = self._running
        whole = getattr(view, f"get_{name}")().numpy().copy()
        chosen = selected("indices", indices, view.count)
        part = whole if chosen is None else whole[chosen]
        for columns, values in parts:
            if values is not None:
                part[:, columns] = rows(values)
        if chosen is not None:
            whole[chosen] = part
        getattr(view, f"set_{name}")(whole, chosen)


def _outer(prim: Usd.Prim) -> Pose:
    return Pose(quat=world_pose(prim.GetParent(), allow_shear=True)[0].quat)
