"""Articulation layout: which prims are articulations, and their elements in the engine."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.assets.common.checks import UnfitAssetError
from usdsim.assets.common.matching import aligned, matching_prims, relative_names
from usdsim.assets.tendons.elements import tendons_of
from usdsim.engine.colliding import colliding
from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.parser.description import (
    ArticulationDescription,
    DofDescription,
    JointDescription,
    SceneDescription,
)
from usdsim.views.layout import AssetLayout, root_rows

from .ordering import body_order, joint_order

if TYPE_CHECKING:
    from .cfg import ArticulationCfg

__all__ = [
    "ArticulationElements",
    "articulation_layout",
    "articulations",
    "axis_names",
    "joint_axes",
]

logger = logging.getLogger("usdsim")

_AXES = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
_BALL = int(mujoco.mjtJoint.mjJNT_BALL)


@dataclass(frozen=True, eq=False)
class ArticulationElements:
    """An articulation's elements in the engine."""

    layout: AssetLayout
    """In the order the user chose."""
    backend_body_names: tuple[str, ...]
    """Bodies in the engine's order."""
    backend_joint_names: tuple[str, ...]
    """Joints in the engine's order."""
    body_map: NDArray[np.intp]
    """Position of each body in the engine's order."""
    joint_map: NDArray[np.intp]
    """Position of each joint in the engine's order."""
    ball_joint_names: tuple[str, ...]
    """Ball joints, which have no single coordinate."""
    balls: NDArray[np.intp]
    """First position coordinate of each, shape (matches, num_ball_joints)."""
    ball_dofs: NDArray[np.intp]
    """First degree of freedom of each, same shape."""


def articulations(
    scene: SceneDescription, cfg: ArticulationCfg, env_paths: Sequence[str]
) -> list[tuple[str, ArticulationDescription]]:
    """Prims of one world that a configuration matches, with the articulation of each.

    Raises:
        UnfitAssetError: there is none at or below a prim, or more than one.
    """
    found = []
    for prim in matching_prims(scene, cfg.prim_path, env_paths):
        if cfg.articulation_root_prim_path is not None:
            wanted = prim + cfg.articulation_root_prim_path
            inside = [a for a in scene.articulations if a.path == wanted]
        else:
            wanted = prim
            inside = [a for a in scene.articulations if a.is_below(prim)]
        if not inside:
            known = ", ".join(a.path for a in scene.articulations) or "none"
            raise UnfitAssetError(
                f"No articulation root at {'' if wanted != prim else 'or below '}{wanted}. Apply "
                f"PhysicsArticulationRootAPI there, or correct the path. Articulation roots: "
                f"{known}."
            )
        if len(inside) > 1:
            raise UnfitAssetError(
                f"{len(inside)} articulation roots at or below {prim}: "
                f"{', '.join(a.path for a in inside)}. Choose one by articulation_root_prim_path, "
                "or take the API off the others."
            )
        found.append((prim, inside[0]))
    return found


def joint_axes(
    scene: SceneDescription, articulation: ArticulationDescription
) -> dict[str, tuple[JointDescription, DofDescription]]:
    """Moving axes of an articulation's joints by path, but for free joints, in stage order."""
    return {
        dof.path: (scene.joints[j], dof)
        for j in articulation.joints
        for dof in scene.joints[j].dofs
        if dof.kind != "free"
    }


@dataclass(frozen=True, eq=False)
class _Match:
    """One articulation in the engine's terms and order."""

    prim: str
    bodies: list[int]
    body_names: tuple[str, ...]
    parents: list[int]
    joints: list[int]
    joint_names: tuple[str, ...]
    carried: list[int]
    balls: list[int]
    ball_names: tuple[str, ...]
    geoms: list[int]
    geom_names: tuple[str, ...]
    fixed_tendons: dict[str, int]
    spatial_tendons: dict[str, int]


def _match(compiled: CompiledModel, prim: str, articulation: ArticulationDescription) -> _Match:
    scene, model, names = compiled.scene, compiled.mj, compiled.names
    described = {scene.bodies[i].path: scene.bodies[i] for i in articulation.bodies}
    members = {names.index("body", path) for path in described}
    bodies = _largest_tree(compiled, prim, members)
    paths = [names.paths("body")[b] for b in bodies]
    position = {body: i for i, body in enumerate(bodies)}
    axes = joint_axes(scene, articulation)
    joint_paths = names.paths("joint")
    joints: list[int] = []
    balls: list[int] = []
    for body in bodies:
        first = int(model.body_jntadr[body])
        for joint in range(first, first + int(model.body_jntnum[body])):
            kind = int(model.jnt_type[joint])
            if joint_paths[joint] in axes and kind in (*_AXES, _BALL):
                (balls if kind == _BALL else joints).append(joint)
    geom_paths = names.paths("geom")
    geoms = [
        i
        for i in np.flatnonzero(colliding(model)).tolist()
        if geom_paths[i] and int(model.geom_bodyid[i]) in position
    ]
    fixed, spatial = tendons_of(compiled, set(bodies))
    return _Match(
        prim=prim,
        bodies=bodies,
        body_names=_names([(path, described[path].name) for path in paths]),
        parents=[position.get(int(model.body_parentid[b]), -1) for b in bodies],
        joints=joints,
        joint_names=axis_names([axes[joint_paths[j]] for j in joints]),
        carried=[position[int(model.jnt_bodyid[j])] for j in joints],
        balls=balls,
        ball_names=axis_names([axes[joint_paths[j]] for j in balls]),
        geoms=geoms,
        geom_names=relative_names([geom_paths[g] for g in geoms]),
        fixed_tendons=fixed,
        spatial_tendons=spatial,
    )


def _largest_tree(compiled: CompiledModel, prim: str, members: set[int]) -> list[int]:
    """The bodies that hang together, in the engine's order."""
    tops: dict[int, list[int]] = {}
    for body in sorted(members):
        top = body
        while int(compiled.mj.body_parentid[top]) in members:
            top = int(compiled.mj.body_parentid[top])
        tops.setdefault(top, []).append(body)
    chosen = max(tops.values(), key=len)
    left = sorted(members - set(chosen))
    if left:
        paths = compiled.names.paths("body")
        logger.warning(
            "The articulation %s has the %d bodies that hang on %s; no joint connects %s to them.",
            prim,
            len(chosen),
            paths[chosen[0]],
            ", ".join(paths[b] for b in left),
        )
    return chosen


def axis_names(axes: Sequence[tuple[JointDescription, DofDescription]]) -> tuple[str, ...]:
    """Names of moving axes: their joints' in the source, else their prims', with the D6 axis."""
    return _names([_axis_name(joint, dof) for joint, dof in axes])


def _axis_name(joint: JointDescription, dof: DofDescription) -> tuple[str, str | None]:
    """Path of an axis and its name in the source, if there was one."""
    if dof.name:
        return dof.path, dof.name
    suffix = dof.path[len(joint.path) :]
    return dof.path, joint.name + suffix if joint.name else None


def _names(elements: Sequence[tuple[str, str | None]]) -> tuple[str, ...]:
    """Names in the source where there are any and they differ, else names of prims."""
    prims = relative_names([path for path, _ in elements])
    names = tuple(source or prim for (_, source), prim in zip(elements, prims, strict=True))
    return names if len(set(names)) == len(names) else prims


def articulation_layout(
    compiled: CompiledModel, cfg: ArticulationCfg, env_paths: Sequence[str], num_worlds: int
) -> ArticulationElements:
    """The engine's elements of the articulations a configuration matches.

    Raises:
        StageError: matches differ, or their root hangs on another body by a joint.
        InvalidValueError: an ordering does not fit.
    """
    matches = [
        _match(compiled, prim, found)
        for prim, found in articulations(compiled.scene, cfg, env_paths)
    ]
    first, prims = matches[0], [m.prim for m in matches]
    for what in ("body", "joint", "ball", "geom"):
        aligned(f"{what} names", prims, [getattr(m, f"{what}_names") for m in matches])
    for what in ("fixed_tendons", "spatial_tendons"):
        aligned(what.replace("_", " "), prims, [tuple(getattr(m, what)) for m in matches])
    bodies = body_order(cfg.body_ordering, first.body_names, first.parents)
    joints = joint_order(cfg.joint_ordering, first.joint_names, first.carried, first.parents)
    joint_table = _table([[m.joints[j] for j in joints] for m in matches])
    balls = _table([m.balls for m in matches])
    model = compiled.mj
    layout = AssetLayout(
        title=f"articulation {cfg.prim_path!r}",
        num_worlds=num_worlds,
        bodies=_table([[m.bodies[b] for b in bodies] for m in matches]),
        body_names=tuple(first.body_names[b] for b in bodies),
        root_names=first.body_names[:1],
        joint_names=tuple(first.joint_names[j] for j in joints),
        geoms=_table([m.geoms for m in matches]),
        geom_names=first.geom_names,
        fixed_tendons=_table([list(m.fixed_tendons.values()) for m in matches]),
        fixed_tendon_names=tuple(first.fixed_tendons),
        spatial_tendons=_table([list(m.spatial_tendons.values()) for m in matches]),
        spatial_tendon_names=tuple(first.spatial_tendons),
        **root_rows(compiled, [[m.bodies[0]] for m in matches]),
        **_joint_tables(compiled, joint_table),
    )
    return ArticulationElements(
        layout=layout,
        backend_body_names=first.body_names,
        backend_joint_names=first.joint_names,
        body_map=np.asarray(bodies, dtype=np.intp),
        joint_map=np.asarray(joints, dtype=np.intp),
        ball_joint_names=first.ball_names,
        balls=model.jnt_qposadr[balls].astype(np.intp),
        ball_dofs=model.jnt_dofadr[balls].astype(np.intp),
    )


def _joint_tables(compiled: CompiledModel, joints: NDArray[np.int32]) -> Mapping[str, Any]:
    """Coordinates and drives of joints, in the engine's indices."""
    model, names = compiled.mj, compiled.names
    drives = np.full(joints.shape, -1, dtype=np.int32)
    ctrls = np.full(joints.shape, -1, dtype=np.int32)
    for index, joint in np.ndenumerate(joints):
        found = names.find("actuator", names.paths("joint")[joint])
        if found is not None:
            drives[index], ctrls[index] = found, model.actuator_ctrladr[found]
    return {
        "joints": joints,
        "joint_qpos": model.jnt_qposadr[joints].astype(np.int32),
        "joint_dofs": model.jnt_dofadr[joints].astype(np.int32),
        "drives": drives,
        "drive_ctrls": ctrls,
    }


def _table(rows: Sequence[Sequence[int]]) -> NDArray[np.int32]:
    return np.asarray(rows, dtype=np.int32).reshape(len(rows), -1)
