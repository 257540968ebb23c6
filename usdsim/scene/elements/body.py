"""Bodies: whole kinematic trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.arguments import truth
from usdsim.core.errors import UnknownNameError
from usdsim.scene.arrays import FloatArray, filled
from usdsim.scene.checks import element_index
from usdsim.scene.data.given import check_data, read_dof_pos, read_dof_vel
from usdsim.scene.kinematics.frames import BODY

from .element import Element
from .frame_element import FrameElement

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData

    from .actuator import Actuator
    from .floating_base import FloatingBase
    from .geom import Geom
    from .joint import Joint
    from .link import Link
    from .mocap import Mocap

__all__ = ["Body"]

T = TypeVar("T", bound=Element)


class Body(FrameElement):
    """A link that hangs on the world, with everything that hangs on it.

    Its pose and velocity are those of its base link. Its degrees of freedom lie side by side in
    `SceneData.dof_pos` and `dof_vel`, those of the floating base first.
    """

    __slots__ = ()

    kind = "body"
    frames = BODY

    # Structure -----------------------------------------------------------------------------------

    @property
    def base_link(self) -> Link:
        """The link that hangs on the world."""
        return self._links[0]

    @property
    def links(self) -> list[Link]:
        """All links of the tree, parents first."""
        return [*self._links]

    @property
    def num_links(self) -> int:
        """Number of links."""
        return len(self._links)

    @property
    def joints(self) -> list[Joint]:
        """All joints of the tree."""
        return [
            self._model.catalog("joint").items[i]
            for body in self._members
            for i in self._joints_of(body)
        ]

    @property
    def num_joints(self) -> int:
        """Number of joints; the floating base is not one."""
        return sum(len(self._joints_of(body)) for body in self._members)

    @property
    def floatingbase(self) -> FloatingBase | None:
        """The floating base; None if the tree is fixed, moved by the user or on joints."""
        for base in self._model.floating_bases:
            if base.link.engine_id == self._id:
                return base
        return None

    @property
    def is_mocap(self) -> bool:
        """Whether the user moves this body (`mocap`) and forces do not."""
        return int(self._model.low.body_mocapid[self._id]) >= 0

    @property
    def mocap(self) -> Mocap | None:
        """The handle that moves this body; None if forces do."""
        index = int(self._model.low.body_mocapid[self._id])
        return self._model.catalog("mocap").items[index] if index >= 0 else None

    @property
    def actuators(self) -> list[Actuator]:
        """The actuators that act on joints, sites or links of this tree."""
        return [a for a in self._model.actuators if a.target_body == self._id]

    @property
    def num_actuators(self) -> int:
        """Number of `actuators`."""
        return len(self.actuators)

    @property
    def num_joint_dof_pos(self) -> int:
        """Number of joint positions, without the floating base's 7."""
        pos = self._pos(False)
        return pos.stop - pos.start

    @property
    def num_joint_dof_vel(self) -> int:
        """Number of joint velocities, without the floating base's 6."""
        vel = self._vel(False)
        return vel.stop - vel.start

    def dof_pos_range(self, include_floatingbase: bool = True) -> slice:
        """Range of this body's positions in `SceneData.dof_pos`."""
        return self._pos(include_floatingbase)

    def dof_vel_range(self, include_floatingbase: bool = True) -> slice:
        """Range of this body's velocities in `SceneData.dof_vel`."""
        return self._vel(include_floatingbase)

    def get_dof_pos_indices(self, include_floatingbase: bool = True) -> NDArray[np.intp]:
        """Places of this body's positions in `SceneData.dof_pos`, shape (n,)."""
        pos = self._pos(include_floatingbase)
        return np.arange(pos.start, pos.stop)

    def get_dof_vel_indices(self, include_floatingbase: bool = True) -> NDArray[np.intp]:
        """Places of this body's velocities in `SceneData.dof_vel`, shape (n,)."""
        vel = self._vel(include_floatingbase)
        return np.arange(vel.start, vel.stop)

    def get_link(self, key: str | int) -> Link:
        """A link of this body by name, path or place in `links`.

        Raises:
            UnknownNameError: the body has no such link.
            OutOfRangeError: it has fewer links.
        """
        return self._own("link", self.links, key)

    def get_joint(self, key: str | int) -> Joint:
        """A joint of this body by name, path or place in `joints`; errors as `get_link`."""
        return self._own("joint", self.joints, key)

    def get_geom(self, key: str | int) -> Geom:
        """A geom of this body by name, path or place in `geoms`; errors as `get_link`."""
        return self._own("geom", self.geoms, key)

    @property
    def geoms(self) -> list[Geom]:
        """The shapes of all `links`, link by link."""
        return [geom for link in self._links for geom in link.geoms]

    # State ---------------------------------------------------------------------------------------

    def get_joint_dof_pos(self, data: SceneData, out: FloatArray | None = None) -> FloatArray:
        """Joint positions [m or rad], shape (*B, num_joint_dof_pos).

        Args:
            data: the worlds.
            out: array to fill, float32 of that shape.
        """
        return filled(read_dof_pos(data, self._model, self._pos(False)), out, "joint positions")

    def get_joint_dof_vel(self, data: SceneData, out: FloatArray | None = None) -> FloatArray:
        """Joint velocities [m/s or rad/s], (*B, num_joint_dof_vel). As `get_joint_dof_pos`."""
        return filled(read_dof_vel(data, self._model, self._vel(False)), out, "joint velocities")

    def set_dof_pos(
        self, data: SceneData, dof_pos: ArrayLike, include_floatingbase: bool = True
    ) -> None:
        """Write positions of this body.

        Args:
            data: the worlds.
            dof_pos: [m or rad], shape (n,) or (*B, n); n is `num_joint_dof_pos`, 7 more with a
                floating base (position, quaternion x, y, z, w) in front.
            include_floatingbase: whether the floating base's 7 are given.
        """
        check_data(data, self._model)
        data.write_dof_pos(self._pos(include_floatingbase), dof_pos, "dof_pos")

    def set_dof_vel(
        self, data: SceneData, dof_vel: ArrayLike, include_floatingbase: bool = True
    ) -> None:
        """Write velocities of this body.

        Args:
            data: the worlds.
            dof_vel: [m/s or rad/s], shape (n,) or (*B, n); n is `num_joint_dof_vel`, 6 more with a
                floating base in front.
            include_floatingbase: whether the floating base's 6 are given.
        """
        check_data(data, self._model)
        data.write_dof_vel(self._vel(include_floatingbase), dof_vel, "dof_vel")

    def set_actuator_ctrls(self, data: SceneData, ctrls: ArrayLike) -> None:
        """Set the controls of `actuators`, one after the other, shape (k,) or (*B, k)."""
        check_data(data, self._model)
        columns = [c for a in self.actuators for c in range(a.ctrl_slice.start, a.ctrl_slice.stop)]
        data.set_ctrls(np.array(columns, dtype=np.intp), ctrls, f"controls of {self.title}")

    # Internals -----------------------------------------------------------------------------------

    def _own(self, kind: str, mine: list[T], key: str | int) -> T:
        """One of the elements of this body, all of which are of one kind."""
        if not isinstance(key, str):
            return mine[element_index(kind, key, len(mine), f"{kind} of {self.title}")]
        found = self._model.catalog(kind).get(key)
        if found not in mine:
            names = [element.name or element.path for element in mine]
            raise UnknownNameError(kind, key, names, self.title)
        return cast("T", found)

    @property
    def _members(self) -> NDArray[np.intp]:
        return np.flatnonzero(self._model.low.body_rootid == self._id)

    @property
    def _links(self) -> list[Link]:
        ids = self._model.link_ids
        inside = np.flatnonzero(self._model.low.body_rootid[ids] == self._id)
        return [self._model.catalog("link").items[int(index)] for index in inside]

    def _joints_of(self, body: int) -> list[int]:
        return self._model.joints_of_body(int(body))

    def _joint_ids(self, floatingbase: bool) -> NDArray[np.intp]:
        """Engine ids of the tree's joints, with or without the floating base."""
        low = self._model.low
        joints = np.flatnonzero(low.body_rootid[low.jnt_bodyid] == self._id)
        base = self.floatingbase
        whole = truth("include_floatingbase", floatingbase) or base is None
        return joints if whole else joints[1:]

    def _pos(self, floatingbase: bool) -> slice:
        return _span(
            self._model.low.jnt_qposadr, self._joint_ids(floatingbase), self._model.num_dof_pos
        )

    def _vel(self, floatingbase: bool) -> slice:
        return _span(
            self._model.low.jnt_dofadr, self._joint_ids(floatingbase), self._model.num_dof_vel
        )


def _span(starts: NDArray[np.int32], joints: NDArray[np.intp], total: int) -> slice:
    """Span between the first joint's entry and the one that follows the last joint's."""
    if not len(joints):
        return slice(0, 0)
    after = int(joints[-1]) + 1
    return slice(int(starts[joints[0]]), int(starts[after]) if after < len(starts) else total)
