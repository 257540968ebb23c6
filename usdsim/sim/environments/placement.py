"""Environment placement: worlds moved to where their environments lie."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.engine import CompiledModel
from usdsim.math.rotations import (
    quat_apply,
    quat_conjugate,
    quat_from_wxyz,
    quat_multiply,
    quat_to_wxyz,
)
from usdsim.parser.element import is_below

__all__ = ["Placement"]

Array = NDArray[np.float64]
Ids = NDArray[np.intp]

_HELD = (
    ("body", "body_parentid", ("body_pos", "body_quat", None)),
    ("geom", "geom_bodyid", ("geom_pos", "geom_quat", None)),
    ("site", "site_bodyid", ("site_pos", "site_quat", None)),
    ("camera", "cam_bodyid", ("cam_pos", "cam_quat", None)),
    ("light", "light_bodyid", ("light_pos", None, "light_dir")),
)
"""Kinds of elements that hang on a body; where the engine says on which; their position,
orientation and direction."""
_REFERENCES = ("qpos0", "qpos_spring")
_FREE = int(mujoco.mjtJoint.mjJNT_FREE)
_TIES = (int(mujoco.mjtEq.mjEQ_CONNECT), int(mujoco.mjtEq.mjEQ_WELD))
_BODY = int(mujoco.mjtObj.mjOBJ_BODY)


class Placement:
    """Pose and motion of the first environment among the numbers of a compiled model.

    Args:
        compiled: the model; it has the first environment.
        path: prim path of the first environment.
        shift: translation of each world [m], shape (n, 3).
        turn: rotation of each world, xyzw, shape (n, 4).
    """

    def __init__(self, compiled: CompiledModel, path: str, shift: Array, turn: Array):
        self._compiled, self._path = compiled, path
        self._shift, self._turn = shift, turn
        self._turned = bool((turn[:, :3] != 0.0).any())
        self._points: dict[str, Ids] = {}
        self._quats: dict[str, Ids] = {}
        self._axes: dict[str, Ids] = {}
        model = compiled.mj
        members = {kind: self._members(kind) for kind, _, _ in _HELD}
        self._bodies = members["body"]
        self._soft = [body for body in compiled.deformables if is_below(body.path, self._path)]
        self._free = self._free_addresses()
        for kind, owner, fields in _HELD:
            held = np.flatnonzero(members[kind] & (getattr(model, owner) == 0))
            if kind == "body":
                held = held[self._has_frame(held)]
            for field, table in zip(fields, (self._points, self._quats, self._axes), strict=True):
                if field is not None and len(held):
                    table[field] = held
        self._hold_vertices()
        self._ties = self._world_ties()

    @property
    def moves(self) -> bool:
        """Whether any world lies elsewhere than the first environment on the stage."""
        return self._turned or bool((self._shift != 0.0).any())

    def rows(self) -> Iterator[tuple[str, Ids | None]]:
        """Model fields that place the environment, and the rows that do; None: all.

        Fields that others are derived from come first.
        """
        if not self.moves:
            return
        model = self._compiled.mj
        if len(self._free) and (model.ntendon or model.neq):
            # Lengths and anchors are derived from where free bodies are at first.
            yield from ((field, None) for field in _REFERENCES)
        yield from self._points.items()
        yield from (self._quats if self._turned else {}).items()
        yield from (self._axes if self._turned else {}).items()
        if self._ties:
            yield "eq_data", np.array([row for row, *_ in self._ties], np.intp)
        if model.nkey and (self._free or self._soft):
            yield "key_qpos", None
            yield "key_qvel", None
        if model.nkey and len(self._mocap()):
            yield "key_mpos", None
            yield "key_mquat", None

    def move(self, field: str, values: Array) -> Array:
        """Values of the `rows` of a field in each world, from those of the first environment.

        Args:
            field: one of `rows`.
            values: as in the first environment's place, shape (n, rows, ...).
        """
        if field in self._points:
            return self._point(values)
        if field in self._quats:
            return self._quat(values)
        if field in self._axes:
            return self._axis(values)
        if field == "eq_data":
            return self._move_ties(values)
        if field in _REFERENCES:
            # Vertices count from their reference, which stays where it is.
            return self._free_positions(values[:, None])[:, 0]
        if field == "key_qpos":
            return self.positions(values)
        if field == "key_qvel":
            return self.velocities(values)
        kept = values.copy()
        mocap = self._mocap()
        moved = self._point if field == "key_mpos" else self._quat
        size = 3 if field == "key_mpos" else 4
        shaped = kept.reshape(len(values), -1, self._compiled.mj.nmocap, size)
        for k in range(shaped.shape[1]):
            shaped[:, k, mocap] = moved(shaped[:, k, mocap])
        return kept

    def initial(self, field: str, values: Array, qpos: Array) -> Array:
        """A field of the initial state in each world.

        Args:
            field: of `InitialState`.
            values: as in the first environment's place, shape (n, ...).
            qpos: generalized positions there, shape (n, nq).
        """
        if field == "qpos":
            return self.positions(values[:, None])[:, 0]
        if field == "qvel":
            return self._initial_velocities(values, qpos)
        if field in ("mocap_pos", "mocap_quat"):
            moved = values.copy()
            mocap = self._mocap()
            change = self._point if field == "mocap_pos" else self._quat
            moved[:, mocap] = change(moved[:, mocap])
            return moved
        return values

    def positions(self, qpos: Array) -> Array:
        """Generalized positions moved with the worlds, shape (n, m, nq).

        Vertices of deformable bodies count positions from where they lie in the first environment,
        along the axes of the world.
        """
        moved = self._free_positions(qpos)
        for body in self._soft:
            columns = body.qpos_adr[body.moving, None] + np.arange(3)
            points = qpos[..., columns] + body.origins[body.moving]
            shape = (*points.shape[:2], -1, 3)
            flat = self._point(points.reshape(len(points), -1, 3)).reshape(shape)
            moved[..., columns] = flat - body.origins[body.moving]
        return moved

    def _free_positions(self, qpos: Array) -> Array:
        moved = qpos.copy()
        for position, _ in self._free:
            moved[..., position : position + 3] = self._point(qpos[..., position : position + 3])
            turned = slice(position + 3, position + 7)
            moved[..., turned] = self._quat(qpos[..., turned])
        return moved

    def velocities(self, qvel: Array) -> Array:
        """Generalized velocities turned with the worlds, shape (n, m, nv)."""
        moved = qvel.copy()
        for body in self._soft:
            columns = body.dof_adr[body.moving, None] + np.arange(3)
            flat = self._axis(qvel[..., columns].reshape(len(qvel), -1, 3))
            moved[..., columns] = flat.reshape(qvel[..., columns].shape)
        for _, dof in self._free:
            # The angular velocity of a free body is in its own frame.
            moved[..., dof : dof + 3] = self._axis(qvel[..., dof : dof + 3])
        return moved

    def _initial_velocities(self, qvel: Array, qpos: Array) -> Array:
        """Generalized velocities, shape (n, nv), of which free bodies have theirs in the world.

        Stages author them along the world's axes, and the engine keeps angular ones in the body's.
        """
        moved = self.velocities(qvel[:, None])[:, 0]
        for position, dof in self._free if self._turned else ():
            linear, angular = slice(dof, dof + 3), slice(dof + 3, dof + 6)
            rotation = quat_from_wxyz(qpos[:, position + 3 : position + 7])
            placed = quat_multiply(self._turn, rotation)
            moved[:, linear] = qvel[:, linear]
            spin = quat_apply(rotation, qvel[:, angular])
            moved[:, angular] = quat_apply(quat_conjugate(placed), spin)
        return moved

    # -- what belongs to the environment -------------------------------------------------------

    def _members(self, kind: str) -> NDArray[np.bool_]:
        names = self._compiled.names
        return np.array(
            [
                is_below(path or name, self._path)
                for path, name in zip(names.paths(kind), names.names(kind), strict=True)
            ],
            np.bool_,
        )

    def _has_frame(self, bodies: Ids) -> NDArray[np.bool_]:
        """Bodies whose frame in their parent matters: not mocap, free or a moving vertex."""
        model = self._compiled.mj
        free = np.zeros(model.nbody, np.bool_)
        free[model.jnt_bodyid[model.jnt_type == _FREE]] = True
        for soft in self._compiled.deformables:
            free[soft.body_ids[soft.moving]] = True
        return ~free[bodies] & (model.body_mocapid[bodies] < 0)

    def _free_addresses(self) -> list[tuple[int, int]]:
        """Addresses of positions and velocities of the environment's free bodies."""
        model = self._compiled.mj
        return [
            (int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j]))
            for j in np.flatnonzero(model.jnt_type == _FREE)
            if self._bodies[model.jnt_bodyid[j]]
        ]

    def _mocap(self) -> Ids:
        ids = self._compiled.mj.body_mocapid
        return np.asarray(ids[self._bodies & (ids >= 0)], np.intp)

    def _hold_vertices(self) -> None:
        """Vertices and nodes of flexible bodies that are pinned to the world."""
        model = self._compiled.mj
        if not model.nflex:
            return
        own = self._members("flex")
        for field, owner, start, count in (
            ("flex_vert", "flex_vertbodyid", "flex_vertadr", "flex_vertnum"),
            ("flex_node", "flex_nodebodyid", "flex_nodeadr", "flex_nodenum"),
        ):
            pinned = getattr(model, owner) == 0
            rows = [
                row
                for i in np.flatnonzero(own)
                for row in range(
                    getattr(model, start)[i],
                    getattr(model, start)[i] + getattr(model, count)[i],
                )
                if pinned[row]
            ]
            if rows:
                self._points[field] = np.array(rows, np.intp)

    def _world_ties(self) -> list[tuple[int, int, bool]]:
        """Constraints between the environment's bodies and the world: row, type, world first."""
        model, found = self._compiled.mj, []
        for row in range(model.neq):
            kind, ends = int(model.eq_type[row]), (model.eq_obj1id[row], model.eq_obj2id[row])
            if kind not in _TIES or int(model.eq_objtype[row]) != _BODY or 0 not in ends:
                continue
            if self._bodies[ends[0]] or self._bodies[ends[1]]:
                found.append((row, kind, ends[0] == 0))
        return found

    # -- motion --------------------------------------------------------------------------------

    def _spread(self, array: Array, like: Array) -> Array:
        """Array with a row per world and axes to broadcast over the elements of a world."""
        return array.reshape(len(array), *(1,) * (like.ndim - 2), array.shape[-1])

    def _point(self, points: Array) -> Array:
        return self._axis(points) + self._spread(self._shift, points)

    def _axis(self, axes: Array) -> Array:
        return quat_apply(self._spread(self._turn, axes), axes) if self._turned else axes

    def _quat(self, quats: Array) -> Array:
        if not self._turned:
            return quats
        turn = self._spread(self._turn, quats)
        return quat_to_wxyz(quat_multiply(turn, quat_from_wxyz(quats)))

    def _move_ties(self, values: Array) -> Array:
        """Anchors and relative poses of constraints: what is said in the world's frame moves."""
        moved = values.copy()
        for column, (_, kind, world_first) in enumerate(self._ties):
            data = moved[:, column : column + 1]
            weld = kind == _TIES[1]
            # A weld has the second body's anchor first.
            start = 3 if weld == world_first else 0
            data[..., start : start + 3] = self._point(data[..., start : start + 3])
            if not weld or not self._turned:
                continue
            if world_first:
                data[..., 6:10] = self._quat(data[..., 6:10])
            else:
                back = quat_conjugate(self._spread(self._turn, data))
                turned = quat_multiply(quat_from_wxyz(data[..., 6:10]), back)
                data[..., 6:10] = quat_to_wxyz(turned)
        return moved
