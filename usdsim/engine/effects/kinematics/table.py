"""Tables of kinematic bodies: which they are, which colliders they have, how they are animated."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.engine.colliding import colliding
from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.surfaces.materials import CARRYING_SHARE
from usdsim.math.rotations import quat_from_wxyz
from usdsim.math.time_samples import PoseSamples

__all__ = ["KinematicTable", "kinematic_table"]


@dataclass(frozen=True, eq=False)
class KinematicTable:
    """Kinematic bodies of a model, in the order of the engine's bodies."""

    bodies: NDArray[np.intp]
    """Engine bodies, shape (k,)."""
    mocaps: NDArray[np.intp]
    """Their rows among the engine's mocap poses, shape (k,)."""
    geoms: NDArray[np.intp]
    """Colliders on them or on what is fixed to them, shape (g,)."""
    owners: NDArray[np.intp]
    """Row of the body each collider is on, shape (g,)."""
    geom_pos: NDArray[np.float64]
    """Positions of the colliders in their bodies [m], shape (g, 3)."""
    geom_quat: NDArray[np.float64]
    """Orientations of the colliders in their bodies, xyzw, shape (g, 4)."""
    parts: NDArray[np.intp]
    """Engine bodies that move as one with a kinematic one, itself included, shape (p,)."""
    part_owners: NDArray[np.intp]
    """Row of that body, shape (p,)."""
    part_roots: NDArray[np.intp]
    """First body of its tree, shape (p,)."""
    samples: tuple[tuple[NDArray[np.intp], PoseSamples], ...]
    """Rows of animated bodies that have samples at the same times, and their poses over time."""
    velocity: NDArray[np.float64]
    """Linear and angular velocity at the start [m/s, rad/s], shape (k, 6)."""

    lags: NDArray[np.float64]
    """Damping over stiffness of contacts with them [s], zero where others decide, shape (k,)."""
    up: NDArray[np.float64]
    """Direction against gravity, zero without gravity, shape (3,)."""

    def __len__(self) -> int:
        return len(self.bodies)


def kinematic_table(compiled: CompiledModel) -> KinematicTable:
    """Tables of a model, without bodies that the MuJoCo dialect moves: they keep MuJoCo's rule."""
    model = compiled.mj
    rows: list[int] = []
    animated: dict[bytes, dict[int, PoseSamples]] = defaultdict(dict)
    velocities: list[NDArray[np.float64]] = []
    for body in compiled.scene.bodies:
        index = compiled.names.find("body", body.path)
        if index is None or not (body.kinematic and body.carries):
            continue
        if body.samples is not None:
            animated[body.samples.times.tobytes()][len(rows)] = body.samples
        velocities.append(np.concatenate([body.linear_velocity, body.angular_velocity]))
        rows.append(index)
    bodies = np.array(rows, dtype=np.intp)
    row_of = {index: row for row, index in enumerate(rows)}
    holders = [row_of.get(int(holder), -1) for holder in model.body_weldid]
    held = np.array(holders, dtype=np.intp)
    owners = held[model.geom_bodyid]
    paired = np.zeros(model.ngeom, np.bool_)
    paired[np.concatenate([model.pair_geom1, model.pair_geom2])] = True
    geoms = np.flatnonzero((owners >= 0) & (colliding(model) | paired))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    base = bodies[owners[geoms]]
    turn = data.xmat[base].reshape(-1, 3, 3)
    pos = np.einsum("nji,nj->ni", turn, data.geom_xpos[geoms] - data.xpos[base])
    quat = np.zeros((len(geoms), 4))
    for i, geom in enumerate(geoms):
        relative = turn[i].T @ data.geom_xmat[geom].reshape(3, 3)
        mujoco.mju_mat2Quat(quat[i], relative.reshape(-1))
    parts = np.flatnonzero(held >= 0)
    return KinematicTable(
        bodies=bodies,
        mocaps=np.asarray(model.body_mocapid[bodies], dtype=np.intp),
        geoms=geoms,
        owners=owners[geoms],
        geom_pos=pos,
        geom_quat=quat_from_wxyz(quat),
        parts=parts,
        part_owners=held[parts],
        part_roots=np.asarray(model.body_rootid[parts], dtype=np.intp),
        samples=tuple(
            (np.array([*alike], np.intp), PoseSamples.together([*alike.values()]))
            for alike in animated.values()
        ),
        velocity=np.array(velocities).reshape(-1, 6),
        lags=_lags(model, geoms, owners[geoms], len(bodies)),
        up=-model.opt.gravity / max(float(np.linalg.norm(model.opt.gravity)), mujoco.mjMINVAL),
    )


def _lags(
    model: mujoco.MjModel, geoms: NDArray[np.intp], owners: NDArray[np.intp], count: int
) -> NDArray[np.float64]:
    """Damping over stiffness of contacts that kinematic bodies decide alone [s], shape (count,)."""
    found = np.zeros(count)
    constant, ratio = model.geom_solref[geoms].T
    decides = (model.geom_solmix[geoms] == CARRYING_SHARE) & (constant > 0.0)
    safe = np.maximum(constant, 2.0 * model.opt.timestep)
    np.maximum.at(found, owners[decides], (2.0 * safe * ratio**2)[decides])
    return found
