"""Drawable scene: what a stage shows, as parts with poses that follow simulated worlds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import mujoco
import numpy as np
from numpy.typing import NDArray
from pxr import Usd

from usdsim.engine import compile_scene
from usdsim.math.meshes.primitives import BOX_CORNERS
from usdsim.math.rotations import (
    quat_from_matrix,
    quat_from_wxyz,
    quat_to_matrix,
    quat_to_wxyz,
)
from usdsim.math.transforms import Pose
from usdsim.parser import parse_stage
from usdsim.parser.description import (
    GenericDescription,
    GeomDescription,
    SceneDescription,
)
from usdsim.parser.element import path_of_prim
from usdsim.usd.queries import is_visible

from .annotations.marks import Marks
from .display_materials import with_display_materials
from .engine_reader import vertex_slices
from .parts import HIGHEST_GROUP, UNPAINTED, Parts, drawable_parts
from .soft_parts import SoftParts

__all__ = ["FADED", "DrawableScene"]

Array = NDArray[np.float64]

_FLOOR, _TILES, _FLOOR_LOOK, _SKY = (
    f"/usdsim_{name}" for name in ("floor", "tiles", "look", "sky")
)
_HIDDEN = 5
"""Group of geoms that are not drawn."""
_NEARBY = 2.5
"""Largest distance of static parts in the picture, in sizes of what moves."""
FADED = 0.35
"""Opacity of bodies around marks."""
_FLOOR_COLOUR = (0.62, 0.64, 0.67)
_TEXTURE_2D, _TEXTURE_SKY, _GRADIENT, _CHECKER = 0, 2, 1, 2


class DrawableScene:
    """Drawable scene: everything that is seen of a stage, and where it is.

    Args:
        stage: the stage.
        exclude: prims that are not shown, with all below them.
        floor: whether a stage without ground gets a neutral floor.
        colliders: whether what collides is shown instead of what is seen.

    Raises:
        ParseError: the stage is physically invalid, or has no physics.
        CompileError: the engine refuses the scene.

    Attributes:
        model: the engine's model.
        data: poses to draw.
        description: the scene that is drawn.
        bodies: those of `model` by prim path.
        parts: all that is shown of the stage itself.
        soft: those that are soft bodies, cables and tendons.
        vertices: of soft bodies among ``data.flexvert_xpos``, by prim path.
        marks: what is shown besides.
        faded: whether bodies are translucent.
        light: rows of `SUNLIGHT` that differ, shape (1, 3) each.
    """

    def __init__(
        self,
        stage: Usd.Stage,
        exclude: Iterable[str] = (),
        *,
        floor: bool = True,
        colliders: bool = False,
    ):
        scene = parse_stage(stage, exact=True, exclude=tuple(exclude)).scene
        dressed = _dressed(stage, scene, colliders)
        compiled = compile_scene(dressed, exact=True)
        self.description, self._names = scene, compiled.names
        self.model = compiled.mj
        self.data = mujoco.MjData(self.model)
        self.data.qpos[:] = compiled.initial.qpos
        mujoco.mj_kinematics(self.model, self.data)
        self.bodies = {b.path: compiled.names.index("body", b.path) for b in scene.bodies}
        self._floor = compiled.names.index("geom", _FLOOR)
        self._hide(stage, dressed.geoms[:-1], colliders)
        # The stage shows bodies where they are authored, also those that a joint will pull away.
        authored = {b.path: b.initial_pose_w for b in scene.bodies}
        poses = {path: p.row for path, p in authored.items()}
        mujoco.mj_flex(self.model, self.data)
        self.vertices = vertex_slices(compiled)
        self._place(poses | {body.path: body.points for body in scene.deformables})
        self._lay_floor(floor)
        names = {
            kind: [path or name for path, name in
                   zip(self._names.paths(kind), self._names.names(kind), strict=True)]
            for kind in ("geom", "flex", "tendon")
        }  # fmt: skip
        shown = self.model.geom_group <= HIGHEST_GROUP
        self._drawn = np.flatnonzero(shown)
        self.marks, self.faded = Marks.joined([]), False
        self.soft = SoftParts(self.model, names)
        self.parts = self.soft.added_to(drawable_parts(self.model, names["geom"], shown))
        self.light: Mapping[str, Array] = {}

    @property
    def points(self) -> Array:
        """Corners of the boxes around what is worth looking at, in world [m], shape (n, 3)."""
        corners = self._corners(self._chosen()).reshape(-1, 3)
        found = np.concatenate([corners, self.data.flexvert_xpos])
        return found if len(found) else BOX_CORNERS.copy()

    def camera(self, name: str) -> int:
        """Index of a camera by prim path or name.

        Raises:
            UnknownNameError: there is no such camera.
        """
        return self._names.index("camera", name)

    def body(self, name: str) -> int:
        """Index of a body by prim path or name.

        Raises:
            UnknownNameError: there is no such body.
        """
        return self._names.index("body", name)

    def body_path(self, index: int) -> str:
        """Prim path of a body by index; empty if it has none."""
        return next((path for path, own in self.bodies.items() if own == index), "")

    def move(self, poses: Mapping[str, Array]) -> None:
        """Place bodies.

        Args:
            poses: in world [m, xyzw], shape (7,), by prim path; of deformable bodies, positions of
                their vertices [m], shape (n, 3). Others stay where they are.
        """
        self._place(poses)
        floor, lowest = self.data.geom_xpos[self._floor], self.points[:, 2].min()
        if lowest < floor[2]:
            self.model.geom_pos[self._floor, 2] = floor[2] = lowest

    def _place(self, poses: Mapping[str, Array]) -> None:
        data = self.data
        for path in self.vertices.keys() & poses.keys():
            data.flexvert_xpos[self.vertices[path]] = poses[path]
        moved = [path for path in poses if path in self.bodies and path not in self.vertices]
        if moved:
            bodies = [self.bodies[path] for path in moved]
            rows = np.array([poses[path] for path in moved])
            data.xpos[bodies], data.xquat[bodies] = rows[:, :3], quat_to_wxyz(rows[:, 3:])
            data.xmat[bodies] = quat_to_matrix(rows[:, 3:]).reshape(-1, 9)
        self._place_attached()

    def _place_attached(self) -> None:
        """Place what hangs on bodies where they are, without asking joints."""
        model, data = self.model, self.data
        turns = data.xmat.reshape(-1, 3, 3)
        for kind in ("geom", "site"):
            body = getattr(model, f"{kind}_bodyid")
            local = quat_to_matrix(quat_from_wxyz(getattr(model, f"{kind}_quat")))
            offset = getattr(model, f"{kind}_pos")
            pos = data.xpos[body] + np.einsum("nij,nj->ni", turns[body], offset)
            getattr(data, f"{kind}_xpos")[:] = pos
            getattr(data, f"{kind}_xmat")[:] = (turns[body] @ local).reshape(-1, 9)
        data.xipos[:] = data.xpos + np.einsum("nij,nj->ni", turns, model.body_ipos)
        own = quat_to_matrix(quat_from_wxyz(model.body_iquat))
        data.ximat[:] = (turns @ own).reshape(-1, 9)
        body = model.jnt_bodyid
        data.xanchor[:] = data.xpos[body] + np.einsum("nij,nj->ni", turns[body], model.jnt_pos)
        data.xaxis[:] = np.einsum("nij,nj->ni", turns[body], model.jnt_axis)
        mujoco.mj_comPos(model, data)
        mujoco.mj_camlight(model, data)
        mujoco.mj_tendon(model, data)

    def dress(self, parts: Parts, light: Mapping[str, Array]) -> None:
        """Set looks, sizes and light of parts; OpenGL draws colours and sizes alone."""
        known, self.parts, self.light = self.parts, parts, light
        count = len(self._drawn)
        changed = self._drawn[(parts.rgba != known.rgba).any(axis=1)[:count]]
        self.model.geom_rgba[changed] = parts.rgba[:count][np.isin(self._drawn, changed)]
        whole = self._drawn[parts.mesh[:count] < 0]
        self.model.geom_size[whole] = parts.size[:count][parts.mesh[:count] < 0]

    # -- where parts are -----------------------------------------------------------------------

    @property
    def opacity(self) -> NDArray[np.float64]:
        """Factors on the opacity of parts: what moves lets marks inside it be seen, shape (S,)."""
        moving = self.parts.frame > 0
        return np.where(moving & self.faded, FADED, 1.0)

    def body_pose(self, path: str) -> Pose | None:
        """Pose of a body in world by its prim path; None: it is not drawn."""
        body, data = self.bodies.get(path), self.data
        if body is None:
            return None
        return Pose(data.xpos[body].copy(), quat_from_wxyz(data.xquat[body]))

    def poses(self) -> tuple[Array, Array, Array]:
        """Positions of all parts in world [m], orientations xyzw and sizes, a row per part."""
        parts = self.parts
        count = len(self._drawn)
        pos, size = np.zeros((len(parts.kind), 3)), parts.size.copy()
        quat = np.zeros((len(parts.kind), 4))
        quat[:, 3] = 1.0
        pos[:count] = self.data.geom_xpos[self._drawn]
        quat[:count] = quat_from_matrix(self.data.geom_xmat[self._drawn].reshape(-1, 3, 3))
        capsules = self.soft.capsules(self.data)
        if capsules is not None:
            rows = capsules[0]
            pos[rows], quat[rows], size[rows] = capsules[1:]
        return pos, quat, size

    @property
    def strings(self) -> slice:
        """Parts that are pieces of cables and tendons, whose sizes change."""
        capsules = self.soft.capsules(self.data)
        return slice(0, 0) if capsules is None else capsules[0]

    def string_marks(self) -> Marks:
        """Cables and tendons as marks, for those who draw meshes that keep their shapes."""
        rows = self.strings
        if not rows.stop:
            return Marks.joined([])
        pos, quat, size = (values[rows] for values in self.poses())
        seen = size[:, 0] > 0.0
        kind, rgba = self.parts.kind[rows], self.parts.rgba[rows]
        return Marks(kind[seen], pos[seen], quat[seen], size[seen], rgba[seen])

    def soft_points(self) -> list[tuple[int, Array]]:
        """Meshes of the parts that are soft, and their vertices in world [m], shape (n, 3)."""
        return list(self.soft.meshes(self.data))

    # -- what is drawn -------------------------------------------------------------------------

    def _hide(self, stage: Usd.Stage, geoms: Sequence[GeomDescription], colliders: bool) -> None:
        """Hide guides, proxies and what is invisible; show the rest, as other viewers do."""
        group = self.model.geom_group
        for geom in geoms:
            index = self._names.index("geom", geom.path)
            seen = geom.purpose in ("default", "render") and group[index] <= HIGHEST_GROUP
            seen = geom.collides if colliders else seen and _visible(stage, geom.path)
            group[index] = 0 if seen else _HIDDEN

    def _lay_floor(self, wanted: bool) -> None:
        """Put the floor below everything, or away if there is ground."""
        model, points = self.model, self.points
        size = float(np.linalg.norm(np.ptp(points, axis=0))) or 1.0
        shown = self._shown()
        types = model.geom_type[shown]
        ground = (types == mujoco.mjtGeom.mjGEOM_PLANE) | (types == mujoco.mjtGeom.mjGEOM_HFIELD)
        covered = ground.any() or (shown & ~self._chosen()).any()
        model.geom_group[self._floor] = _HIDDEN if covered or not wanted else 0
        model.geom_pos[self._floor, 2] = points[:, 2].min()
        look = self._names.index("material", _FLOOR_LOOK)
        for plane in np.flatnonzero(model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE):
            material = model.geom_matid[plane]
            if material >= 0 and (model.mat_texid[material] >= 0).any():
                continue
            if material >= 0 and np.allclose(model.geom_rgba[plane], UNPAINTED):
                model.geom_rgba[plane] = model.mat_rgba[material]
            if not model.geom_rgba[plane, :3].any():
                # Black, such as grounds spawned without choosing a colour, would hide all shadows.
                model.geom_rgba[plane, :3] = _FLOOR_COLOUR
            if np.allclose(model.geom_rgba[plane], UNPAINTED):
                # For exactly this grey, the engine would take the look's white.
                model.geom_rgba[plane, :3] -= 1e-3
            model.geom_matid[plane] = look
        model.mat_texrepeat[look] = 1.0 / _tile(size)
        self._place_attached()

    def _shown(self) -> NDArray[np.bool_]:
        shown = self.model.geom_group <= HIGHEST_GROUP
        shown[self._floor] = False
        return shown

    def _chosen(self) -> NDArray[np.bool_]:
        """Geoms that a picture is about: what moves and is near it, without endless planes."""
        model, data = self.model, self.data
        finite = self._shown() & (model.geom_type != mujoco.mjtGeom.mjGEOM_PLANE)
        bodies = np.arange(model.nbody)
        moving = (model.body_weldid[bodies] != 0) | (model.body_mocapid[bodies] >= 0)
        alive = finite & moving[model.body_weldid[model.geom_bodyid]]
        alive |= finite & moving[model.geom_bodyid]
        corners = np.concatenate([self._corners(alive).reshape(-1, 3), data.flexvert_xpos])
        if not len(corners):
            return finite
        low, high = corners.min(axis=0), corners.max(axis=0)
        reach = _NEARBY * np.linalg.norm(high - low)
        distance = np.linalg.norm(self._corners(finite) - (low + high) / 2.0, axis=-1).max(axis=-1)
        chosen = alive.copy()
        chosen[finite] |= distance < reach
        return chosen

    def _corners(self, geoms: NDArray[np.bool_]) -> Array:
        """Corners of the geoms' boxes in world [m], shape (n, 8, 3)."""
        model, data = self.model, self.data
        centre, half = model.geom_aabb[geoms, :3], model.geom_aabb[geoms, 3:]
        local = centre[:, None] + half[:, None] * BOX_CORNERS[None]
        turns = data.geom_xmat[geoms].reshape(-1, 3, 3)
        return data.geom_xpos[geoms][:, None] + np.einsum("nij,nkj->nki", turns, local)


def _tile(size: float) -> float:
    """Edge of a floor tile [m] for a picture of this extent: 1, 2 or 5 times a power of ten."""
    wanted = size / 6.0
    power = 10.0 ** np.floor(np.log10(wanted))
    return float(power * max(step for step in (1.0, 2.0, 5.0) if step * power <= wanted))


def _visible(stage: Usd.Stage, path: str) -> bool:
    prim = stage.GetPrimAtPath(path_of_prim(path))
    return not prim or is_visible(prim)


def _dressed(stage: Usd.Stage, scene: SceneDescription, colliders: bool) -> SceneDescription:
    """The scene with the looks of display materials, a sky if it has none, and last a floor."""
    scene = with_display_materials(stage, scene, colliders=colliders)
    elements = (*scene.elements, *_FLOOR_ELEMENTS)
    skies = [e for e in scene.elements if e.kind == "texture"]
    if not any(int(e.overrides.get("type", 0)) == _TEXTURE_SKY for e in skies):
        elements = (*elements, _SKY_ELEMENT)
    return replace(scene, geoms=(*scene.geoms, _FLOOR_GEOM), elements=elements)


_FLOOR_GEOM = GeomDescription(
    path=_FLOOR,
    body=-1,
    kind="plane",
    collides=False,
    rgba=np.array([*_FLOOR_COLOUR, 1.0]),
)
_FLOOR_ELEMENTS = (
    GenericDescription(
        path=_TILES,
        kind="texture",
        overrides={
            "type": _TEXTURE_2D,
            "builtin": _CHECKER,
            "rgb1": np.array([1.0, 1.0, 1.0]),
            "rgb2": np.array([0.9, 0.9, 0.9]),
            "width": 256,
            "height": 256,
        },
    ),
    GenericDescription(
        path=_FLOOR_LOOK,
        kind="material",
        overrides={"texuniform": True, "specular": 0.2},
        targets={"textures:rgb": (_TILES,)},
    ),
)
_SKY_ELEMENT = GenericDescription(
    path=_SKY,
    kind="texture",
    overrides={
        "type": _TEXTURE_SKY,
        "builtin": _GRADIENT,
        "rgb1": np.array([0.62, 0.72, 0.84]),
        "rgb2": np.array([0.93, 0.94, 0.95]),
        "width": 256,
        "height": 1536,
    },
)
