"""Sensor expressions matched to frames, on bodies or in the world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.assets.common.matching import end_of, first_environment, instance_paths
from usdsim.assets.participation import Simulation
from usdsim.core.errors import StageError
from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.math.transforms import Pose, compose_poses
from usdsim.parser.description import (
    WORLD,
    GeomDescription,
    SceneDescription,
    SiteDescription,
)
from usdsim.parser.element import is_below
from usdsim.usd.queries import find_prims
from usdsim.usd.xforms import relative_pose, world_pose

from .bodies import group_bodies, prims_if_any

__all__ = ["MatchedFrames", "find_frames"]


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
        return compose_poses(self.poses, pose.row)


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
        poses[:, k] = _within(simulation, compiled.scene, path, carrier).row
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
    known = prims_if_any(scene, local)
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
        found[world] = pose.row
    return found


def _stage(simulation: Simulation, path: str) -> Any:
    stage = simulation.stage
    if stage is None or not stage.GetPrimAtPath(path):
        raise StageError(f"There is no prim at {path}, so its frame is unknown.")
    return stage
