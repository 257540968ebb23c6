"""Constraint solver report: effort, accuracy and forces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.scene.arrays import FloatArray, frozen

if TYPE_CHECKING:
    from usdsim.scene.data.world_copies import WorldCopies
    from usdsim.scene.model.scene_model import SceneModel

__all__ = ["ConstraintsReport", "read_constraints"]

_KIND = mujoco.mjtConstraint
_EQUALITY, _FRICTION, _TENDON_FRICTION, _LIMIT, _TENDON_LIMIT = (
    int(kind)
    for kind in (
        _KIND.mjCNSTR_EQUALITY,
        _KIND.mjCNSTR_FRICTION_DOF,
        _KIND.mjCNSTR_FRICTION_TENDON,
        _KIND.mjCNSTR_LIMIT_JOINT,
        _KIND.mjCNSTR_LIMIT_TENDON,
    )
)
_EQUALITY_ROWS = 6
_EQ = mujoco.mjtEq
_RIGID = [int(kind) for kind in (_EQ.mjEQ_CONNECT, _EQ.mjEQ_WELD, _EQ.mjEQ_JOINT, _EQ.mjEQ_TENDON)]
_ROWS = {"efc_type": np.int32, "efc_id": np.int32, "efc_force": np.float64, "efc_pos": np.float64}


@dataclass(frozen=True)
class ConstraintsReport:
    """The constraint solver in the current state of worlds; all arrays are read-only.

    Constraints are equalities (loops, welds, couplings), dry friction of joints and tendons, their
    limits, and contacts; `ContactQuery` has the forces of the latter.
    """

    iterations: NDArray[np.int32]
    """Iterations of the solver, 0 where its first guess was good enough, shape (*B,)."""
    residual: FloatArray
    """Norm of the gradient left, scaled as `Options.solver_tolerance` is, shape (*B,)."""
    num_equality: NDArray[np.int32]
    """Scalar equalities, shape (*B,)."""
    num_friction: NDArray[np.int32]
    """Axes and tendons with dry friction, shape (*B,)."""
    num_limit: NDArray[np.int32]
    """Limits that are reached, shape (*B,)."""
    num_contact: NDArray[np.int32]
    """Scalar constraints of contacts, shape (*B,)."""
    equality_paths: tuple[str, ...]
    """Prim paths of the equalities E."""
    equality_forces: FloatArray
    """Forces [N] and torques [N m] of each equality, shape (*B, E, 6).

    A weld has three forces and three torques along world axes, a connection three forces, a
    coupling of joints or tendons one; the rest is zero. Of a deformable body, the first is the
    size of all its forces taken together.
    """
    joint_limit_forces: FloatArray
    """Force [N] or torque [N m] of each joint's limits, shape (*B, num_joints).

    Positive towards larger positions; of a ball joint, the size of the torque.
    """
    joint_friction_forces: FloatArray
    """Dry friction along each degree of freedom [N or N m], shape (*B, num_dof_vel)."""
    tendon_limit_forces: FloatArray
    """Force of each tendon's limits, positive if it lengthens it [N], shape (*B, num_tendons)."""
    tendon_friction_forces: FloatArray
    """Dry friction of each tendon, positive if it lengthens it [N], shape (*B, num_tendons)."""
    dof_forces: FloatArray
    """Sum of all constraints along each degree of freedom [N or N m], shape (*B, num_dof_vel)."""

    @property
    def num_constraints(self) -> NDArray[np.int32]:
        """All scalar constraints, shape (*B,)."""
        return self.num_equality + self.num_friction + self.num_limit + self.num_contact


class _Rows:
    """Constraint rows of all worlds one after the other, with the world of each."""

    def __init__(self, parts: list[dict[str, NDArray[Any]]], sides: list[NDArray[np.float64]]):
        self.world = np.repeat(np.arange(len(parts)), [len(part["efc_type"]) for part in parts])
        self.type, self.id, self.force, self.pos = (
            np.concatenate([np.empty(0, kind), *(part[name] for part in parts)])
            for name, kind in _ROWS.items()
        )
        self.side = np.concatenate([np.empty(0), *sides])
        self.count = len(parts)

    def table(self, kind: int, width: int, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values of the rows of a kind, summed by world and element, shape (worlds, width)."""
        mine = self.type == kind
        place = self.world[mine] * width + self.id[mine]
        sums = np.asarray(np.bincount(place, values[mine], self.count * width), np.float64)
        return sums.reshape(self.count, width)

    def equalities(self, soft: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Forces of equalities, shape (worlds, len(soft), 6); `soft` are those of deformables."""
        number = len(soft)
        equality = self.type == _EQUALITY
        many = np.zeros(len(equality), np.bool_)
        many[equality] = soft[self.id[equality]]
        mine = equality & ~many
        key = self.world[mine] * number + self.id[mine]
        # Rows of an equality follow each other: count them from its first.
        first = np.flatnonzero(np.diff(key, prepend=-1))
        lengths = np.diff(first, append=len(key))
        part = np.arange(len(key)) - np.repeat(first, lengths)
        forces = np.zeros((self.count * number, _EQUALITY_ROWS))
        forces[key, part] = self.force[mine]
        place = self.world[many] * number + self.id[many]
        forces[:, 0] += np.sqrt(np.bincount(place, self.force[many] ** 2, len(forces)))
        return forces.reshape(self.count, number, _EQUALITY_ROWS)


def read_constraints(
    model: SceneModel, copies: WorldCopies, worlds: NDArray[np.intp], batch: tuple[int, ...]
) -> ConstraintsReport:
    """Report on worlds.

    Args:
        model: their model.
        copies: where they are looked at.
        worlds: their ids.
        batch: shape of the results' first axes.
    """
    low = model.low
    counts = np.zeros((len(worlds), 5), np.int32)
    residual, total = np.zeros(len(worlds)), np.zeros((len(worlds), low.nv))
    parts: list[dict[str, NDArray[Any]]] = []
    sides: list[NDArray[np.float64]] = []
    for row, (engine_model, data) in enumerate(copies.visit(worlds)):
        parts.append({name: np.array(getattr(data, name)) for name in _ROWS})
        sides.append(_limit_sides(engine_model, data, parts[-1]))
        iterations, residual[row] = _effort(data)
        counts[row] = iterations, data.ne, data.nf, data.nl, data.nefc
        total[row] = data.qfrc_constraint
    counts[:, 4] -= counts[:, 1:4].sum(axis=1)
    rows = _Rows(parts, sides)

    def single(values: NDArray[np.float64]) -> FloatArray:
        return frozen(values.reshape((*batch, *values.shape[1:])).astype(np.float32))

    limits = rows.force * rows.side
    whole = [frozen(counts[:, i].reshape(batch)) for i in range(5)]
    return ConstraintsReport(
        iterations=whole[0],
        residual=single(residual),
        num_equality=whole[1],
        num_friction=whole[2],
        num_limit=whole[3],
        num_contact=whole[4],
        equality_paths=model.compiled.names.paths("equality"),
        equality_forces=single(rows.equalities(~np.isin(low.eq_type, _RIGID))),
        joint_limit_forces=single(rows.table(_LIMIT, low.njnt, limits)[:, model.joint_ids]),
        joint_friction_forces=single(rows.table(_FRICTION, low.nv, rows.force)),
        tendon_limit_forces=single(
            rows.table(_TENDON_LIMIT, low.ntendon, limits)[:, model.tendon_ids]
        ),
        tendon_friction_forces=single(
            rows.table(_TENDON_FRICTION, low.ntendon, rows.force)[:, model.tendon_ids]
        ),
        dof_forces=single(total),
    )


def _effort(data: mujoco.MjData) -> tuple[int, float]:
    """Iterations and residual of the slowest group of bodies that touch each other."""
    iterations = data.solver_niter
    gradient = data.solver.gradient
    each = len(gradient) // len(iterations)
    groups = np.arange(max(1, data.nisland) if data.nefc else 0)
    last = groups * each + np.clip(iterations[groups] - 1, 0, each - 1)
    return int(iterations[groups].max(initial=0)), float(gradient[last].max(initial=0.0))


def _limit_sides(
    model: mujoco.MjModel, data: mujoco.MjData, rows: dict[str, NDArray[Any]]
) -> NDArray[np.float64]:
    """Direction in which each limit pushes: 1 the lower one, -1 the upper one, 0 no limit."""
    sides = np.zeros(len(rows["efc_type"]))
    joints, tendons = rows["efc_type"] == _LIMIT, rows["efc_type"] == _TENDON_LIMIT
    if joints.any():
        ids = rows["efc_id"][joints]
        here = data.qpos[model.jnt_qposadr[ids]]
        sides[joints] = _side(here, model.jnt_range[ids], rows["efc_pos"][joints])
        sides[joints] = np.where(
            model.jnt_type[ids] == mujoco.mjtJoint.mjJNT_BALL, 1.0, sides[joints]
        )
    if tendons.any():
        ids = rows["efc_id"][tendons]
        here = data.ten_length[ids]
        sides[tendons] = _side(here, model.tendon_range[ids], rows["efc_pos"][tendons])
    return sides


def _side(
    here: NDArray[np.float64], limits: NDArray[np.float64], distance: NDArray[np.float64]
) -> NDArray[np.float64]:
    lower = np.abs(here - limits[:, 0] - distance)
    upper = np.abs(limits[:, 1] - here - distance)
    return np.where(lower <= upper, 1.0, -1.0)
