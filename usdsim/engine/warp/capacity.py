"""Contact and constraint capacity of a device."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.core.arguments import whole
from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.quiet import Quiet

__all__ = ["Capacity", "estimate_capacity"]

_T = mujoco.mjtGeom
_PROBE_STEPS, _PROBE_WORK = 200, 20_000
"""Steps tried at most, and steps times degrees of freedom."""
_LEAST, _ROUND = 16, 8
_MOST_CONTACTS: dict[frozenset[int], int] = {
    frozenset({int(a), int(b)}): count
    for a, b, count in (
        (_T.mjGEOM_PLANE, _T.mjGEOM_SPHERE, 1),
        (_T.mjGEOM_PLANE, _T.mjGEOM_CAPSULE, 2),
        (_T.mjGEOM_PLANE, _T.mjGEOM_ELLIPSOID, 1),
        (_T.mjGEOM_SPHERE, _T.mjGEOM_SPHERE, 1),
        (_T.mjGEOM_SPHERE, _T.mjGEOM_CAPSULE, 1),
        (_T.mjGEOM_SPHERE, _T.mjGEOM_CYLINDER, 1),
        (_T.mjGEOM_SPHERE, _T.mjGEOM_BOX, 1),
        (_T.mjGEOM_CAPSULE, _T.mjGEOM_CAPSULE, 2),
        (_T.mjGEOM_CAPSULE, _T.mjGEOM_BOX, 2),
    )
}
_MOST = 8
"""Contacts between shapes of other kinds, at most."""
_EQUALITY_ROWS = {int(mujoco.mjtEq.mjEQ_CONNECT): 3, int(mujoco.mjtEq.mjEQ_WELD): 6}


@dataclass(frozen=True, slots=True)
class Capacity:
    """Room on a device."""

    contacts: int
    """Contacts, and pairs of shapes that may touch, per world; worlds share what is left over."""
    constraints: int
    """Rows of constraints in any one world."""

    def at_least(self, constraints: int, contacts: int) -> Capacity:
        """Room for this many, and no less than there was."""
        return Capacity(
            max(self.contacts, _rounded(contacts)), max(self.constraints, _rounded(constraints))
        )

    def grown(self, constraints: int, contacts: int) -> Capacity:
        """Room for this many, and as much again in reserve where it was too small."""
        return self.at_least(
            2 * constraints if constraints > self.constraints else 0,
            2 * contacts if contacts > self.contacts else 0,
        )


def estimate_capacity(
    compiled: CompiledModel, nconmax: int | None = None, njmax: int | None = None
) -> Capacity:
    """Room for a model that its worlds are unlikely to outgrow.

    It is twice what a short probe on the CPU needed, which steps one world from its initial state
    without controls changing, and 16 more; but never more than the model can ever need, which is
    known for models of rigid shapes.

    Args:
        compiled: the model.
        nconmax: contacts per world; None: estimated.
        njmax: constraint rows per world; None: estimated.

    Raises:
        InvalidValueError: a number given is negative.
    """
    for name, given in (("nconmax", nconmax), ("njmax", njmax)):
        if given is not None:
            whole(name, given)
    if nconmax is not None and njmax is not None:
        return Capacity(int(nconmax), int(njmax))
    contacts, constraints = _probe(compiled)
    model = compiled.mj
    pairs = _colliding_pairs(model)
    most_contacts = max(_contact_bound(model, pairs), len(pairs))
    guess = min(most_contacts, 2 * contacts + _LEAST)
    rows = _row_bound(model, guess)
    return Capacity(
        max(_rounded(guess), _ROUND) if nconmax is None else int(nconmax),
        max(_rounded(min(rows, 2 * constraints + _LEAST + _other_rows(model))), _ROUND)
        if njmax is None
        else int(njmax),
    )


def _rounded(count: int) -> int:
    return -(-count // _ROUND) * _ROUND


def _probe(compiled: CompiledModel) -> tuple[int, int]:
    """Largest numbers of contacts and constraint rows of one world in its first steps."""
    model, initial = compiled.mj, compiled.initial
    data = mujoco.MjData(model)
    for field, value in vars(initial).items():
        if value.size:
            getattr(data, field)[...] = value
    contacts = constraints = 0
    with Quiet():
        for _ in range(max(10, min(_PROBE_STEPS, _PROBE_WORK // max(model.nv, 1)))):
            mujoco.mj_step(model, data)
            contacts, constraints = max(contacts, data.ncon), max(constraints, data.nefc)
    return contacts, constraints


def _colliding_pairs(model: mujoco.MjModel) -> NDArray[np.intp]:
    """Pairs of geoms that the engine looks at, shape (n, 2)."""
    first, second = np.triu_indices(model.ngeom, k=1)
    types, affinities = model.geom_contype, model.geom_conaffinity
    bodies = model.geom_bodyid[first], model.geom_bodyid[second]
    meets = (types[first] & affinities[second]) | (types[second] & affinities[first])
    welds = model.body_weldid[bodies[0]], model.body_weldid[bodies[1]]
    keep = (meets != 0) & (welds[0] != welds[1])
    if not model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_FILTERPARENT:
        parents = [model.body_weldid[model.body_parentid[weld]] for weld in welds]
        moving = (welds[0] != 0) & (welds[1] != 0)
        keep &= ~(moving & ((welds[0] == parents[1]) | (welds[1] == parents[0])))
    keep &= ~np.isin((bodies[0] << 16) + bodies[1], model.exclude_signature)
    found = np.stack([first[keep], second[keep]], axis=1)
    explicit = np.stack([model.pair_geom1, model.pair_geom2], axis=1)
    return np.unique(np.sort(np.concatenate([found, explicit]), axis=1), axis=0)


def _contact_bound(model: mujoco.MjModel, pairs: NDArray[np.intp]) -> int:
    """Contacts that there can be at most; soft bodies have no useful bound."""
    if model.nflex:
        return int(np.iinfo(np.int32).max)
    kinds, counts = np.unique(
        np.sort(model.geom_type[pairs], axis=1), axis=0, return_counts=True
    )  # fmt: skip
    sdf = int(model.opt.sdf_initpoints)
    total = 0
    for (a, b), count in zip(kinds.tolist(), counts.tolist(), strict=True):
        most = sdf if int(_T.mjGEOM_SDF) in (a, b) else _MOST_CONTACTS.get(frozenset({a, b}), _MOST)
        total += most * count
    return total


def _other_rows(model: mujoco.MjModel) -> int:
    """Rows of constraints that are no contacts, at most."""
    if (model.eq_type >= int(mujoco.mjtEq.mjEQ_FLEX)).any():
        return 2 * int(model.nflexedge) + int(model.nv)
    equalities = sum(_EQUALITY_ROWS.get(kind, 1) for kind in model.eq_type.tolist())
    friction = int((model.dof_frictionloss > 0).sum() + (model.tendon_frictionloss > 0).sum())
    return equalities + friction + 2 * int(model.njnt + model.ntendon)


def _row_bound(model: mujoco.MjModel, contacts: int) -> int:
    """Rows of constraints with this many contacts, at most."""
    dims = [1, *model.geom_condim.tolist(), *model.pair_dim.tolist(), *model.flex_condim.tolist()]
    dim = max(dims)
    elliptic = model.opt.cone == mujoco.mjtCone.mjCONE_ELLIPTIC
    return _other_rows(model) + contacts * (dim if elliptic else max(1, 2 * (dim - 1)))
