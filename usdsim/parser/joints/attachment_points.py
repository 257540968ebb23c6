"""Attachment points of surface grippers: frames on bodies, where things will be held."""

from __future__ import annotations

import numpy as np

from usdsim.math.rotations import IDENTITY_QUAT
from usdsim.math.transforms import Pose
from usdsim.parser.context import ParseContext
from usdsim.parser.description import SiteDescription
from usdsim.parser.local_frames import in_bodies

from .authored import is_attachment_point

__all__ = ["parse_attachment_points"]


def parse_attachment_points(context: ParseContext) -> tuple[SiteDescription, ...]:
    """Sites at the ends of these joints that are on a body, in stage order.

    A surface gripper's points are joints whose other end is given when something is gripped, so
    they hold nothing before.
    """
    sites = []
    for view in context.views:
        if not is_attachment_point(view):
            continue
        view.read.update(view.names)
        for side in "01":
            targets = view.targets(f"physics:body{side}")
            prim = context.by_path.get(targets[0].pathString) if targets else None
            body = context.body_above(prim.path) if prim is not None else -1
            if prim is not None and body >= 0:
                pos = view.vector(f"physics:localPos{side}", np.zeros(3))
                turn = view.quat(f"physics:localRot{side}")
                places, turns = in_bodies(
                    context,
                    np.array([pos]),
                    np.array([IDENTITY_QUAT if turn is None else turn]),
                    np.array([prim.index]),
                    np.array([context.body_prims[body]]),
                )
                pose = Pose(places[0], turns[0])
                sites.append(SiteDescription(path=view.path, body=body, pose=pose))
                break
    return tuple(sites)
