"""Values that exist in a model alone, carried back to the specification it was compiled from."""

from __future__ import annotations

import mujoco
import numpy as np

from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.compile.shapes.surface_velocity import surface_velocity_of
from usdsim.math.rotations import quat_apply, quat_conjugate, quat_from_wxyz

__all__ = ["add_initial_key", "carry_over"]

_FIELDS = (
    ("joints", "jnt_solref", "solref_limit"),
    ("joints", "jnt_solimp", "solimp_limit"),
    ("tendons", "tendon_solref_lim", "solref_limit"),
    ("tendons", "tendon_solimp_lim", "solimp_limit"),
    ("actuators", "actuator_biasprm", "biasprm"),
    ("pairs", "pair_solref", "solref"),
    ("pairs", "pair_solimp", "solimp"),
    ("pairs", "pair_solreffriction", "solreffriction"),
)
"""Elements, an array of the model, and the field of the elements it is compiled from."""
_MESHES = (mujoco.mjtGeom.mjGEOM_MESH, mujoco.mjtGeom.mjGEOM_SDF)


def carry_over(spec: mujoco.MjSpec, compiled: CompiledModel) -> None:
    """Give the specification what was set in the model after it was compiled."""
    model, plain = compiled.mj, spec.compile()
    for elements, array, field in _FIELDS:
        found, given = getattr(plain, array), getattr(model, array)
        if np.array_equal(found, given):
            continue
        for element in getattr(spec, elements):
            if not np.array_equal(found[element.id], given[element.id]):
                setattr(element, field, given[element.id])
    _carry_surface_velocities(spec, plain, model)
    if np.array_equal(plain.dof_damping, model.dof_damping):
        return
    widths = np.array([6, 3, 1, 1])
    for joint in spec.joints:
        start = int(model.jnt_dofadr[joint.id])
        damping = model.dof_damping[start : start + int(widths[model.jnt_type[joint.id]])]
        # Different dampings of one joint are none that the format can say.
        if (damping == damping[0]).all() and damping[0] != plain.dof_damping[start]:
            joint.damping[0] = damping[0]


def _carry_surface_velocities(
    spec: mujoco.MjSpec, plain: mujoco.MjModel, model: mujoco.MjModel
) -> None:
    """Give geoms the velocities of their surfaces in their own frames, not in those of meshes."""
    for geom in spec.geoms:
        found, given = plain.geom_surfacevel[geom.id], model.geom_surfacevel[geom.id]
        if np.array_equal(found, given):
            continue
        mesh = int(model.geom_dataid[geom.id]) if geom.type in _MESHES else -1
        if mesh >= 0:
            back = quat_conjugate(quat_from_wxyz(model.mesh_quat[mesh]))
            given = surface_velocity_of(given, -quat_apply(back, model.mesh_pos[mesh]), back)
        geom.surfacevel = given


def add_initial_key(spec: mujoco.MjSpec, compiled: CompiledModel) -> bool:
    """Add the state at time zero as a keyframe, unless it is the rest pose or there already.

    Returns:
        Whether one was added.
    """
    model, start = compiled.mj, compiled.initial
    rest = np.array_equal(start.qpos, model.qpos0) and not start.qvel.any() and not start.ctrl.any()
    known = any(
        np.array_equal(start.qpos, model.key_qpos[i])
        and np.array_equal(start.qvel, model.key_qvel[i])
        and np.array_equal(start.ctrl, model.key_ctrl[i])
        for i in range(model.nkey)
    )
    if rest or known:
        return False
    taken = {key.name for key in spec.keys}
    name = next(
        name for name in ("initial", "initial_state", "usdsim:initial") if name not in taken
    )
    spec.add_key(name=name, qpos=start.qpos, qvel=start.qvel, ctrl=start.ctrl)
    return True
