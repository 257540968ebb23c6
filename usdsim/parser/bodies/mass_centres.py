"""Centres of mass of loose bodies, which joints put elsewhere than they are authored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from usdsim.math.transforms import Pose
from usdsim.parser.description import SceneDescription

__all__ = ["keep_mass_centres"]


def keep_mass_centres(scene: SceneDescription, moved: Mapping[int, Pose]) -> SceneDescription:
    """Scene whose loose trees start with their centres of mass where their bodies are authored.

    A joint pulls at both of its bodies, so that is where they meet, as in PhysX. Trees count from
    their first body, which stays where it is authored if it stands, or if an articulation has it,
    as there; and on stages with solver settings of MuJoCo, which start as its engine would.

    Args:
        scene: with bodies as authored, parents before children.
        moved: poses in their parents of bodies that joints have put elsewhere.
    """
    if not moved or scene.options:
        return scene
    based = {body for one in scene.articulations for body in one.bodies}
    placed: list[Pose] = []
    top: list[int] = []
    for index, body in enumerate(scene.bodies):
        pose, above = body.initial_pose_w, body.parent
        top.append(index if above < 0 else top[above])
        if above >= 0:
            own = scene.bodies[above].initial_pose_w.inverse() @ pose
            pose = placed[above] @ moved.get(index, own)
        placed.append(pose)
    bodies = list(scene.bodies)
    for root in {top[index] for index in moved} - based:
        first = scene.bodies[root]
        if first.joints or first.fixed or first.kinematic:
            continue
        tree = [index for index in range(len(bodies)) if top[index] == root]
        away = [
            body.mass * ((body.initial_pose_w @ Pose(body.com)).pos - (at @ Pose(body.com)).pos)
            for body, at in ((scene.bodies[index], placed[index]) for index in tree)
        ]
        shift = np.sum(away, axis=0) / max(sum(scene.bodies[index].mass for index in tree), 1e-300)
        for index in tree:
            pose = bodies[index].initial_pose_w
            bodies[index] = replace(bodies[index], initial_pose_w=Pose(pose.pos + shift, pose.quat))
    return replace(scene, bodies=tuple(bodies))
