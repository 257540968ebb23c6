"""Guides: marks for contacts, forces, frames, masses, joints, sensors and cameras of a world."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError
from usdsim.engine.quiet import Quiet
from usdsim.math.rotations import quat_from_matrix
from usdsim.render.drawable import DrawableScene
from usdsim.render.views import camera_lens

from .marks import Marks

__all__ = ["GUIDES", "INSIDE", "Guides", "camera_marks", "checked_guides", "sensor_marks"]

_SITE = int(mujoco.mjtObj.mjOBJ_SITE)
_RANGEFINDER = int(mujoco.mjtSensor.mjSENS_RANGEFINDER)
_RAY, _VIEW = (0.05, 0.75, 0.75, 1.0), (0.9, 0.5, 0.8, 1.0)
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])

Array = NDArray[np.float64]

_VEL = int(mujoco.mjtStage.mjSTAGE_VEL)
_TURNING = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
_CONTACT, _FORCE = (1.0, 0.55, 0.05, 1.0), (0.85, 0.1, 0.25, 1.0)
_CENTRE, _INERTIA, _JOINT = (0.95, 0.85, 0.1, 1.0), (0.2, 0.6, 0.9, 0.35), (0.6, 0.2, 0.8, 1.0)


def sensor_marks(model: mujoco.MjModel, data: mujoco.MjData, extent: float) -> Marks:
    """Frames of the sites that measure, and of rangefinders the ray to what it hits.

    A ray that hits nothing is half as long as the model's extent [m], and has no ball at its end.
    """
    measuring = model.sensor_objtype == _SITE
    sites = np.unique(model.sensor_objid[measuring])
    turns = quat_from_matrix(data.site_xmat[sites].reshape(-1, 3, 3))
    frames = Marks.frames(data.site_xpos[sites], turns, 0.03 * extent)
    rays = model.sensor_objid[measuring & (model.sensor_type == _RANGEFINDER)]
    start = data.site_xpos[rays].reshape(-1, 3)
    along = data.site_xmat[rays].reshape(-1, 3, 3)[:, :, 2]
    reach = np.array([_reach(model, data, int(site)) for site in rays]).reshape(-1, 1)
    hit = reach[:, 0] >= 0.0
    end = start + np.where(reach >= 0.0, reach, 0.5 * extent) * along
    thick = 0.002 * extent
    balls = Marks.balls(end[hit], 3.0 * thick, _RAY)
    return Marks.joined([frames, Marks.segments(start, end, thick, _RAY), balls])


def camera_marks(model: mujoco.MjModel, data: mujoco.MjData, extent: float) -> Marks:
    """Edges of what cameras see, up to a depth of a tenth of the model's extent."""
    turns = data.cam_xmat.reshape(-1, 3, 3)
    corners = [
        data.cam_xpos[i] + _frustum(model, i, 0.1 * extent) @ turns[i].T for i in range(model.ncam)
    ]
    start, ends = np.array(corners).reshape(-1, 2, 4, 3).swapaxes(0, 1)
    lines = ((start, ends), (ends, np.roll(ends, -1, axis=1)))
    return Marks.joined(Marks.segments(a, b, 0.002 * extent, _VIEW) for a, b in lines)


def _reach(model: mujoco.MjModel, data: mujoco.MjData, site: int) -> float:
    """Distance to what a rangefinder hits [m], by the engine's rule; -1: nothing."""
    along = np.ascontiguousarray(data.site_xmat[site].reshape(3, 3)[:, 2])
    body = int(model.site_bodyid[site])
    return float(mujoco.mj_ray(model, data, data.site_xpos[site], along, None, 1, body,
                               np.zeros(1, np.int32)))  # fmt: skip


def _frustum(model: mujoco.MjModel, camera: int, depth: float) -> Array:
    """Ends of the edges of a camera's picture at depths 0 and this, in its frame, (2, 4, 3) [m]."""
    size = tuple(int(v) for v in model.cam_resolution[camera])
    lens = camera_lens(model, camera, (size[0], size[1]), 0.0, depth)
    corners = (_CORNERS * size - lens.centre) / lens.focal * (1.0, -1.0)
    wide = (1.0, 1.0) if lens.kind == "orthographic" else (0.0, depth)
    found = np.zeros((2, 4, 3))
    found[..., :2] = np.multiply.outer(wide, corners)
    found[1, :, 2] = -depth
    return found


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
"""Guides that lie inside bodies, which are translucent then."""
