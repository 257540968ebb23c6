"""Mass constants: what follows from the masses of bodies, in closed form for many worlds at once.

The engine weighs constraints by the inverse of the joint-space inertia M in the reference pose, and
derives these weights and their kin world by world, by factorising M anew (``mj_setConst``). With
the Jacobian J of a body's centre of mass, another mass of that body changes M by a term of rank 3,

    M = M0 + d J'J,    J inv(M0) J' = U diag(s) U',    X = inv(M0) J'U,

and the inverse by three terms of rank 1 that do not mix (W. W. Hager, "Updating the inverse of a
matrix", SIAM Review 31, 1989):

    inv(M) = inv(M0) - X diag(g) X',    g_k = d / (1 + d s_k).

So a weight, a mean of a' inv(M) a over vectors a that masses do not change, falls by g_k times the
mean of (a' X_k)^2: by three numbers per world, and as many of the model. A factor 1 + d s_k is the
ratio of the determinants of M with and without a term, and tells how many digits cancel.

Trees do not share joints, so what bodies of different trees change adds up.
"""

from __future__ import annotations

from functools import reduce

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import NDArray

from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.indices import ALL, Rows

from .mass_updates import PAIRS, MassUpdate, Reference, constants_row

__all__ = ["MASS", "MassConstants"]

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]

MASS = "body_mass"
"""The parameter."""
_AT_ONCE = 4
"""Bodies of a world with other masses, beyond which the engine is faster."""
_LARGEST = 256
"""Bodies of a model, as what is known of each takes memory with all others."""
_SLIDES_ONLY = 2
"""Kind of simple bodies whose weights the engine takes from their mass alone."""


class MassConstants:
    """Constants of worlds in which a few bodies of different trees have other masses.

    Left to the engine are worlds where two bodies of one tree have other masses, or so different
    ones that digits cancel; and models that are large, or whose constants depend on more:
    deformable bodies, tendons with inertia. What a world gets depends on its own masses only, not
    on those of others.

    Args:
        compiled: the model.

    Attributes:
        usable: whether the model is one of those it is for.
    """

    def __init__(self, compiled: CompiledModel):
        model = self._model = compiled.mj
        self.usable = not compiled.exact and _is_plain(model)
        # Whoever edits the model's arrays later means other worlds than these.
        self._masses, self._own = np.array(model.body_mass), constants_row(model)
        self._sliding = np.flatnonzero(model.body_simple == _SLIDES_ONLY)
        self._reference: Reference | None = None
        self._bodies: dict[int, MassUpdate] = {}
        self._batch: mjbatch.Batch | None = None
        # Masses and constants of all worlds, and room for the constants of all of them.
        self._present = self._room = np.zeros((0, 0))
        self._targets: list[tuple[Floats, Floats]] = []

    def serves(self, batch: mjbatch.Batch) -> bool:
        """Whether the constants of these worlds have values of their own already."""
        return self._batch is batch

    def derive(self, batch: mjbatch.Batch, worlds: Ids) -> Ids:
        """Derive the constants of some worlds from their masses.

        Args:
            batch: all worlds.
            worlds: those in which masses are all that differs from the model, ascending.

        Returns:
            Those that are left to the engine.
        """
        reference = self._opened()
        if reference is None:
            return worlds
        if not self.serves(batch):
            self._open(batch, reference)
        rows: Rows = ALL if len(worlds) == len(self._room) else worlds
        changes = self._present[rows] - self._masses
        bodies = sorted({*changes.nonzero()[1].tolist()})
        known = [self._update_of(reference, body) for body in bodies]
        bad = self._unfit(changes, bodies, known)
        left = worlds[:0]
        if bad is not None:
            left, rows, changes = worlds[bad], worlds[~bad], changes[~bad]
        parts = [
            _decreases(one, changes[:, body, None], reference)
            for body, one in zip(bodies, known, strict=True)
        ]
        decreases = reduce(np.add, parts) if parts else np.zeros((len(changes), len(self._own)))
        room = self._room[: len(changes)]
        reference.constants(decreases, room)
        for target, values in self._targets:
            target[rows] = values if rows is ALL else values[: len(room)]
        return left

    def _update_of(self, reference: Reference, body: int) -> MassUpdate:
        if body not in self._bodies:
            self._bodies[body] = reference.update(body)
        return self._bodies[body]

    def _opened(self) -> Reference | None:
        """The model in its reference pose; None: its constants are not what the engine derives."""
        if self._reference is None and self.usable:
            self._reference = Reference(self._model)
            same = np.array_equal(constants_row(self._model), self._own)
            same = same and np.array_equal(self._model.body_mass, self._masses)
            self.usable = same and self._reference.derived
        return self._reference if self.usable else None

    def _unfit(
        self, changes: Floats, bodies: list[int], known: list[MassUpdate]
    ) -> NDArray[np.bool_] | None:
        """Worlds in which many bodies, or two of a tree, or one by much, have other masses.

        None: there are no such worlds.
        """
        found: list[NDArray[np.bool_]] = []
        for body, one in zip(bodies, known, strict=True):
            change = changes[:, body]
            found.append((change < one.least) | (change > one.most))
        if len(bodies) > 1:
            changed, trees = changes[:, bodies] != 0.0, self._model.body_treeid[bodies]
            found.append(np.count_nonzero(changed, axis=1) > _AT_ONCE)
            for tree in np.unique(trees[trees >= 0]):
                found.append(np.count_nonzero(changed[:, trees == tree], axis=1) > 1)
        if len(self._sliding):
            found.append((changes[:, self._sliding] != 0.0).any(axis=1))
        found = [worlds for worlds in found if np.count_nonzero(worlds)]
        return reduce(np.logical_or, found) if found else None

    def _open(self, batch: mjbatch.Batch, reference: Reference) -> None:
        """Expand the constants to values per world."""
        self._batch, self._present = batch, batch.expand(MASS)
        self._room = np.empty((batch.nsim, len(self._own)))
        self._targets = [
            (batch.expand(name).reshape(batch.nsim, -1), self._room[:, columns])
            for name, columns in reference.columns.items()
        ]


def _decreases(body: MassUpdate, change: Floats, reference: Reference) -> Floats:
    """Decreases of all constants by another mass of one body, shape (worlds, n).

    Args:
        body: what is known of it.
        change: d in each world [kg], shape (worlds, 1).
        reference: the model.
    """
    terms = change / (1.0 + change * body.mobility)
    decreases: Floats = np.einsum("wk,kn->wn", terms, body.table)
    if body.squares.size:
        products = terms[:, PAIRS[0]] * terms[:, PAIRS[1]]
        accelerations = decreases[:, reference.accelerations]
        accelerations += np.einsum("wk,kn->wn", products, body.squares)
    return decreases


def _is_plain(model: mujoco.MjModel) -> bool:
    """Whether constants depend on nothing but what is known of each tree by itself."""
    coupled = model.ntendon and (model.tendon_armature.any() or model.actuator_armature.any())
    return not (coupled or model.nflex or model.nbody > _LARGEST)
