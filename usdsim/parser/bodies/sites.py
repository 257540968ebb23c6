"""Sites: named frames on bodies."""

from __future__ import annotations

import numpy as np

from usdsim.math.rotations import quat_multiply
from usdsim.math.transforms import Pose
from usdsim.parser.context import ParseContext
from usdsim.parser.description import GeomKind, SiteDescription
from usdsim.parser.mjc import MujocoReader, is_site, mesh_of
from usdsim.parser.overrides import overrides_of
from usdsim.parser.prims import PrimView
from usdsim.parser.shapes.geoms import settled_colour
from usdsim.parser.shapes.gprims import AXIS_QUATS, read_solid
from usdsim.parser.shapes.sizes import exact_size
from usdsim.parser.signs import with_sign

__all__ = ["is_site_view", "parse_sites"]


def is_site_view(view: PrimView) -> bool:
    """Whether a prim is a site."""
    return is_site(view) or "NewtonSiteAPI" in view.apis


def parse_sites(
    context: ParseContext, reader: MujocoReader, views: list[PrimView]
) -> tuple[SiteDescription, ...]:
    """Sites in stage order; prims without a shape are small spheres."""
    if not views:
        return ()
    bodies = [context.body_above(view.path) for view in views]
    prims = [context.body_prims[body] if body >= 0 else -1 for body in bodies]
    places = context.frames.relative([view.index for view in views], prims)
    sites = []
    for i, (view, body) in enumerate(zip(views, bodies, strict=True)):
        pose = places.pose(i)
        kind: GeomKind = "sphere"
        size = np.full(3, 0.005)
        solid = read_solid(view)
        scaled = None if solid is None else solid.scaled(places.scale[i])
        if solid is not None and scaled is not None:
            kind, size, _ = scaled
            if solid.axis != "Z":
                pose = Pose(pose.pos, quat_multiply(pose.quat, AXIS_QUATS[solid.axis]))
        mesh = mesh_of(view)
        overrides = dict(overrides_of(reader, view, "site"))
        sites.append(
            SiteDescription(
                path=view.path,
                name=view.source_name,
                overrides=overrides,
                body=body,
                pose=with_sign(view, pose),
                kind="mesh" if mesh else kind,
                size=exact_size(context, view, "mesh" if mesh else kind, size),
                mesh=mesh,
                rgba=settled_colour(context, view, overrides),
            )
        )
    return tuple(sites)
