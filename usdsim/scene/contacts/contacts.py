"""Contact lists of all worlds in flat arrays."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from usdsim.scene.arrays import FloatArray

if TYPE_CHECKING:
    from .reader import ContactArrays

__all__ = ["Contacts"]


@dataclass(frozen=True)
class Contacts:
    """Contacts of one or many worlds, one after the other.

    A contact is a point where two geoms are nearer than their margins, which are zero unless the
    model says otherwise. ``contacts[index]`` picks some, by an index, a slice or a mask.
    """

    world: NDArray[np.intp]
    """Row of the data in which it is, 0 for data without a batch axis, shape (n,)."""
    geom1: NDArray[np.int32]
    """Index of the first geom, -1 if it is a deformable body, shape (n,)."""
    geom2: NDArray[np.int32]
    """Index of the second geom, -1 if it is a deformable body, shape (n,)."""
    position: FloatArray
    """Point halfway between the surfaces, in world [m], shape (n, 3)."""
    normal: FloatArray
    """Direction from the first geom to the second, in world, shape (n, 3)."""
    frame: FloatArray
    """Axes in world, one per row: the normal and two tangents, shape (n, 3, 3)."""
    depth: FloatArray
    """Penetration depth, negative if they are apart [m], shape (n,)."""
    force: FloatArray
    """Force of the first geom on the second [N], along the rows of `frame`, shape (n, 3).

    The first component presses, the others rub.
    """
    torque: FloatArray
    """Torque of the first geom on the second at the point [N m], along `frame`, shape (n, 3)."""
    force_w: FloatArray
    """`force` in world axes [N], shape (n, 3)."""
    torque_w: FloatArray
    """`torque` in world axes [N m], shape (n, 3)."""

    @classmethod
    def of(cls, found: ContactArrays) -> Contacts:
        """Contacts as the engine has them."""
        single = {
            "position": found.pos,
            "normal": found.frame[:, 0],
            "frame": found.frame,
            "depth": -found.dist,
            "force": found.wrench[:, :3],
            "torque": found.wrench[:, 3:],
            "force_w": np.einsum("nij,ni->nj", found.frame, found.wrench[:, :3]),
            "torque_w": np.einsum("nij,ni->nj", found.frame, found.wrench[:, 3:]),
        }
        arrays: dict[str, NDArray[Any]] = {
            name: values.astype(np.float32) for name, values in single.items()
        }
        geom1, geom2 = found.geom.T.copy()
        return cls(world=found.row.copy(), geom1=geom1, geom2=geom2, **arrays)

    def __len__(self) -> int:
        return len(self.world)

    def __getitem__(self, index: Any) -> Contacts:
        """Selection of the contacts; a single index gives a `Contacts` of length 1."""
        if not isinstance(index, slice) and np.ndim(index) == 0:
            index = [index]
        return Contacts(*(getattr(self, field.name)[index] for field in fields(self)))

    def in_world(self, row: int) -> Contacts:
        """The contacts in one row of the data."""
        return self[self.world == row]

    def __repr__(self) -> str:
        return f"<Contacts {len(self)}>"
