"""Holds of surface grippers: welds between a gripper's body and what it may hold.

The engine's constraints are those of the compiled model, so a scene gets one for each body that can
be held, which is off, and holds nothing, until a ray of the gripper meets that body.
"""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.engine.base import Engine
from usdsim.engine.colliding import colliding
from usdsim.engine.compile.loops import TORQUE_SCALE
from usdsim.math.rotations import (
    quat_apply,
    quat_conjugate,
    quat_from_wxyz,
    quat_multiply,
    quat_to_wxyz,
)
from usdsim.parser.description import BodyDescription, GenericDescription, SceneDescription

from .mounts import Mount

__all__ = ["Holds", "with_holds"]

_WELD, _BODY = int(mujoco.mjtEq.mjEQ_WELD), int(mujoco.mjtObj.mjOBJ_BODY)
_STEP = 1e-6
"""Distance by which a ray passes what it does not see [m]."""


def with_holds(scene: SceneDescription, mount: Mount) -> SceneDescription:
    """A scene with a weld, which is off, between a gripper and each body it may hold.

    These are the bodies that forces move and that are in no tree with the gripper.
    """
    known = {element.path for element in scene.elements}
    held = [path for path in _holdable(scene, mount.body) if _key(mount, path) not in known]
    named = {mount.body, *held}
    bodies = [replace(b, name=b.name or None) if b.path in named else b for b in scene.bodies]
    added = [
        GenericDescription(
            path=_key(mount, path),
            kind="equality",
            overrides={
                "type": _WELD,
                "objtype": _BODY,
                "name1": mount.body,
                "name2": path,
                "active": 0,
                "data": [*np.zeros(6), 1.0, 0.0, 0.0, 0.0, TORQUE_SCALE],
            },
            targets={"name1": (mount.body,), "name2": (path,)},
        )
        for path in held
    ]
    return replace(scene, bodies=tuple(bodies), elements=(*scene.elements, *added))


def _key(mount: Mount, body: str) -> str:
    """Path of a weld: without slashes, so that no expression matches it."""
    return f"hold:{mount.path}:{body}".replace("/", "|")


def _holdable(scene: SceneDescription, gripper: str) -> list[str]:
    bodies = scene.bodies
    index = next(i for i, body in enumerate(bodies) if body.path == gripper)
    own = _root(bodies, index)
    return [
        body.path
        for i, body in enumerate(bodies)
        if not (body.fixed or body.kinematic) and _root(bodies, i) != own
    ]


def _root(bodies: tuple[BodyDescription, ...], index: int) -> int:
    while bodies[index].parent >= 0:
        index = bodies[index].parent
    return index


class Holds:
    """Grip of one gripper of each world.

    Args:
        engine: the worlds, compiled of a scene that `with_holds` returned.
        mount: the gripper.
    """

    def __init__(self, engine: Engine, mount: Mount):
        self._engine, self._mount = engine, mount
        names, scene = engine.compiled.names, engine.compiled.scene
        paths = _holdable(scene, mount.body)
        self._body = names.index("body", mount.body)
        self._points = [names.index("site", path) for path in mount.points]
        self._others = np.array([names.index("body", path) for path in paths], np.intp)
        self._welds = np.array(
            [names.index("equality", _key(mount, path)) for path in paths], np.intp
        )

    def held(self) -> NDArray[np.bool_]:
        """Bodies that are held, shape (num_envs, bodies)."""
        return np.asarray(self._engine.read("eq_active")[:, self._welds] != 0)

    def release(self, worlds: NDArray[np.intp]) -> None:
        """Let go of everything in some worlds."""
        if len(worlds) and len(self._welds) and self.held()[worlds].any():
            self._engine.write("eq_active", 0.0, worlds, self._welds)

    def grip(self, world: int, reach: float) -> None:
        """Hold what the points of a world's gripper see.

        Args:
            world: which one.
            reach: how far each point sees [m].
        """
        model, data = self._engine.world_model(world), self._engine.world_data(world)
        for site, axis, clearance in zip(
            self._points, self._mount.axes, self._mount.clearances, strict=True
        ):
            along = data.site_xmat[site].reshape(3, 3) @ axis
            start = data.site_xpos[site] + clearance * along
            met = self._first(model, data, start, along, reach - clearance)
            slots = np.flatnonzero(self._others == met[0])
            if len(slots) and not self.held()[world, slots[0]]:
                self._weld(world, data, int(slots[0]), met[1])

    def _first(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        start: NDArray[np.float64],
        along: NDArray[np.float64],
        reach: float,
    ) -> tuple[int, NDArray[np.float64]]:
        """The first body with a colliding shape on a ray, and where; -1: none."""
        geom, gone, solid = np.full(1, -1, np.int32), 0.0, colliding(model)
        while gone <= reach:
            point = start + gone * along
            far = mujoco.mj_ray(model, data, point, along, None, 1, self._body, geom, None)
            if far < 0.0 or gone + far > reach:
                break
            if solid[geom[0]]:
                return int(model.geom_bodyid[geom[0]]), point + far * along
            gone += far + _STEP
        return -1, start

    def _weld(self, world: int, data: mujoco.MjData, slot: int, point: NDArray[np.float64]) -> None:
        """Hold a body as it is now, at a point in world."""
        ends = (int(self._others[slot]), self._body)
        turns = [quat_conjugate(quat_from_wxyz(data.xquat[body])) for body in ends]
        anchors = [
            quat_apply(turn, point - data.xpos[body])
            for turn, body in zip(turns, ends, strict=True)
        ]
        turn = quat_to_wxyz(quat_multiply(turns[1], quat_conjugate(turns[0])))
        weld = self._welds[slot : slot + 1]
        row = self._engine.param("eq_data")[world, weld].copy()
        row[0, :10] = np.concatenate([*anchors, turn])
        self._engine.set_param("eq_data", row[None], [world], weld)
        self._engine.write("eq_active", 1.0, [world], weld)

    def drop_overloaded(self, world: int, coaxial: float, shear: float) -> None:
        """Let go of what pulls along the gripper's axis, or across it, with more than it bears.

        Args:
            world: which one.
            coaxial: largest force along the axis of the first point [N].
            shear: largest force across it [N].
        """
        data = self._engine.world_data(world)
        axis = data.site_xmat[self._points[0]].reshape(3, 3) @ self._mount.axes[0]
        ties = data.efc_type == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
        for weld in self._welds[self.held()[world]]:
            rows = np.flatnonzero(ties & (data.efc_id == weld))
            if not len(rows):
                continue
            force = data.efc_force[rows[:3]]
            along = float(force @ axis)
            if abs(along) > coaxial or float(np.linalg.norm(force - along * axis)) > shear:
                self._engine.write("eq_active", 0.0, [world], [weld])
