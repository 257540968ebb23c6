"""Model structure: the elements of a compiled model, by name and by index."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.engine import CompiledModel
from usdsim.parser.shapes.visuals import VisualShape
from usdsim.scene.cameras.camera import Camera
from usdsim.scene.elements.actuator import Actuator
from usdsim.scene.elements.actuator_kinds import actuator_class
from usdsim.scene.elements.body import Body
from usdsim.scene.elements.floating_base import FloatingBase
from usdsim.scene.elements.geom import Geom
from usdsim.scene.elements.geom_kinds import GEOM_CLASSES
from usdsim.scene.elements.hfield import HField
from usdsim.scene.elements.joint import Joint
from usdsim.scene.elements.keyframe import Keyframe
from usdsim.scene.elements.link import Link
from usdsim.scene.elements.mocap import Mocap
from usdsim.scene.elements.shape import Shape
from usdsim.scene.elements.shape_overrides import mesh_variant_sets
from usdsim.scene.elements.site import Site
from usdsim.scene.elements.tendon import Tendon
from usdsim.scene.elements.visual_geom import VisualGeom
from usdsim.scene.sensors.sensor import Sensor

from .catalog import Catalog
from .geom_numbers import number_geoms

__all__ = ["Structure"]

_FREE = int(mujoco.mjtJoint.mjJNT_FREE)


class Structure:
    """Catalogs of a compiled model's elements.

    Args:
        model: the `SceneModel` the elements belong to.
        compiled: the compiled model.
        where: what messages call the model.
        visuals: shapes that are only looked at, which it does not hold.
    """

    def __init__(
        self, model: Any, compiled: CompiledModel, where: str, visuals: Sequence[VisualShape] = ()
    ):
        self._model, self._compiled, self._where = model, compiled, where
        low = compiled.mj
        free = low.jnt_type == _FREE
        # Vertices of deformable bodies come last; their slides are no joints.
        rigid = low.jnt_bodyid < compiled.num_bodies
        # Engine ids of each kind, in the order of the public lists.
        self.link_ids = compiled.body_ids
        self.body_ids = self.link_ids[low.body_parentid[self.link_ids] == 0]
        self.joint_ids = np.flatnonzero(~free & rigid)
        self.base_ids = np.flatnonzero(free)
        mocap_bodies = self.link_ids[low.body_mocapid[self.link_ids] >= 0]
        self.mocap_bodies = mocap_bodies[np.argsort(low.body_mocapid[mocap_bodies])]
        self.links: Catalog[Link] = self._catalog("link", "body", self.link_ids, Link)
        self.bodies: Catalog[Body] = self._catalog("body", "body", self.body_ids, Body)
        self.joints: Catalog[Joint] = self._catalog("joint", "joint", self.joint_ids, Joint)
        self.bases: Catalog[FloatingBase] = self._catalog(
            "floating base", "body", low.jnt_bodyid[self.base_ids], FloatingBase, self.base_ids
        )
        numbering = number_geoms(compiled, visuals)
        self.geom_ids, self.geom_bodies = numbering.ids, numbering.bodies
        self.geom_index = numbering.index
        self.geoms: Catalog[Geom] = Catalog("geom", numbering.paths, numbering.sources, where)
        self.geoms.items += [self._geom(i, int(e)) for i, e in enumerate(self.geom_ids)]
        # The engine's own sites, at the ends of joints that close loops, have no path.
        self.site_ids = np.flatnonzero([bool(path) for path in compiled.names.paths("site")])
        self.sites: Catalog[Site] = self._catalog("site", "site", self.site_ids, Site)
        self.actuators: Catalog[Actuator] = self._catalog(
            "actuator",
            "actuator",
            np.arange(low.nactuator),
            lambda m, i, e: actuator_class(low, e)(m, i, e),
        )
        self.keyframes: Catalog[Keyframe] = self._catalog(
            "keyframe", "key", np.arange(low.nkey), Keyframe
        )
        self.hfields: Catalog[HField] = self._catalog(
            "hfield", "hfield", np.arange(low.nhfield), HField
        )
        self.mocaps: Catalog[Mocap] = self._catalog(
            "mocap", "body", self.mocap_bodies, Mocap, np.arange(len(mocap_bodies))
        )
        self.sensors: Catalog[Sensor] = self._catalog(
            "sensor", "sensor", np.arange(compiled.num_sensors), Sensor
        )
        # Those that limit cones are a way to calculate, and nobody's tendons.
        self.tendon_ids = np.setdiff1d(np.arange(low.ntendon), compiled.cones.tendons)
        self.tendons: Catalog[Tendon] = self._catalog("tendon", "tendon", self.tendon_ids, Tendon)
        self.cameras: Catalog[Camera] = self._catalog(
            "camera", "camera", np.arange(low.ncam), Camera
        )
        self.by_kind: dict[str, Catalog[Any]] = {
            catalog.kind: catalog for catalog in vars(self).values() if isinstance(catalog, Catalog)
        }

    @cached_property
    def body_of_root(self) -> dict[int, int]:
        """Index of the body with a given base link, by engine id."""
        return {int(body): index for index, body in enumerate(self.body_ids)}

    @cached_property
    def joints_of_body(self) -> list[list[int]]:
        """Indices of the joints of each engine body."""
        found: list[list[int]] = [[] for _ in range(self._compiled.mj.nbody)]
        for index, joint in enumerate(self.joint_ids):
            found[int(self._compiled.mj.jnt_bodyid[joint])].append(index)
        return found

    @cached_property
    def link_of(self) -> list[int]:
        """Index of the link that each engine body is, moves as one with or hangs on; -1: none."""
        low, stand_ins = self._compiled.mj, self._compiled.stand_ins
        found = np.full(low.nbody, -1)
        found[self.link_ids] = np.arange(len(self.link_ids))
        others = np.setdiff1d(np.arange(1, self._compiled.num_bodies), self.link_ids)
        for body in others:
            stand_in = stand_ins.get(int(body))
            found[body] = found[low.body_parentid[body] if stand_in is None else stand_in.body]
        return [int(index) for index in found]

    @cached_property
    def variants(self) -> dict[int, tuple[str, list[int]]]:
        """Name and meshes of the set of mesh variants of engine geoms that have one."""
        names = self._compiled.names
        words = [
            name or path
            for name, path in zip(names.names("tuple"), names.paths("tuple"), strict=True)
        ]
        found = zip(words, mesh_variant_sets(self._compiled.mj), strict=True)
        return {geom: (name, meshes) for name, (meshes, geoms) in found for geom in geoms}

    @cached_property
    def variant_names(self) -> dict[str, list[str]]:
        """Names of the meshes of each set of variants."""
        names, paths = self._compiled.names.names("mesh"), self._compiled.names.paths("mesh")
        return {
            name: [names[mesh] or paths[mesh] for mesh in meshes]
            for name, meshes in self.variants.values()
        }

    @cached_property
    def geoms_of_body(self) -> list[list[int]]:
        """Indices of the geoms of each engine body."""
        found: list[list[int]] = [[] for _ in range(self._compiled.mj.nbody)]
        for index, body in enumerate(self.geom_bodies):
            found[int(body)].append(index)
        return found

    def _geom(self, index: int, geom: int) -> Geom:
        if geom < 0:
            return VisualGeom(self._model, index, geom)
        return GEOM_CLASSES[Shape.of_geom(self._compiled.mj, geom)](self._model, index, geom)

    def _catalog(
        self,
        kind: str,
        table: str,
        rows: NDArray[Any],
        make: Any,
        ids: Sequence[int] | NDArray[Any] | None = None,
    ) -> Catalog[Any]:
        """Catalog over rows of an engine name table; `ids` are engine ids where they differ."""
        paths, names = self._compiled.names.paths(table), self._compiled.names.names(table)
        # The engine names what no source file named by its path.
        sources = [None if names[r] == paths[r] else names[r] for r in rows]
        catalog: Catalog[Any] = Catalog(kind, [paths[r] for r in rows], sources, self._where)
        for index, engine_id in enumerate(rows if ids is None else ids):
            catalog.items.append(make(self._model, index, int(engine_id)))
        return catalog

    def root_of(self, body: int) -> int:
        """Engine id of the base link of an engine body's tree."""
        return int(self._compiled.mj.body_rootid[body])
