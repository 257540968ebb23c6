"""Playback page: a recording as one HTML file that plays offline."""

from __future__ import annotations

import os
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from usdsim.core.arguments import number
from usdsim.core.errors import InvalidValueError, StageError
from usdsim.core.transaction import replace_file
from usdsim.math.rotations import quat_from_wxyz
from usdsim.render import Marks, ShownWorld, frame_points
from usdsim.render.framing import box_sphere
from usdsim.viewer.opening import roams

from .packing import Packing, packed_text
from .shapes import describe_parts

__all__ = ["Page"]

_HERE = Path(__file__).resolve().parent
_FPS = 30.0
_FOVY = 32.0
_SPHERE, _CAPSULE, _CYLINDER = 2, 3, 5
_STILL = 1e-7
"""Motion below which there is no track [m], of quaternions half of it."""


class Page:
    """Writes what it is shown, frame by frame, as a page with its own player.

    The page needs no network: the player and three.js, which is under the MIT licence, are in it.
    Use it in a ``with`` block, at whose end the file is complete; if the block is left by an
    exception, no file is written and an older one stays. A notebook shows a page that a cell ends
    with.

    Args:
        path: the ``.html`` file; its folder is made if there is none.
        source: a `Recording`, a `SceneModel`, a `SimulationContext`, a stage, or the path of one.
        data: of a `SceneModel` or stage, the worlds.
        world: index of the world, or of several environments.
        fps: frames per second; None: the recording's, else 30.
        guides: marks that are shown, names of `GUIDES`.
        triangles: of all meshes together, at most; more are decimated.

    Raises:
        InvalidValueError: `path` does not end with ``.html``, or `fps` or `triangles` is not
            positive.
        UnsupportedError: meshes are to be decimated and fast-simplification is not installed.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        source: Any,
        data: Any = None,
        *,
        world: int | Sequence[int] = 0,
        fps: float | None = None,
        guides: Sequence[str] = (),
        triangles: int = 300_000,
    ):
        self.path = Path(path)
        if self.path.suffix.lower() not in (".html", ".htm"):
            raise InvalidValueError("path", str(path), "a file that ends with .html")
        if fps is not None:
            number("fps", fps, most=1e4)
        number("triangles", triangles)
        self._shown = ShownWorld(source, data, world, guides=guides)
        recording = self._shown.recording
        self.fps = fps or (recording.fps if recording else _FPS)
        self._triangles = triangles
        self._poses: list[NDArray[np.float64]] = []
        self._strings: list[NDArray[np.float64]] = []
        self._soft: list[list[NDArray[np.float64]]] = []
        self._marks: list[Marks] = []
        self._looks: list[NDArray[np.float32]] = []

    @property
    def num_frames(self) -> int:
        """Number of frames so far."""
        return len(self._poses)

    def add(self) -> None:
        """Keep how things are now as the next frame."""
        self._shown.move()
        scene = self._shown.scene
        data, strings = scene.data, scene.strings
        if not self._poses:
            self._points = scene.points
        self._poses.append(np.concatenate([data.xpos, quat_from_wxyz(data.xquat)], axis=1))
        pos, quat, size = scene.poses()
        self._strings.append(np.concatenate([pos, quat, size], axis=1)[strings])
        self._soft.append([points for _, points in scene.soft_points()])
        self._marks.append(scene.marks)
        self._looks.append(
            np.concatenate([scene.parts.rgba, scene.parts.size], axis=1, dtype=np.float32)
        )

    def add_recording(self) -> None:
        """Keep all frames of the recording that is the source.

        Raises:
            StageError: the source is none.
        """
        recording = self._shown.recording
        if recording is None:
            raise StageError("The source of the page is no Recording: `add` frames one by one.")
        for time in np.arange(0.0, recording.duration + 0.5 / self.fps, 1.0 / self.fps):
            recording.seek(float(time))
            self.add()

    def html(self) -> str:
        """The page.

        Raises:
            StageError: there is no frame.
        """
        if not self._poses:
            raise StageError("The page has no frames: `add` some.")
        template = (_HERE / "page.html").read_text(encoding="utf-8")
        texts = {
            "TITLE": escape(self.path.stem),
            "LICENCE": (_HERE / "three" / "LICENSE").read_text(encoding="utf-8"),
            "THREE": _packed_file("three/three.module.min.js"),
            "CONTROLS": _packed_file("three/OrbitControls.js"),
            "DATA": self._packed(),
            "PLAYER": (_HERE / "player.js").read_text(encoding="utf-8"),
        }
        for name, text in texts.items():
            template = template.replace(f"@{name}@", text, 1)
        return template

    def _repr_html_(self) -> str:
        """The page in a notebook, where a cell ends with it."""
        return (
            f'<iframe srcdoc="{escape(self.html())}" width="100%" height="480" '
            'style="border: 0" allowfullscreen></iframe>'
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *raised: object) -> None:
        if kind is None:
            replace_file(self.path, self.html())

    # -- inside --------------------------------------------------------------------------------

    def _packed(self) -> str:
        scene, packing = self._shown.scene, Packing()
        poses = np.stack(self._poses)
        moving = np.abs(poses - poses[:1]).max(axis=(0, 2)) > _STILL
        # The neutral floor lies where the lowest frame had it.
        places, turns, _ = scene.poses()
        still = scene.parts.frame == 0
        scene.parts.local[still] = np.concatenate([places, turns], axis=1)[still]
        description = describe_parts(scene, packing, self._triangles)
        follow = roams(scene)
        points = self._points if follow else np.concatenate([self._points, scene.points])
        eye = frame_points(points, fovy=_FOVY, aspect=1.5)
        return packing.text(
            {
                **description,
                "fps": self.fps,
                "frames": self.num_frames,
                "bodies": packing.add(poses[0]),
                "moving": np.flatnonzero(moving).tolist(),
                "tracks": packing.add(poses[:, moving]),
                "strings": [scene.strings.start, packing.add(np.stack(self._strings))],
                "soft": self._packed_soft(packing),
                "marks": self._packed_marks(packing),
                "looks": self._packed_looks(packing),
                "faded": scene.faded,
                "eye": eye[:3].tolist(),
                "middle": box_sphere(points)[0].tolist(),
                "fovy": _FOVY,
                "follow": follow,
            }
        )

    def _packed_soft(self, packing: Packing) -> list[dict[str, Any]]:
        parts = self._shown.scene.parts
        meshes = [mesh for mesh, _ in self._shown.scene.soft_points()]
        return [
            {
                "part": int(np.flatnonzero(parts.mesh == mesh)[0]),
                "points": packing.add(np.stack([frame[k] for frame in self._soft])),
            }
            for k, mesh in enumerate(meshes)
        ]

    def _packed_looks(self, packing: Packing) -> dict[str, Any]:
        """Colours, and sizes over those that parts are described with, of parts that change."""
        parts, looks = self._shown.scene.parts, np.stack(self._looks)
        changing = (looks != looks[:1]).any(axis=(0, 2))
        kind = parts.kind[changing]
        extents = _extents(kind, looks[:, changing, 4:])
        scales = extents / _extents(kind, parts.size[changing])
        values = np.concatenate([looks[:, changing, :4], scales], axis=2)
        return {"parts": np.flatnonzero(changing).tolist(), "values": packing.add(values)}

    def _packed_marks(self, packing: Packing) -> dict[str, Any]:
        every = Marks.joined(self._marks)
        numbers = np.concatenate([every.pos, every.quat, every.size, every.rgba], axis=1)
        first = np.cumsum([0, *(len(marks) for marks in self._marks)])
        return {
            "first": packing.add(first, np.uint32),
            "kind": packing.add(every.kind, np.uint32),
            "numbers": packing.add(numbers),
        }


def _extents(kind: NDArray[np.int32], size: NDArray[Any]) -> NDArray[np.float64]:
    """Half extents of parts of these sizes along their axes [m], 1 where there is none."""
    x, y, z = np.moveaxis(size.astype(np.float64), -1, 0)
    found = np.stack(
        [
            x,
            np.where(np.isin(kind, (_SPHERE, _CAPSULE, _CYLINDER)), x, y),
            np.select([kind == _SPHERE, kind == _CAPSULE, kind == _CYLINDER], [x, x + y, y], z),
        ],
        axis=-1,
    )
    return np.where(found > 0.0, found, 1.0)


def _packed_file(name: str) -> str:
    return packed_text((_HERE / name).read_bytes())
