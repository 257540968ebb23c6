"""Allocation matrix of a multirotor, given or from the places of its rotors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.engine.base import Engine
from usdsim.math.rotations import quat_apply, quat_from_wxyz, quat_multiply
from usdsim.views import AssetLayout

__all__ = ["ROWS", "RotorFrames", "derived_allocation", "given_allocation", "rotor_signs"]

ROWS = ("Fx", "Fy", "Fz", "Tx", "Ty", "Tz")
"""Rows of an allocation matrix."""


def given_allocation(
    what: str, matrix: Any, names: Sequence[str] | None = None
) -> NDArray[np.float64]:
    """An allocation matrix as configured, shape (6, num_thrusters).

    Args:
        what: the matrix in messages.
        matrix: six rows of numbers.
        names: the thrusters it has a column for each of; None: not known yet.

    Raises:
        ShapeError: there are other than six rows, or other than one column per thruster.
        InvalidValueError: it is not of finite numbers.
    """
    count = "num_thrusters" if names is None else str(len(names))
    expected = f"(6, {count}), a row for each of {', '.join(ROWS)}"
    if names is not None:
        expected += f" and a column for each of {', '.join(names)}"
    try:
        array = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidValueError(what, matrix, f"numbers of shape {expected}") from error
    if array.ndim != 2 or len(array) != 6 or (names is not None and array.shape[1] != len(names)):
        raise ShapeError(what, array.shape, expected)
    if not np.isfinite(array).all():
        raise InvalidValueError(what, matrix, "finite numbers")
    return array


def rotor_signs(
    what: str, directions: Any, names: Sequence[str] | None = None
) -> NDArray[np.float64]:
    """Directions of turning as configured, shape (num_thrusters,).

    Args:
        what: the directions in messages.
        directions: 1 or -1 per rotor.
        names: the rotors; None: not known yet.

    Raises:
        ShapeError: there is not one for each rotor.
        InvalidValueError: one is neither 1 nor -1.
    """
    allowed = "1 (counter-clockwise) or -1 (clockwise) for each rotor"
    try:
        signs = np.asarray(directions, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidValueError(what, directions, allowed) from error
    if signs.ndim != 1 or (names is not None and len(signs) != len(names)):
        expected = "(num_thrusters,)" if names is None else f"({len(names)},)"
        wanted = "" if names is None else f"One for each of {', '.join(names)}."
        raise ShapeError(what, signs.shape, expected, wanted)
    if not np.isin(signs, (-1.0, 1.0)).all():
        raise InvalidValueError(what, directions, allowed)
    return signs


class RotorFrames:
    """Frames of rotors in that of their root, with joints as on the stage.

    Args:
        engine: the worlds.
        layout: elements of the vehicle.
        rotors: positions of the rotors among its bodies.
    """

    def __init__(self, engine: Engine, layout: AssetLayout, rotors: Sequence[int]):
        self._engine, self._roots = engine, layout.roots[:, 0]
        parents = engine.compiled.mj.body_parentid
        self._chains = [
            [_chain(parents, int(layout.bodies[match, rotor]), int(root)) for rotor in rotors]
            for match, root in enumerate(self._roots)
        ]
        self._used = sorted({body for row in self._chains for chain in row for body in chain})
        self._seen: list[NDArray[np.float64]] = []
        self.positions = np.zeros((0, len(rotors), 3))
        """From the root's centre of mass [m], shape (n, num_thrusters, 3): n is the number of
        matches in one world if all worlds are alike, else that of instances."""
        self.quats = np.zeros((0, len(rotors), 4))
        """Orientations [unit quaternion xyzw], shape (n, num_thrusters, 4)."""

    def follow(self) -> bool:
        """Reread the engine's parameters; returns whether any that matter here changed."""
        engine = self._engine
        present = [
            engine.param("body_pos")[:, self._used],
            engine.param("body_quat")[:, self._used],
            engine.param("body_ipos")[:, self._roots],
        ]
        present = [array[:1] if (array == array[:1]).all() else array for array in present]
        if self._seen and all(map(np.array_equal, present, self._seen)):
            return False
        self._seen = present
        pos, quat, com = present
        quat = quat_from_wxyz(quat)
        worlds = max(map(len, present))
        size = worlds, *np.shape(self._chains)[:1], self.positions.shape[1]
        places, turns = np.zeros((*size, 3)), np.zeros((*size, 4))
        for match, chains in enumerate(self._chains):
            for k, chain in enumerate(chains):
                place, turn = np.zeros((1, 3)), np.array([[0.0, 0.0, 0.0, 1.0]])
                for column in (self._used.index(body) for body in chain):
                    place = pos[:, column] + quat_apply(quat[:, column], place)
                    turn = quat_multiply(quat[:, column], turn)
                places[:, match, k] = place - com[:, match]
                turns[:, match, k] = turn
        self.positions = places.reshape(-1, *places.shape[2:])
        self.quats = turns.reshape(-1, *turns.shape[2:])
        return True


def _chain(parents: NDArray[np.int32], body: int, root: int) -> list[int]:
    """A body and those it hangs on, up to the root, which is not among them."""
    chain = []
    while body != root:
        chain.append(body)
        body = int(parents[body])
    return chain


def derived_allocation(
    positions: NDArray[np.float64],
    quats: NDArray[np.float64],
    direction: NDArray[np.float64],
    torque_ratios: NDArray[np.float64],
    signs: NDArray[np.float64] | None,
) -> NDArray[np.float64]:
    """Allocation matrices from where rotors are, shape (n, 6, num_thrusters).

    Args:
        positions: rotors in the root's frame from its centre of mass [m], shape
            (n, num_thrusters, 3).
        quats: their orientations in that frame [unit quaternion xyzw], shape
            (n, num_thrusters, 4).
        direction: direction of thrust in the rotors' frames [unit vector], shape (3,).
        torque_ratios: drag torque per thrust [m], shape (num_thrusters,).
        signs: 1 for rotors that turn counter-clockwise seen against the thrust, -1 for the others,
            shape (num_thrusters,); None: drag acts on the vehicle nowhere.
    """
    axes = quat_apply(quats, np.broadcast_to(direction, positions.shape))
    torques = np.cross(positions, axes)
    if signs is not None:
        # The air turns a rotor back, and with it the vehicle: against its direction of turning.
        torques = torques - (signs * torque_ratios)[:, None] * axes
    return np.concatenate([axes, torques], axis=-1).transpose(0, 2, 1)
