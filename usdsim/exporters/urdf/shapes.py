"""Shapes of links: geometry, mesh files, and materials that each stand once in the document."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.core.dialects.mjc_arrays import face_rows, texture_pixels, vertex_rows
from usdsim.core.png import encode_png
from usdsim.engine.colliding import colliding
from usdsim.math.meshes.primitives import sphere
from usdsim.math.rotations import quat_from_wxyz
from usdsim.math.transforms import Pose

from .elements import Names, add_origin, number, numbers
from .robot import Robot

__all__ = ["UrdfShapes"]

_BALL = "unit_sphere.obj"
_RGB = int(mujoco.mjtTextureRole.mjTEXROLE_RGB)
_FLAT = int(mujoco.mjtTexture.mjTEXTURE_2D)
_UNPAINTED = (0.5, 0.5, 0.5, 1.0)
"""Colour of a geom that nobody gave one."""


class UrdfShapes:
    """Writes visuals and collisions, and collects the files they refer to.

    Args:
        robot: the robot.

    Attributes:
        files: contents by file name.
        materials: ``<material>`` elements for the top of the document.
    """

    def __init__(self, robot: Robot):
        self.files: dict[str, bytes] = {}
        self.materials: list[ET.Element] = []
        self._robot = robot
        self._descriptions = {geom.path: geom for geom in robot.compiled.scene.geoms}
        self._stored: dict[tuple[str, int], str] = {}
        self._colours: dict[tuple[float | int | str, ...], str] = {}
        self._material_names = Names()
        self._write: dict[int, Callable[[ET.Element, int], None]] = {
            int(mujoco.mjtGeom.mjGEOM_BOX): self._box,
            int(mujoco.mjtGeom.mjGEOM_SPHERE): self._sphere,
            int(mujoco.mjtGeom.mjGEOM_CYLINDER): self._round,
            int(mujoco.mjtGeom.mjGEOM_CAPSULE): self._round,
            int(mujoco.mjtGeom.mjGEOM_ELLIPSOID): self._ellipsoid,
            int(mujoco.mjtGeom.mjGEOM_MESH): self._mesh,
            int(mujoco.mjtGeom.mjGEOM_SDF): self._mesh,
        }

    def add(self, link: ET.Element, body: int) -> None:
        """Add the shapes of an engine body to its link."""
        model = self._robot.model
        masked = colliding(model)
        start, count = int(model.body_geomadr[body]), int(model.body_geomnum[body])
        for geom in range(start, start + count):
            path = self._robot.path("geom", geom)
            described = self._descriptions.get(path)
            if int(model.geom_type[geom]) not in self._write:
                what = "a plane or height field, which a link cannot have; left out"
                self._robot.warn("shape", path, what)
                continue
            collides = described.collides if described is not None else bool(masked[geom])
            hidden = described is not None and described.purpose in ("guide", "proxy")
            if not (hidden and collides):
                self._material(self._shape(link, "visual", geom), geom)
            if collides:
                self._shape(link, "collision", geom)

    def _shape(self, link: ET.Element, tag: str, geom: int) -> ET.Element:
        model = self._robot.model
        name = self._robot.compiled.names.names("geom")[geom].rpartition("/")[2]
        shape = ET.SubElement(link, tag, {"name": name} if name else {})
        pose = Pose(model.geom_pos[geom].copy(), quat_from_wxyz(model.geom_quat[geom]))
        add_origin(shape, pose)
        self._write[int(model.geom_type[geom])](ET.SubElement(shape, "geometry"), geom)
        self._robot.report.count(tag)
        return shape

    def _box(self, geometry: ET.Element, geom: int) -> None:
        size = numbers(2.0 * self._robot.model.geom_size[geom])
        ET.SubElement(geometry, "box", {"size": size})

    def _sphere(self, geometry: ET.Element, geom: int) -> None:
        radius = number(self._robot.model.geom_size[geom, 0])
        ET.SubElement(geometry, "sphere", {"radius": radius})

    def _round(self, geometry: ET.Element, geom: int) -> None:
        model = self._robot.model
        radius, half = model.geom_size[geom, :2].tolist()
        capsule = int(model.geom_type[geom]) == int(mujoco.mjtGeom.mjGEOM_CAPSULE)
        values = {"radius": number(radius), "length": number(2.0 * half)}
        ET.SubElement(geometry, "capsule" if capsule else "cylinder", values)

    def _ellipsoid(self, geometry: ET.Element, geom: int) -> None:
        """The format has none: a scaled ball of triangles, and what Drake calls the shape."""
        if _BALL not in self.files:
            points, faces = sphere(1.0)
            self.files[_BALL] = _wavefront(points.astype(np.float32), faces)
        radii = self._robot.model.geom_size[geom]
        ET.SubElement(geometry, "mesh", {"filename": _BALL, "scale": numbers(radii)})
        ET.SubElement(
            geometry, "drake:ellipsoid", dict(zip("abc", map(number, radii), strict=True))
        )
        what = "an ellipsoid; a mesh for all but Drake and usdsim"
        self._robot.report.info("ellipsoid", self._robot.path("geom", geom), what)

    def _mesh(self, geometry: ET.Element, geom: int) -> None:
        mesh = int(self._robot.model.geom_dataid[geom])
        key = ("mesh", mesh)
        if key not in self._stored:
            name = self._robot.compiled.names.names("mesh")[mesh] or f"mesh_{mesh}"
            self._stored[key] = self._take(name, ".obj", _engine_mesh(self._robot.model, mesh))
        ET.SubElement(geometry, "mesh", {"filename": self._stored[key]})

    def _take(self, name: str, suffix: str, data: bytes) -> str:
        stem = re.sub(r"[^\w.-]+", "_", name.rpartition("/")[2]).removesuffix(suffix) or "mesh"
        taken = {file.lower() for file in self.files}
        count, file = 0, f"{stem}{suffix}"
        while file.lower() in taken:
            count += 1
            file = f"{stem}_{count}{suffix}"
        self.files[file] = data
        return file

    def _material(self, shape: ET.Element, geom: int) -> None:
        """Refer to a material with a shape's colour and picture, defined on its first use."""
        model = self._robot.model
        material = int(model.geom_matid[geom])
        rgba = model.geom_rgba[geom].tolist()
        texture = -1
        name = ""
        if material >= 0:
            name = self._robot.compiled.names.names("material")[material]
            rgba = model.mat_rgba[material].tolist() if tuple(rgba) == _UNPAINTED else rgba
            texture = int(model.mat_texid[material, _RGB])
            texture = texture if texture >= 0 and int(model.tex_type[texture]) == _FLAT else -1
        described = self._descriptions.get(self._robot.path("geom", geom))
        if material < 0 and described is not None and described.rgba is not None:
            rgba = described.rgba.tolist()
        rgba = [round(value, 7) for value in rgba]
        key = (*rgba, texture, name)
        if key not in self._colours:
            self._colours[key] = self._material_names.take(name or "colour")
            element = ET.Element("material", {"name": self._colours[key]})
            ET.SubElement(element, "color", {"rgba": numbers(rgba)})
            if texture >= 0:
                file = self._picture(texture)
                ET.SubElement(element, "texture", {"filename": file})
            self.materials.append(element)
        ET.SubElement(shape, "material", {"name": self._colours[key]})

    def _picture(self, texture: int) -> str:
        key = ("texture", texture)
        if key not in self._stored:
            model = self._robot.model
            name = self._robot.compiled.names.names("texture")[texture] or f"texture_{texture}"
            picture = encode_png(texture_pixels(model, texture).astype(np.uint8))
            self._stored[key] = self._take(name, ".png", picture)
        return self._stored[key]


def _engine_mesh(model: mujoco.MjModel, mesh: int) -> bytes:
    """A mesh in the frame of its geoms, with where pictures lie on it."""
    triangles = face_rows(model, mesh)
    points, faces = model.mesh_vert[vertex_rows(model, mesh)], model.mesh_face[triangles]
    begin, size = int(model.mesh_texcoordadr[mesh]), int(model.mesh_texcoordnum[mesh])
    if begin < 0 or not size:
        return _wavefront(points, faces)
    uvs = model.mesh_texcoord[begin : begin + size]
    return _wavefront(points, faces, uvs, model.mesh_facetexcoord[triangles])


def _wavefront(
    points: NDArray[np.float32],
    faces: NDArray[np.int32],
    uvs: NDArray[np.float32] | None = None,
    corners: NDArray[np.int32] | None = None,
) -> bytes:
    """OBJ text with nine digits, which give every number of single precision back."""
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in points.tolist()]
    if uvs is None or corners is None:
        lines += [f"f {a} {b} {c}" for a, b, c in (faces + 1).tolist()]
    else:
        lines += [f"vt {u:.9g} {_from_below(v)}" for u, v in uvs.tolist()]
        both = np.stack([faces, corners], axis=-1).reshape(-1, 6) + 1
        lines += [f"f {a}/{i} {b}/{j} {c}/{k}" for a, i, b, j, c, k in both.tolist()]
    return ("\n".join(lines) + "\n").encode()


def _from_below(row: float) -> str:
    """Height in a picture, whose rows the engine counts from the top, so that it reads back."""
    text = f"{1.0 - row:.9g}"
    # Near the top nine digits of the one are few of the other.
    return text if np.float32(1.0 - float(text)) == np.float32(row) else repr(1.0 - row)
