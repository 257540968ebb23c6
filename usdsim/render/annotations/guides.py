"""Guides: marks for contacts, forces, frames, masses, joints, sensors and cameras of a world."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError
from usdsim.engine.failures import Quiet
from usdsim.math.rotations import quat_from_matrix
from usdsim.render.drawable import DrawableScene

from .marks import Marks
from .sensor_guides import camera_marks, sensor_marks

__all__ = ["GUIDES", "INSIDE", "Guides", "checked_guides"]

Array = NDArray[np.float64]

_VEL = int(mujoco.mjtStage.mjSTAGE_VEL)
_TURNING = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
_CONTACT, _FORCE = (1.0, 0.55, 0.05, 1.0), (0.85, 0.1, 0.25, 1.0)
_CENTRE, _INERTIA, _JOINT = (0.95, 0.85, 0.1, 1.0), (0.2, 0.6, 0.9, 0.35), (0.6, 0.2, 0.8, 1.0)


class Guides:
    """Marks of one world, where and how strong they are now.

    Sizes follow the extent of the model: a force equal to the weight of all that moves is an arrow
    0.4 times as long. Contacts and forces are those of an engine; a recording has none.

    Args:
        scene: what is drawn, for where nothing is simulated.
        engine: the engine, or None.
        world: index of the world.
        names: which of `GUIDES`.
    """

    def __init__(self, scene: DrawableScene, engine: Any, world: int, names: Sequence[str] = ()):
        self._scene, self._engine, self._world = scene, engine, world
        self.names = checked_guides(names)
        self._quiet = Quiet()

    def read(self) -> Marks:
        """The marks now."""
        if not self.names:
            return Marks.joined([])
        model, data = self._copy()
        extent = max(float(model.stat.extent), 1e-6)
        return Marks.joined(GUIDES[name](model, data, extent) for name in self.names)

    def _copy(self) -> tuple[mujoco.MjModel, mujoco.MjData]:
        """The world as MuJoCo has it on the host; the engine's stays as it is."""
        engine, world = self._engine, self._world
        if engine is None:
            return self._scene.model, self._scene.data
        # Contacts are up to date from here on.
        engine.read("ncon")
        batch = engine.batch
        model, data = batch.get_model(world), batch.get_data(world)
        sleep = getattr(engine, "sleep", None)
        if sleep is not None:
            sleep.rouse(model, data)
        if "forces" in self.names:
            with self._quiet:
                mujoco.mj_forwardSkip(model, data, _VEL, 1)
        return model, data


def checked_guides(names: Sequence[str]) -> tuple[str, ...]:
    """Names of guides.

    Raises:
        InvalidValueError: one is not in `GUIDES`, or they are a single text.
    """
    wanted = ("?",) if isinstance(names, str) else tuple(names)
    for name in wanted:
        if name not in GUIDES:
            raise InvalidValueError("guides", names, f"a list of {', '.join(GUIDES)}")
    return wanted


def _contacts(model: mujoco.MjModel, data: mujoco.MjData, extent: float) -> Marks:
    return Marks.balls(np.array(data.contact.pos), 0.008 * extent, _CONTACT)


def _forces(model: mujoco.MjModel, data: mujoco.MjData, extent: float) -> Marks:
    """Contact forces on the body that moves; the second one, as the engine counts, if both do."""
    wrench, vectors = np.zeros(6), np.zeros((data.ncon, 3))
    for index in range(data.ncon):
        mujoco.mj_contactForce(model, data, index, wrench)
        vectors[index] = data.contact.frame[index].reshape(3, 3).T @ wrench[:3]
    moving = model.body_weldid > 0
    weight = 9.81 * float(model.body_mass[moving].sum())
    vectors *= 0.4 * extent / max(weight, 1e-9)
    second = np.asarray(data.contact.geom).reshape(-1, 2)[:, 1]
    still = (second >= 0) & (model.body_weldid[model.geom_bodyid[second]] == 0)
    vectors[still] *= -1.0
    shown = np.linalg.norm(vectors, axis=1) > 1e-3 * extent
    places = np.array(data.contact.pos).reshape(-1, 3)
    return Marks.arrows(places[shown], vectors[shown], 0.004 * extent, _FORCE)


def _frames(model: mujoco.MjModel, data: mujoco.MjData, extent: float) -> Marks:
    turns = quat_from_matrix(data.xmat[1:].reshape(-1, 3, 3))
    return Marks.frames(np.array(data.xpos[1:]), turns, 0.06 * extent)


def _centres(model: mujoco.MjModel, data: mujoco.MjData, extent: float) -> Marks:
    heavy = model.body_mass > 0.0
    return Marks.balls(data.xipos[heavy], 0.012 * extent, _CENTRE)


def _inertias(model: mujoco.MjModel, data: mujoco.MjData, extent: float) -> Marks:
    """Boxes of uniform density with the bodies' masses and inertias."""
    heavy = model.body_mass > 0.0
    moments, mass = model.body_inertia[heavy], model.body_mass[heavy, None]
    squares = 6.0 * (moments.sum(axis=1, keepdims=True) - 2.0 * moments) / mass
    half = np.sqrt(np.maximum(squares, 0.0)) / 2.0
    turns = quat_from_matrix(data.ximat[heavy].reshape(-1, 3, 3))
    return Marks.boxes(data.xipos[heavy], turns, half, _INERTIA)


def _joints(model: mujoco.MjModel, data: mujoco.MjData, extent: float) -> Marks:
    axis = np.isin(model.jnt_type, _TURNING)
    vectors = 0.1 * extent * data.xaxis[axis]
    return Marks.arrows(data.xanchor[axis], vectors, 0.004 * extent, _JOINT)


GUIDES: dict[str, Callable[[mujoco.MjModel, mujoco.MjData, float], Marks]] = {
    "contacts": _contacts,
    "forces": _forces,
    "frames": _frames,
    "centres": _centres,
    "inertias": _inertias,
    "joints": _joints,
    "sensors": sensor_marks,
    "cameras": camera_marks,
}
"""Guides that can be drawn."""
INSIDE = frozenset(("frames", "centres", "inertias", "joints"))
"""Those that lie inside bodies, which are translucent then."""
