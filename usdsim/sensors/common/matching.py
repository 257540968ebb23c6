"""Sensor expressions matched to bodies, colliders and frames."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.assets.common.matching import (
    aligned,
    end_of,
    first_environment,
    instance_paths,
    matching_prims,
    name_pattern,
    relative_names,
)
from usdsim.assets.participation import Simulation
from usdsim.core.errors import StageError, meant
from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.math.transforms import Pose
from usdsim.parser.description import (
    WORLD,
    GeomDescription,
    SceneDescription,
    SiteDescription,
)
from usdsim.parser.element import is_below
from usdsim.usd.queries import find_prims
from usdsim.usd.xforms import relative_pose, world_pose

__all__ = ["Bodies", "MatchedFrames", "find_bodies", "find_frames", "find_geoms", "group_bodies"]

_PLAIN = re.compile(r"\w+")


@dataclass(frozen=True)
class Bodies:
    """Bodies of the instances of a sensor in one world."""

    paths: tuple[tuple[str, ...], ...]
    """Prim paths, a row per match; all rows have the same names in the same order."""
    names: tuple[str, ...]
    """Names that tell the bodies of one match from each other."""


def group_bodies(
    scene: SceneDescription, expression: str, env_paths: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Bodies that an expression matches, by the prim that its part before the last matches.

    The last part matches names of prims directly below: bodies, or prims that hold bodies, which
    all count then. If it is a pattern rather than a plain name, or matches nothing there, names of
    bodies count at any depth, so that it does not matter whether links are nested.

    Args:
        scene: the first environment and what is outside environments.
        expression: see `usdsim.assets.common.matching.first_environment`.
        env_paths: prim paths of the environments.

    Returns:
        Paths of bodies in the scene's order, by parent; empty if the expression matches none.

    Raises:
        StageError: the expression leaves out environments.
        InvalidValueError: a part is not a regular expression.
    """
    local = first_environment(expression, env_paths)
    head, _, last = local.rpartition("/")
    pattern = name_pattern(last, expression)
    parents = _parents(scene, head)
    paths = [body.path for body in scene.bodies]
    found: dict[str, tuple[str, ...]] = {}
    for parent in parents:
        prefix = parent + "/"
        inside = [path for path in paths if path.startswith(prefix)]
        chosen = _direct(inside, prefix, pattern)
        if not _PLAIN.fullmatch(last) or not chosen:
            chosen |= {path for path in inside if pattern.fullmatch(path.rpartition("/")[2])}
        if chosen:
            found[parent] = tuple(path for path in inside if path in chosen)
    return found


def find_bodies(
    what: str, scene: SceneDescription, expression: str, env_paths: Sequence[str]
) -> Bodies:
    """Bodies of a sensor's instances.

    Args:
        what: the sensor, for messages.
        scene: the first environment and what is outside environments.
        expression: see `group_bodies`.
        env_paths: prim paths of the environments.

    Raises:
        StageError: there are none, or matches have other bodies than each other.
    """
    groups = group_bodies(scene, expression, env_paths)
    if not groups:
        local = first_environment(expression, env_paths)
        head, _, last = local.rpartition("/")
        inside = [b.path for b in scene.bodies if b.path.startswith(f"{head}/")]
        known = [path.rpartition("/")[2] for path in inside]
        told = f"Bodies below {head}: {', '.join(known[:20])}. {meant(last, known)}".rstrip()
        raise StageError(
            f"{what}: {expression!r} matches no rigid body. Its last part is matched with names of "
            f"bodies. {told if known else end_of(scene, local)}"
        )
    rows = tuple(groups.values())
    names = [relative_names(row) for row in rows]
    return Bodies(rows, aligned("bodies", tuple(groups), names))


def find_geoms(
    scene: SceneDescription, expression: str, env_paths: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Shapes at or below the prims that an expression matches.

    Args:
        scene: the first environment and what is outside environments.
        expression: see `usdsim.assets.common.matching.first_environment`.
        env_paths: prim paths of the environments.

    Returns:
        Paths of shapes by prim, only of prims that have some.

    Raises:
        StageError: it matches no prim.
    """
    prims = matching_prims(scene, expression, env_paths)
    found = {prim: tuple(g.path for g in scene.geoms if g.is_below(prim)) for prim in prims}
    return {prim: paths for prim, paths in found.items() if paths}


def _parents(scene: SceneDescription, head: str) -> tuple[str, ...]:
    return _prims(scene, head) if head else ("",)


def _prims(scene: SceneDescription, local: str) -> tuple[str, ...]:
    """Prims of a scene that an expression in its own terms matches; none is no error."""
    try:
        return matching_prims(scene, local)
    except StageError:
        return ()


def _direct(inside: Iterable[str], prefix: str, pattern: re.Pattern[str]) -> set[str]:
    """Bodies directly below a prim whose names match, and those in prims that are no bodies."""
    paths = set(inside)
    chosen: set[str] = set()
    for path in paths:
        child = prefix + path[len(prefix) :].partition("/")[0]
        if pattern.fullmatch(child[len(prefix) :]) and (path == child or child not in paths):
            chosen.add(path)
    return chosen


@dataclass(frozen=True, eq=False)
class MatchedFrames:
    """Frames fixed to bodies or to the world: one per match of an expression and instance."""

    paths: tuple[str, ...]
    """Prim paths in one world, one per match."""
    bodies: NDArray[np.int32]
    """Engine bodies they are fixed to, 0: the world, shape (matches,)."""
    poses: NDArray[np.float64]
    """Poses in the bodies' frames (x, y, z, qx, qy, qz, qw) [m], shape (num_envs, matches, 7)."""

    def offset(self, pose: Pose) -> NDArray[np.float64]:
        """Poses of frames that lie at `pose` in these, shape (num_envs, matches, 7)."""
        moved = self.poses.copy()
        for index in np.ndindex(*self.poses.shape[:2]):
            own = Pose(self.poses[index][:3], self.poses[index][3:]) @ pose
            moved[index] = [*own.pos, *own.quat]
        return moved


def find_frames(what: str, simulation: Simulation, expression: str) -> MatchedFrames:
    """Frames that an expression matches: bodies, or prims fixed to bodies or to the world.

    Args:
        what: the sensor, for messages.
        simulation: the running simulation.
        expression: see `usdsim.assets.common.matching.first_environment`.

    Raises:
        StageError: it matches nothing.
    """
    compiled = simulation.engine.compiled
    paths = _frame_paths(what, simulation, compiled.scene, expression)
    bodies = np.zeros(len(paths), np.int32)
    poses = np.zeros((simulation.num_envs, len(paths), 7))
    for k, path in enumerate(paths):
        carrier = _carrier(compiled, path)
        if carrier == "":
            poses[:, k] = _static(simulation, compiled.scene, path)
            continue
        bodies[k] = compiled.names.index("body", carrier)
        pose = _within(simulation, compiled.scene, path, carrier)
        poses[:, k] = [*pose.pos, *pose.quat]
    return MatchedFrames(paths, bodies, poses)


def _frame_paths(
    what: str, simulation: Simulation, scene: SceneDescription, expression: str
) -> tuple[str, ...]:
    """Bodies if there are any; else whatever else matches."""
    groups = group_bodies(scene, expression, simulation.env_paths)
    local = first_environment(expression, simulation.env_paths)
    if groups:
        return tuple(
            path
            for parent, row in groups.items()
            for path in _carriers(what, scene, f"{parent}/{local.rpartition('/')[2]}", row)
        )
    known = _prims(scene, local)
    if not known and simulation.stage is not None:
        known = tuple(str(prim.GetPath()) for prim in find_prims(simulation.stage, local))
    if not known:
        raise StageError(
            f"{what}: {expression!r} matches no prim. Each part between slashes is a regular "
            f"expression for one name. {end_of(scene, local)}"
        )
    return known


def _carriers(
    what: str, scene: SceneDescription, prim: str, bodies: tuple[str, ...]
) -> tuple[str, ...]:
    """Bodies that carry a frame each; of a prim that is an articulation's root, its root body.

    Raises:
        StageError: the prim is no body but holds several, of which a frame can follow only one.
    """
    if len(bodies) == 1 or not all(is_below(path, prim) for path in bodies):
        return bodies
    for articulation in scene.articulations:
        if articulation.path == prim:
            return (scene.bodies[articulation.root].path,)
    names = ", ".join(path.rpartition("/")[2] for path in bodies[:20])
    raise StageError(
        f"{what}: {prim} is no rigid body but holds {len(bodies)}, and a frame follows one. "
        f"Name one of them: {names}."
    )


def _carrier(compiled: CompiledModel, path: str) -> str:
    """Path of the body a prim is fixed to; empty for the world."""
    element = _described(compiled.scene, path)
    if element is not None:
        return "" if element.body == WORLD else compiled.scene.bodies[element.body].path
    while path:
        if compiled.names.find("body", path) is not None:
            return path
        path = path.rpartition("/")[0]
    return ""


def _described(scene: SceneDescription, path: str) -> SiteDescription | GeomDescription | None:
    """The site or shape a prim is, if any."""
    elements: tuple[SiteDescription | GeomDescription, ...] = (*scene.sites, *scene.geoms)
    return next((element for element in elements if element.path == path), None)


def _within(simulation: Simulation, scene: SceneDescription, path: str, carrier: str) -> Pose:
    """Pose of a prim in the frame of the body it is fixed to [m]."""
    if path == carrier:
        return Pose()
    known = _described(scene, path)
    if known is not None:
        return known.pose
    stage = _stage(simulation, path)
    pose, _ = relative_pose(stage.GetPrimAtPath(path), stage.GetPrimAtPath(carrier))
    return Pose(pose.pos * scene.meters_per_unit, pose.quat)


def _static(simulation: Simulation, scene: SceneDescription, path: str) -> NDArray[np.float64]:
    """Poses in world of a prim that is not on any body, in each environment, (num_envs, 7)."""
    found = np.zeros((simulation.num_envs, 7))
    known = _described(scene, path)
    paths = instance_paths([path], simulation.env_paths, simulation.num_envs)
    for world, own in enumerate(paths):
        if own == path and known is not None:
            pose = known.pose
        else:
            stage = _stage(simulation, own)
            pose, _ = world_pose(stage.GetPrimAtPath(own), allow_shear=True)
            pose = scene.world_from_stage @ Pose(pose.pos * scene.meters_per_unit, pose.quat)
        found[world] = [*pose.pos, *pose.quat]
    return found


def _stage(simulation: Simulation, path: str) -> Any:
    stage = simulation.stage
    if stage is None or not stage.GetPrimAtPath(path):
        raise StageError(f"There is no prim at {path}, so its frame is unknown.")
    return stage
