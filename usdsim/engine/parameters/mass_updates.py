"""Low-rank updates of constants by the mass of a body, at the reference pose of a model.

See `mass_constants` for the formulas and what the letters mean.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

__all__ = ["PAIRS", "MassUpdate", "Reference", "constants_row"]

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]

PAIRS = np.triu_indices(3)
"""Pairs of directions, first and second of each."""
_WEIGHTS = ("dof_invweight0", "body_invweight0", "tendon_invweight0", "actuator_acc0")
"""Constants that follow from the inverse of M."""
_SUMS = ("dof_M0", "body_subtreemass", "cam_poscom0", "light_poscom0")
"""Constants that follow from sums over masses."""
_FIELDS = (*_WEIGHTS, *_SUMS)
_OWNERS = {"cam_poscom0": "cam", "light_poscom0": "light"}
"""Elements that are placed relative to the centre of mass of a subtree."""
_LEAST, _MOST = 1e-2, 1e2
"""Bounds of factors: two of sixteen digits cancel."""
_ROUNDING = 1e-9
_SIZES = {int(mujoco.mjtJoint.mjJNT_FREE): (3, 3), int(mujoco.mjtJoint.mjJNT_BALL): (3,)}
"""Degrees of freedom of a joint that share one weight, their mean."""


@dataclass(frozen=True, eq=False)
class MassUpdate:
    """Update of all constants by another mass of one body; n columns as in `Reference`."""

    mobility: Floats
    """s [1/kg]: of three directions, and 0 for what is linear in masses, shape (4,)."""
    least: float
    """The smallest change d of the mass that leaves enough digits [kg]."""
    most: float
    """The largest one [kg]."""
    table: Floats
    """Decrease per g of each direction, for weights, and per d, for sums, shape (4, n)."""
    squares: Floats
    """Decrease of squared accelerations per product of two g, as in `PAIRS`, shape (6, outputs)."""


def constants_row(model: mujoco.MjModel) -> Floats:
    """All constants of a model that follow from masses, accelerations squared, shape (n,)."""
    values = {name: np.ravel(getattr(model, name)) for name in _FIELDS}
    values["actuator_acc0"] = values["actuator_acc0"] ** 2
    return np.concatenate([*values.values()])


class Reference:
    """A model in its reference pose.

    Args:
        model: the model.

    Attributes:
        columns: where the constants of each field are in a row of all of them.
        weights: how many of them, the first ones, follow from the inverse of M.
        accelerations: where those of actuators are, which are squared here.
        own: the row of the model.
        derived: whether they are what the engine derives of the model as it is.
    """

    def __init__(self, model: mujoco.MjModel):
        self._model, self._data = model, mujoco.MjData(model)
        self._data.qpos[:] = model.qpos0
        stages = (mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_tendon, mujoco.mj_makeM)
        for stage in (*stages, mujoco.mj_factorM, mujoco.mj_transmission):
            stage(model, self._data)
        sizes = [np.size(getattr(model, name)) for name in _FIELDS]
        self.columns = {
            name: slice(end - size, end)
            for name, size, end in zip(_FIELDS, sizes, np.cumsum(sizes).tolist(), strict=True)
            if size
        }
        self.weights = sum(sizes[: len(_WEIGHTS)])
        self.own = constants_row(model)
        self.accelerations = self.columns.get("actuator_acc0", slice(0))
        self._roots = {name: _roots(model, name) for name in _OWNERS}
        self._placed, self._masses = self._centres()
        self.derived = self._is_derived()

    def _is_derived(self) -> bool:
        again = copy.copy(self._model)
        mujoco.mj_setConst(again, mujoco.MjData(again))
        same = np.isclose(constants_row(again), self.own, _ROUNDING, _ROUNDING)
        # Tendons that limit cones are weighed by ourselves.
        same[self.columns.get("tendon_invweight0", slice(0))] = True
        return bool(same.all())

    def _centres(self) -> tuple[slice, Ids]:
        """Columns of what is relative to a centre of mass, and those of the mass of each."""
        roots = np.concatenate([*self._roots.values()])
        first = self.columns["body_subtreemass"].start
        placed = slice(len(self.own) - 3 * len(roots), len(self.own))
        return placed, first + np.repeat(roots, 3)

    def constants(self, decreases: Floats, values: Floats) -> None:
        """Set all constants of worlds, given how much less they are, shape (worlds, n) each."""
        np.subtract(self.own, decreases, out=values)
        if len(self._masses):
            # Moments about the centres of mass that the model has; of nothing, they are 0.
            moved = decreases[:, self._placed]
            moved /= np.maximum(values.take(self._masses, axis=1), mujoco.mjMINVAL)
            np.subtract(self.own[self._placed], moved, out=values[:, self._placed])
        if self._model.nout:
            accelerations = values[:, self.accelerations]
            np.sqrt(np.maximum(accelerations, 0.0), out=accelerations)

    def update(self, body: int) -> MassUpdate:
        """Update of all constants by the mass of a body."""
        model, data = self._model, self._data
        jacobian = _jacobian(model, data, body)[:3]
        mobility, turn = np.linalg.eigh(jacobian @ _solved(model, data, jacobian).T)
        rows = turn.T @ jacobian
        moved = _solved(model, data, rows)
        accelerations, squares = self._accelerations(rows, moved)
        inverse = {
            "dof_invweight0": self._joint_weights(moved),
            "body_invweight0": self._body_weights(moved, int(model.body_treeid[body])),
            "tendon_invweight0": (moved @ self._tendons().T) ** 2,
            "actuator_acc0": accelerations,
        }
        linear = self._linear(body, rows)
        table = np.zeros((4, len(self.own)))
        table[:3, : self.weights] = np.concatenate([inverse[name] for name in _WEIGHTS], axis=1)
        table[3, self.weights :] = -np.concatenate([np.ravel(linear[name]) for name in _SUMS])
        mobility = np.array([*np.maximum(mobility, 0.0), 0.0])
        # Digits of sums go with the mass itself.
        mass = float(model.body_mass[body])
        fastest = max(float(mobility.max()), 1.0 / mass if mass > 0.0 else mujoco.mjMINVAL)
        least, most = ((factor - 1.0) / fastest for factor in (_LEAST, _MOST))
        return MassUpdate(mobility, least, most, table, squares)

    def _accelerations(self, rows: Floats, moved: Floats) -> tuple[Floats, Floats]:
        """Decreases of squared accelerations, (3, outputs), and per pair, (6, outputs)."""
        accelerations = _solved(self._model, self._data, self._moments())
        shares, products = rows @ accelerations.T, moved @ moved.T
        first, second = PAIRS
        times = np.where(first == second, -1.0, -2.0) * products[PAIRS]
        squares = times[:, None] * shares[first] * shares[second]
        return 2.0 * (moved @ accelerations.T) * shares, squares

    def _linear(self, body: int, rows: Floats) -> dict[str, Floats]:
        """Growth of what is linear in masses, and of moments, per mass of a body."""
        model, data = self._model, self._data
        ancestors = _ancestors(model, body)
        found = {
            "dof_M0": (rows**2).sum(axis=0),
            "body_subtreemass": np.isin(np.arange(model.nbody), ancestors).astype(np.float64),
        }
        for name, roots in self._roots.items():
            arms = data.xipos[body] - data.subtree_com[roots]
            # What is placed relative to a centre of mass comes nearer to it as that moves away.
            found[name] = -np.where(np.isin(roots, ancestors)[:, None], arms, 0.0)
        return found

    def _joint_weights(self, moved: Floats) -> Floats:
        """Squares of accelerations of degrees of freedom, averaged as weights are, (3, nv)."""
        model, squares = self._model, moved**2
        for kind, start in zip(model.jnt_type.tolist(), model.jnt_dofadr.tolist(), strict=True):
            first = start
            for size in _SIZES.get(kind, ()):
                part = slice(first, first + size)
                squares[:, part] = squares[:, part].mean(axis=1, keepdims=True)
                first += size
        return squares

    def _body_weights(self, moved: Floats, tree: int) -> Floats:
        """Mean squares of accelerations of bodies, linear and angular, shape (3, 2 nbody)."""
        model, data = self._model, self._data
        weights = np.zeros((3, model.nbody, 2))
        for body in np.flatnonzero((model.body_treeid == tree) & (tree >= 0)).tolist():
            squares = (moved @ _jacobian(model, data, body).T) ** 2
            weights[:, body] = squares.reshape(3, 2, 3).mean(axis=2)
        return weights.reshape(3, -1)

    def _tendons(self) -> Floats:
        """Changes of lengths of tendons with positions, shape (ntendon, nv)."""
        model = self._model
        return _dense(
            self._data.ten_J, model.ten_J_rownnz, model.ten_J_rowadr, model.ten_J_colind, model.nv
        )

    def _moments(self) -> Floats:
        """Changes of lengths of actuators with positions, shape (nout, nv)."""
        data = self._data
        pattern = data.moment_rownnz, data.moment_rowadr, data.moment_colind
        return _dense(data.actuator_moment, *pattern, self._model.nv)


def _jacobian(model: mujoco.MjModel, data: mujoco.MjData, body: int) -> Floats:
    """Motion of a body's centre of mass with positions, linear first, shape (6, nv)."""
    found = np.zeros((6, model.nv))
    mujoco.mj_jacBodyCom(model, data, found[:3], found[3:], body)
    return found


def _solved(model: mujoco.MjModel, data: mujoco.MjData, forces: Floats) -> Floats:
    """Accelerations by forces, shape (n, nv) both."""
    found = np.zeros_like(forces)
    if found.size:
        mujoco.mj_solveM(model, data, found, np.ascontiguousarray(forces))
    return found


def _dense(values: Floats, counts: Ids, starts: Ids, columns: Ids, width: int) -> Floats:
    """A matrix of which some numbers are kept row by row."""
    found = np.zeros((len(counts), width))
    for row, (count, start) in enumerate(zip(counts.tolist(), starts.tolist(), strict=True)):
        part = slice(start, start + count)
        np.add.at(found[row], np.ravel(columns)[part], np.ravel(values)[part])
    return found


def _roots(model: mujoco.MjModel, field: str) -> Ids:
    """Bodies whose subtrees cameras or lights are placed relative to."""
    owner = _OWNERS[field]
    own, targets = (getattr(model, f"{owner}_{of}bodyid") for of in ("", "target"))
    return np.asarray(np.where(targets >= 0, targets, own))


def _ancestors(model: mujoco.MjModel, body: int) -> list[int]:
    """A body and all that it hangs on, the world included."""
    found = [body]
    while found[-1]:
        found.append(int(model.body_parentid[found[-1]]))
    return found
