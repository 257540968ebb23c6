"""Geoms and sites."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from usdsim.engine.compile.context import Build
from usdsim.engine.compile.mjc import apply_overrides
from usdsim.engine.compile.shapes.crowds import world_geoms
from usdsim.engine.surfaces.materials import surface
from usdsim.math.rotations import UNIT_LENGTH, quat_to_wxyz
from usdsim.parser.description import (
    ActuatorDescription,
    GenericDescription,
    GeomDescription,
    GeomKind,
    SiteDescription,
)

__all__ = [
    "GEOM_TYPES",
    "add_geoms",
    "add_sites",
    "describe_geoms",
    "keep_orientations",
    "kept_geoms",
]

GEOM_TYPES: dict[GeomKind, mujoco.mjtGeom] = {
    "plane": mujoco.mjtGeom.mjGEOM_PLANE,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "ellipsoid": mujoco.mjtGeom.mjGEOM_ELLIPSOID,
    "mesh": mujoco.mjtGeom.mjGEOM_MESH,
    "hfield": mujoco.mjtGeom.mjGEOM_HFIELD,
    "sdf": mujoco.mjtGeom.mjGEOM_SDF,
}
VISUAL_GROUP = 2
"""MuJoCo's convention for geoms that are only looked at."""

_DEEPEST = 1e5
"""Overlap that is deeper than any [m]."""


def kept_geoms(build: Build) -> list[int]:
    """Indices of the geoms the engine gets.

    Without `exact` those that can neither collide nor are referenced are left out. A range finder
    sees every geom, and a medium drags on those with an ellipsoid model: both keep all.
    """
    scene = build.scene
    if build.exact or any(_sees_geoms(element.overrides) for element in scene.elements):
        return list(range(len(scene.geoms)))
    users: tuple[GenericDescription | ActuatorDescription, ...]
    users = (*scene.elements, *scene.actuators)
    referenced = {path for element in users for paths in element.targets.values() for path in paths}
    return [
        i
        for i, geom in enumerate(scene.geoms)
        if geom.collides or geom.path in referenced or geom.overrides.get("fluid_ellipsoid")
    ]


def _sees_geoms(overrides: Any) -> bool:
    kind = str(overrides.get("type", "")).lower()
    return kind == str(int(mujoco.mjtSensor.mjSENS_RANGEFINDER)) or "rangefinder" in kind


def add_geoms(build: Build, kept: list[int]) -> None:
    """Add the geoms `kept` to their bodies, with nothing yet but what all geoms start from."""
    bodies = {index: build.scene.geoms[index].body for index in kept}
    of_world = world_geoms(build, sum(body < 0 for body in bodies.values()))
    for index, body in bodies.items():
        build.geoms[index] = next(of_world) if body < 0 else build.body(body).add_geom()


def describe_geoms(build: Build) -> None:
    """Give the geoms of the spec what the description has, once it has the meshes."""
    for index, element in build.geoms.items():
        _describe(build, index, element)


def _describe(build: Build, index: int, element: Any) -> None:
    geom = build.scene.geoms[index]
    element.name = build.name("geom", geom.path)
    element.type = GEOM_TYPES[geom.kind]
    element.pos, element.quat = geom.pose.pos, quat_to_wxyz(geom.pose.quat)
    if geom.kind == "hfield":
        element.hfieldname = build.lookup(str(geom.mesh), "hfield").name
    elif geom.mesh is not None:
        mesh = build.lookup(geom.mesh, "mesh")
        if build.partition is not None:
            build.partition.share(geom.body, mesh)
        element.meshname = mesh.name
    else:
        element.size = _size(geom)
    if geom.rgba is not None:
        element.rgba = geom.rgba
    if geom.rest_offset:
        element.margin = geom.rest_offset
    if geom.contact_gap is not None:
        element.gap = geom.contact_gap
    if geom.body >= 0 and not build.scene.bodies[geom.body].solves_contacts:
        # Found as before, but counted from a distance that no overlap reaches.
        element.margin, element.gap = -_DEEPEST, element.margin + element.gap + _DEEPEST
    if geom.collides:
        _set_surface(build, element, geom)
    else:
        element.group = VISUAL_GROUP
        if geom.friction is not None:
            element.friction = geom.friction
    apply_overrides(element, "geom", geom.overrides, build.names)
    if build.partition is not None:
        build.partition.keep_material(index, geom.body, element)
    if not geom.collides:
        element.contype = element.conaffinity = 0
    build.register("geom", geom.path, element)


def keep_orientations(build: Build, model: mujoco.MjModel) -> None:
    """Set the quaternions of geoms as stated, digit by digit.

    The engine scales what it is given to unit length, but not the products that it makes of
    quaternions for shapes fitted to meshes, from which a stage may come.
    """
    geoms = build.scene.geoms
    plain = [i for i in build.geoms if geoms[i].mesh is None]
    if not plain:
        return
    stated = quat_to_wxyz([geoms[i].pose.quat for i in plain])
    ids = np.array([build.geoms[i].id for i in plain])
    rounded = (np.abs(stated - model.geom_quat[ids]) < UNIT_LENGTH).all(axis=1)
    model.geom_quat[ids[rounded]] = stated[rounded]


def _size(geom: GeomDescription) -> np.ndarray:
    size = np.array(geom.size, dtype=np.float64)
    if geom.kind == "plane" and size[2] == 0.0:
        size[2] = 1.0  # spacing of the drawn grid; the engine wants it positive
    return size


def _set_surface(build: Build, element: Any, geom: GeomDescription) -> None:
    for name, value in surface(build, geom).items():
        setattr(element, name, value)


def add_sites(build: Build) -> None:
    """Add every site to its body."""
    for site in build.scene.sites:
        _add_site(build, site)


def _add_site(build: Build, site: SiteDescription) -> None:
    element = build.body(site.body).add_site(
        name=build.name("site", site.path),
        type=GEOM_TYPES[site.kind],
        pos=site.pose.pos,
        quat=quat_to_wxyz(site.pose.quat),
        size=site.size,
    )
    if site.rgba is not None:
        element.rgba = site.rgba
    if site.mesh is not None:
        element.meshname = build.lookup(site.mesh, "mesh").name
    apply_overrides(element, "site", site.overrides, build.names)
    build.register("site", site.path, element)
