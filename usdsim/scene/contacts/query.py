"""Contact queries: who touches whom, and how hard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.arguments import of_kind, truth
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.engine.trees import subtree as below
from usdsim.scene.arrays import FloatArray
from usdsim.scene.data.given import check_data
from usdsim.scene.elements.body import Body
from usdsim.scene.elements.geom import Geom
from usdsim.scene.elements.link import Link

from .contacts import Contacts
from .reader import ContactArrays

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData
    from usdsim.scene.model.scene_model import SceneModel

__all__ = ["ContactQuery", "Touching"]

Touching = Geom | Link | Body
"""Element that may touch: one shape, a link, or a whole kinematic tree."""


class ContactQuery:
    """Contacts of some worlds, always those of their current state.

    What has just rebounded counts as well: contacts that impulses of restitution sent back in the
    last step, with the force that does the same within it, so that forces over an impact sum up to
    the change of momentum. Writing to a world forgets them.

    A contact exists where two geoms are nearer than their margins, zero by default; geoms of one
    link, filtered pairs and pairs without dynamics have none. Contacts are looked up once for each
    state, at about 10 us per world that has any; forces cost about as much again. They are those
    that the constraint solver finds for the current positions, velocities and controls: what acts
    during the next step unless something is written before it. Reading them changes nothing else.

    Args:
        model: the model of the data.
        data: the worlds to ask about.
    """

    __slots__ = ("_data", "_model")

    def __init__(self, model: SceneModel, data: SceneData):
        check_data(data, model)
        self._model, self._data = model, data

    @property
    def num_contacts(self) -> int | NDArray[np.int32]:
        """Number of contacts of each world, shape (*B,); an int for data without a batch axis."""
        count = self._data.count_contacts(self._model)
        return int(count) if not self._data.shape else count

    @property
    def contacts(self) -> Contacts:
        """All contacts with their forces."""
        return Contacts.of(self._arrays())

    def contacting_geoms(
        self, geom: Geom | str | int | None = None
    ) -> NDArray[np.int32] | list[NDArray[np.int32]]:
        """Geoms that touch, as sorted indices without repetition.

        Deformable bodies are left out.

        Args:
            geom: a geom, its name, path or index: those that touch it, shape (n,); None: all pairs
                that touch, shape (n, 2).

        Returns:
            A list with an array per world; a single array for data without a batch axis.

        Raises:
            UnknownNameError: there is no such geom.
        """
        found = self._data.found_pairs(self._model)
        pairs = np.sort(found.geom, axis=1)
        rigid = pairs[:, 0] >= 0
        if geom is not None:
            find = self._model.catalog("geom").index
            index = geom.index if isinstance(geom, Geom) else find(geom)
            one = (pairs == index).any(axis=1)
            rigid &= one
            # Of each pair that is left, what is not the geom itself.
            pairs = pairs.sum(axis=1) - index
        per_world = [
            np.unique(pairs[rigid & (found.row == row)], axis=0) for row in range(self._rows)
        ]
        return per_world if self._data.shape else per_world[0]

    def is_colliding(self, geom_pairs: ArrayLike) -> NDArray[np.bool_]:
        """Whether pairs of geoms touch.

        Args:
            geom_pairs: indices of geoms, any kind of integers, shape (P, 2); the order within a
                pair does not matter.

        Returns:
            Shape (*B, P).

        Raises:
            ShapeError: another shape.
            InvalidValueError: not integers, no such geom, or a geom paired with itself.
        """
        asked, place = self._data.pair_cache.keys(
            geom_pairs, lambda: self._keys(self._pairs(geom_pairs))
        )
        row, geom = self._data.found_pairs(self._model)
        if not len(row):
            return np.zeros((*self._data.shape, len(place)), dtype=np.bool_)
        keys = self._keys(geom)
        at = np.minimum(np.searchsorted(asked, keys), max(len(asked) - 1, 0))
        touching = np.zeros((self._rows, len(asked)), dtype=np.bool_)
        if len(asked):
            hit = asked[at] == keys
            touching[row[hit], at[hit]] = True
        return touching[:, place].reshape(*self._data.shape, len(place))

    def is_touching(
        self, first: Touching, second: Touching | None = None, subtree: bool = False
    ) -> NDArray[np.bool_]:
        """Whether two elements touch, shape (*B,).

        Args:
            first: a geom, a link (any of its geoms) or a body (any geom of its tree).
            second: the same; None: anything at all.
            subtree: whether links stand for everything that hangs on them too.
        """
        row, geom = self._data.found_pairs(self._model)
        forward, backward = self._between(geom, first, second, subtree)
        touching = np.zeros(self._rows, dtype=np.bool_)
        touching[row[forward | backward]] = True
        return touching.reshape(self._data.shape)

    def get_force(
        self, first: Touching, second: Touching | None = None, subtree: bool = False
    ) -> FloatArray:
        """Sum of the contact forces that `second` exerts on `first`, in world [N], shape (*B, 3).

        Arguments as for `is_touching`. Forces inside `first` cancel.
        """
        found = self._arrays()
        forward, backward = self._between(found.geom, first, second, subtree)
        sign = backward.astype(np.float64) - forward
        force = np.einsum("nij,ni,n->nj", found.frame, found.wrench[:, :3], sign)
        total = np.stack(
            [np.bincount(found.row, force[:, i], self._rows) for i in range(3)], axis=-1
        )
        return total.reshape(*self._data.shape, 3).astype(np.float32)

    # Internals -----------------------------------------------------------------------------------

    @property
    def _rows(self) -> int:
        return self._data.shape[0] if self._data.shape else 1

    def _arrays(self) -> ContactArrays:
        return self._data.found_contacts(self._model)

    def _keys(self, pairs: NDArray[Any]) -> NDArray[np.int64]:
        """One number per pair, the same for both orders; negative with a deformable body."""
        a, b = pairs.astype(np.int64).T
        return np.minimum(a, b) * self._model.num_geoms + np.maximum(a, b)

    def _pairs(self, geom_pairs: ArrayLike) -> NDArray[np.int64]:
        what, count = "geom_pairs", self._model.num_geoms
        try:
            pairs = np.asarray(geom_pairs)
        except ValueError as error:
            raise InvalidValueError(what, geom_pairs, "pairs of geom indices") from error
        if pairs.size == 0 and pairs.shape in ((0,), (0, 2)):
            return np.zeros((0, 2), np.int64)
        if pairs.dtype.kind not in "iu":
            raise InvalidValueError(
                f"{what} of type {pairs.dtype}",
                geom_pairs,
                "integers",
                "model.get_geom_index(name) gives the index of a geom.",
            )
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise ShapeError(what, pairs.shape, "(P, 2)")
        bad = (pairs < 0) | (pairs >= count)
        if bad.any():
            row, column = np.argwhere(bad)[0]
            raise InvalidValueError(
                f"{what}[{row}, {column}]", int(pairs[row, column]), f"0 to {count - 1}"
            )
        same = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
        if len(same):
            title = self._model.geoms[int(pairs[same[0], 0])].title
            raise InvalidValueError(
                f"{what}[{same[0]}]",
                pairs[same[0]].tolist(),
                "two different geoms",
                f"Nothing collides with itself: {title}.",
            )
        return pairs.astype(np.int64)

    def _between(
        self, geom: NDArray[np.int32], first: Touching, second: Touching | None, subtree: bool
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Contacts whose first geom is in `first` and second in `second`, and the reverse."""
        one = self._members(first, subtree)
        two = np.ones_like(one) if second is None else self._members(second, subtree)
        a, b = geom.T
        return one[a] & two[b], one[b] & two[a]

    def _members(self, element: Touching, subtree: bool) -> NDArray[np.bool_]:
        """Mask of the geoms of an element, and False for deformable bodies, index -1."""
        model = self._model
        member = np.zeros(model.num_geoms + 1, dtype=np.bool_)
        of_kind("contact partner", element, Geom | Link | Body, "a Geom, a Link or a Body")
        if element.model is not model:
            raise InvalidValueError("contact partner", element.title, f"an element of {model!r}")
        if isinstance(element, Geom):
            member[element.index] = True
            return member
        link = element.base_link if isinstance(element, Body) else element
        if truth("subtree", subtree) or isinstance(element, Body):
            member[:-1] = below(model.low, link.engine_id)[model.geom_bodies]
        else:
            member[:-1] = model.geom_bodies == link.engine_id
        return member
