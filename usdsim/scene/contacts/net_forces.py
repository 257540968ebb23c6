"""Net contact forces on links, for many worlds at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.engine import Engine
from usdsim.engine.mirror import ShadowWorlds
from usdsim.math.rotations import cross
from usdsim.parser.description import GenericDescription
from usdsim.scene.data.version_cache import VersionCache

from .reader import ContactArrays, rebounds

if TYPE_CHECKING:
    from usdsim.scene.model.scene_model import SceneModel


__all__ = ["LinkForces", "summed_forces"]

_FIELD = mujoco.mjtConDataField
_VALUES = 9
"""Force, torque and the point it is about."""
_FEW = 100
"""Bodies up to which sensors are the faster way: each looks at all contacts of its world, and their
model has to be compiled."""
_REMEMBERING = int(mujoco.mjtEnableBit.mjENBL_SLEEP | mujoco.mjtEnableBit.mjENBL_IPC)


class LinkForces:
    """Sums contact forces by one sensor for each link, in copies of the worlds.

    Args:
        model: the model.
        engine: the engine that holds the worlds.
    """

    def __init__(self, model: SceneModel, engine: Engine):
        low = model.low
        self._engine = engine
        bodies = 1 + np.flatnonzero(low.body_geomnum[1:])
        names = model.compiled.names.paths("body")
        paths = [names[body] for body in bodies]
        # What else a world remembers than its state stays behind when states are copied, and the
        # surfaces of deformable bodies are no geoms.
        remembers = bool(int(low.opt.enableflags) & _REMEMBERING)
        named = all(paths) and len(set(paths)) == len(paths)
        fits = len(bodies) <= _FEW and low.nplugin == 0 and low.nflex == 0
        self.usable = named and fits and not remembers
        self._bodies = bodies
        self._shadow = ShadowWorlds(
            engine.compiled,
            lambda: engine.batch,
            engine.versions,
            [_sensor(path) for path in paths],
        )
        self._found: VersionCache[NDArray[np.float64]] = VersionCache(engine)

    def read(self, worlds: NDArray[np.intp]) -> NDArray[np.float64]:
        """Forces [N] and torques about centres of mass [N m] in world.

        Of the engine's bodies, shape (len(worlds), nbody, 6).
        """
        return self._found.get(worlds, lambda: self._measure(worlds))

    def _measure(self, worlds: NDArray[np.intp]) -> NDArray[np.float64]:
        engine, bodies = self._engine, self._bodies
        centres = engine.read("xipos")
        told = rebounds(engine, worlds)
        total = np.zeros((len(worlds), centres.shape[1], 6))
        if len(told.row):
            total += summed_forces(engine.compiled.mj, told, centres[worlds])
        # Where nothing touches, there is nothing to solve.
        rows = np.flatnonzero(engine.read("ncon")[worlds])
        if not len(bodies) or not len(rows):
            return total
        worlds = worlds[rows]
        centre = centres[worlds]
        found = self._shadow.measure(worlds).reshape(len(rows), len(bodies), _VALUES)
        # Sensors give what the link does to others.
        force, torque = -found[..., :3], -found[..., 3:6]
        arm = found[..., 6:] - centre[:, bodies]
        wrenches = np.concatenate([force, torque + cross(arm, force)], axis=-1)
        total[np.ix_(rows, bodies)] += wrenches
        return total


def _sensor(body: str) -> GenericDescription:
    fields = (_FIELD.mjCONDATA_FORCE, _FIELD.mjCONDATA_TORQUE, _FIELD.mjCONDATA_POS)
    net = 3
    return GenericDescription(
        path=f"{body}:net_contact_force",
        kind="sensor",
        name="",
        overrides={
            "type": int(mujoco.mjtSensor.mjSENS_CONTACT),
            "objtype": int(mujoco.mjtObj.mjOBJ_BODY),
            "objname": body,
            "intprm": [sum(1 << int(field) for field in fields), net, 1],
        },
    )


def summed_forces(
    low: mujoco.MjModel, found: ContactArrays, centre: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The same, summed contact by contact.

    Args:
        low: the model.
        found: contacts of some worlds, with forces.
        centre: centres of mass of the engine's bodies in these worlds [m], shape (n, nbody, 3).
    """
    rows = len(centre)
    force = np.einsum("nij,ni->nj", found.frame, found.wrench[:, :3])
    torque = np.einsum("nij,ni->nj", found.frame, found.wrench[:, 3:])
    total = np.zeros((rows * low.nbody, 6))
    for column, sign in ((0, -1.0), (1, 1.0)):
        geom = found.geom[:, column]
        body = np.where(geom >= 0, low.geom_bodyid[geom], 0)
        arm = found.pos - centre[found.row, body]
        wrench = np.concatenate([force, torque + cross(arm, force)], axis=1)
        place = found.row * low.nbody + body
        for i in range(6):
            total[:, i] += sign * np.bincount(place, wrench[:, i], len(total))
    return total.reshape(rows, low.nbody, 6)
