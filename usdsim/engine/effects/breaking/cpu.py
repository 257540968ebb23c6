"""Joints that break: constraints whose load is measured, and let go above a limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import ArrayLike, NDArray

from usdsim.engine.compile.context import Build
from usdsim.math.rotations import quat_to_wxyz
from usdsim.math.transforms import Pose
from usdsim.parser.description import JointDescription

if TYPE_CHECKING:
    from usdsim.engine.base import Engine

__all__ = [
    "Breakable",
    "add_gauge",
    "break_overloaded",
    "breakable_joints",
    "broken_joints",
    "is_breakable",
    "mend_joints",
]

_GAUGES = (("force", mujoco.mjtSensor.mjSENS_FORCE), ("torque", mujoco.mjtSensor.mjSENS_TORQUE))


@dataclass(frozen=True, eq=False)
class Breakable:
    """The joints of a model that can break, in stage order."""

    paths: tuple[str, ...]
    """Prim path of each."""
    equalities: NDArray[np.intp]
    """The engine's constraint of each, shape (joints,)."""
    columns: NDArray[np.intp]
    """Columns of forces and torques in the engine's sensor data, shape (joints, 6)."""
    limits: NDArray[np.float64]
    """Largest force [N] and torque [N m] each one stands, shape (joints, 2)."""

    def __len__(self) -> int:
        return len(self.paths)


def is_breakable(joint: JointDescription) -> bool:
    """Whether a joint breaks: it has a limit, and is held by a constraint that can be dropped."""
    limited = np.isfinite(joint.break_force) or np.isfinite(joint.break_torque)
    return bool(limited) and not joint.in_tree and joint.kind != "distance"


def add_gauge(build: Build, body: Any, joint: JointDescription, pose: Pose) -> Any:
    """Insert a massless body between a joint and its parent, and measure what it transmits.

    The engine measures forces between the bodies of a tree, and a constraint's is none of them.

    Args:
        build: the compilation.
        body: the spec body of the joint's parent.
        joint: the joint.
        pose: the joint's frame in `body`.

    Returns:
        The spec body to hold the child instead; its frame is the joint's.
    """
    path = joint.path
    gauge = body.add_body(
        name=build.namer.take("body", None, f"{path}:gauge"),
        pos=pose.pos,
        quat=quat_to_wxyz(pose.quat),
        explicitinertial=True,
        mass=0.0,
        inertia=np.zeros(3),
    )
    site = build.namer.take("site", None, f"{path}:gauge")
    gauge.add_site(name=site)
    for word, kind in _GAUGES:
        sensor = build.spec.add_sensor(
            name=build.namer.take("sensor", None, f"{path}:{word}"),
            type=kind,
            objtype=mujoco.mjtObj.mjOBJ_SITE,
            objname=site,
        )
        build.register("sensor", f"{path}:{word}", sensor)
    return gauge


def breakable_joints(build: Build, model: mujoco.MjModel) -> Breakable:
    """The joints that can break, once the model is compiled."""
    found = [joint for joint in build.scene.joints if is_breakable(joint)]
    equalities, sensors = build.elements["equality"], build.elements["sensor"]
    starts = [
        [int(model.sensor_adr[sensors[f"{joint.path}:{word}"].id]) for word, _ in _GAUGES]
        for joint in found
    ]
    columns = np.array(starts, np.intp).reshape(-1, 2, 1) + np.arange(3)
    if found and model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_SENSOR:
        build.note(found[0].path, "joints do not break while the scene's sensors are disabled")
    return Breakable(
        tuple(joint.path for joint in found),
        np.array([equalities[joint.path].id for joint in found], np.intp),
        columns.reshape(-1, 6),
        np.array([(joint.break_force, joint.break_torque) for joint in found]).reshape(-1, 2),
    )


def break_overloaded(
    breakable: Breakable, batch: mjbatch.Batch, worlds: NDArray[np.intp] | None
) -> NDArray[np.intp]:
    """Drop the constraints that bore too much in the last step.

    Args:
        breakable: the joints.
        batch: the worlds.
        worlds: those that stepped; None: all.

    Returns:
        The worlds in which a joint broke.
    """
    rows = np.arange(batch.nsim) if worlds is None else worlds
    loads = batch.bind("sensordata")[np.ix_(rows, breakable.columns.ravel())]
    sizes = np.linalg.norm(loads.reshape(len(rows), -1, 2, 3), axis=3)
    over = (sizes > breakable.limits).any(axis=2)
    if not over.any():
        return rows[:0]
    active = batch.bind("eq_active")
    cells = np.ix_(rows, breakable.equalities)
    over &= active[cells] != 0.0
    active[cells] = np.where(over, 0.0, active[cells])
    return rows[over.any(axis=1)]


def mend_joints(engine: Engine, env_ids: ArrayLike | None = None) -> None:
    """Mend the joints of worlds that go on from where they are, rather than from the start.

    A joint pulls bodies that have come apart together; put them back first.

    Args:
        engine: the worlds.
        env_ids: which worlds, as indices or a mask; None: all.
    """
    engine.write("eq_active", 1.0, env_ids, engine.compiled.breakable.equalities)


def broken_joints(engine: Engine) -> NDArray[np.bool_]:
    """Find the model's breakable joints that are broken.

    Args:
        engine: the worlds; ``engine.compiled.breakable.paths`` are the joints' prim paths.

    Returns:
        A copy, shape (num_envs, joints). Resets mend joints.
    """
    return np.asarray(engine.read("eq_active")[:, engine.compiled.breakable.equalities] == 0)
