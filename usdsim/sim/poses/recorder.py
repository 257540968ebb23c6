"""Recording: a simulated world as an animation of its stage."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, Self, SupportsFloat

import numpy as np
from numpy.typing import NDArray
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from usdsim.core.arguments import number
from usdsim.core.errors import FileError, InvalidValueError, StageError
from usdsim.core.transaction import Transaction
from usdsim.parser.description import SceneDescription
from usdsim.usd.bundle import supersede
from usdsim.usd.names import RECORDED
from usdsim.usd.prims import unshare
from usdsim.usd.queries import paths_outside
from usdsim.usd.stage import is_unsaved, overlay_stage, save_stage, uses_file
from usdsim.usd.xforms import transform_specs

from .body_frames import BodyFrames, as_poses
from .markers import marker_values, sample_markers
from .soft_meshes import SoftMeshes
from .thinning import needed_samples
from .whole_frames import Moment, WholeFrames

__all__ = ["PoseReader", "Recorder"]

_BINDING = "material:binding"
_FPS = 60.0
"""Frames per second of recordings of stages that state no rate."""


class PoseReader(Protocol):
    """Reader of a world's state, of which a recorder takes frames."""

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        ...

    def body_poses(self) -> Any:
        """Poses of all bodies in world [m, xyzw], shape (bodies, 7)."""
        ...

    def deformable_points(self) -> Any:
        """Vertices in world [m] of each deformable body, each of shape (vertices, 3).

        Not asked for where there is none.
        """
        ...


class Recorder:
    """Collects poses and deformed points and writes them as time samples over the stage.

    The recording is a small layer with the original stage as its sublayer, so that every USD player
    shows it. Samples are on whole frames, interpolated between the steps around them; the first
    frame of the stage's own range is time 0. Poses are kept in memory and written once, by `save`
    or at the end of a ``with`` block.

    Args:
        stage: the simulated stage. Where it exists in memory alone, or has unsaved changes, a copy
            is written beside the recording.
        scene: what was simulated.
        path: the recording, a ``.usd``, ``.usda`` or ``.usdc`` file.
        reader: where `record` takes poses from when it is given none.
        fps: frames per second of simulated time; None: the stage's own rate, or 60 if it states
            none.
        tolerance: samples are left out where players come this close without them [m], half of it
            for components of quaternions; 0 keeps all of what moves.
        leave_out: paths of prims, such as other environments, that a copy of the stage is written
            without.

    Raises:
        InvalidValueError: `fps` is not positive, or `tolerance` is negative.
        StageError: a body has no prim on the stage.
    """

    def __init__(
        self,
        stage: Usd.Stage,
        scene: SceneDescription,
        path: str | os.PathLike[str],
        *,
        reader: PoseReader | None = None,
        fps: float | None = None,
        tolerance: float = 1e-6,
        leave_out: Sequence[str] = (),
    ):
        if fps is not None:
            number("fps", fps)
        number("tolerance", tolerance, above=False, unit="m")
        self._stage = stage
        self._path = Path(path)
        if self._path.suffix not in (".usd", ".usda", ".usdc"):
            raise FileError(f"Cannot record to {str(path)!r}: end it with .usd, .usda or .usdc.")
        self._reader = reader
        self._leave_out = tuple(leave_out)
        self._rate = _rate(stage) if fps is None else float(fps)
        self._tolerance = tolerance
        self._frames = BodyFrames(stage, scene)
        self._soft = SoftMeshes(stage, scene)
        self._kept = WholeFrames(self._rate)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        # What was simulated until something failed is worth looking at.
        if self._kept.frames:
            self.save()

    @property
    def reader(self) -> PoseReader | None:
        """Reader that `record` takes a frame from when it is given none."""
        return self._reader

    @property
    def num_frames(self) -> int:
        """Number of frames kept so far."""
        return len(self._kept.frames)

    def record(
        self, time: SupportsFloat | None = None, poses_w: Any = None, points_w: Any = ()
    ) -> bool:
        """Take the state after a step; frames that it reaches are kept.

        Args:
            time: simulated time [s]; one that runs back, after a reset, continues the recording.
            poses_w: of all bodies in world [m, xyzw], shape (bodies, 7).
            points_w: for each deformable body its vertices in world [m], shape (vertices, 3).

        Returns:
            Whether a frame was kept.

        Raises:
            ShapeError: there is not one pose per body, or one point per vertex.
            InvalidValueError: something is not finite, or there is nothing to record.
        """
        given = poses_w is not None and time is not None
        reader = self._reader
        if not given and reader is None:
            raise InvalidValueError(
                "time and poses_w", (time, poses_w), "both, or a recorder with a reader"
            )
        now = float(time if given or reader is None else reader.time)  # type: ignore[arg-type]
        if not np.isfinite(now):
            raise InvalidValueError("time", now, "a finite number")
        if not self._kept.is_needed(now):
            return False
        if not given and reader is not None:
            poses_w = reader.body_poses()
            points_w = reader.deformable_points() if self._soft.num_bodies else ()
        poses = as_poses(poses_w, self._frames.num_bodies)
        if not np.isfinite(poses).all():
            raise InvalidValueError(f"body poses at {now} s", "NaN or infinity", "finite numbers")
        points = self._soft.checked(points_w)
        return self._kept.add(Moment(now, poses.copy(), points, marker_values(self._stage)))

    def save(self) -> Path:
        """Write the recording; it can go on and be saved again.

        Returns:
            The file to play.

        Raises:
            StageError: nothing was recorded.
            FileError: the file cannot be written.
        """
        if not self._kept.frames:
            raise StageError("Nothing was recorded: call `record` after each step.")
        with Transaction(self._path) as transaction:
            layer = Sdf.Layer.CreateAnonymous(".usdc")
            self._describe(layer)
            layer.subLayerPaths.append(self._base(transaction))
            self._sample_frames(layer)
            return supersede(layer, transaction)

    def _sample_frames(self, layer: Sdf.Layer) -> None:
        """Write where everything is at each frame."""
        first, moments = self._first_frame(), self._kept.moments
        codes = [float(first + frame) for frame in self._kept.frames]
        layer.startTimeCode, layer.endTimeCode = codes[0], codes[-1]
        poses = np.stack([moment.poses for moment in moments])
        translations, quats = self._frames.local(poses)
        _keep_signs(quats)
        tolerances = self._frames.lengths(self._tolerance)
        moved = needed_samples(codes, translations, tolerances)
        turned = needed_samples(codes, quats, self._tolerance / 2.0)
        with Sdf.ChangeBlock():
            unshare(layer, self._frames.instances + self._soft.instances)
            for row, path in enumerate(self._frames.paths):
                translate, orient = transform_specs(
                    layer,
                    path,
                    Gf.Vec3d(*self._frames.scales[row].tolist()),
                    self._frames.resets[row],
                )
                places = [Gf.Vec3d(*v) for v in translations[:, row].tolist()]
                turns = [Gf.Quatd(w, x, y, z) for x, y, z, w in quats[:, row].tolist()]
                _sample(translate, codes, places, moved[:, row])
                _sample(orient, codes, turns, turned[:, row])
            for copies in self._frames.copies:
                positions, turned_copies = copies.arrays(poses)
                _keep_signs(turned_copies)
                pairs = zip(positions, turned_copies, strict=True)
                frames = [copies.values(*pair) for pair in pairs]
                for name, spec in copies.specs(layer, copies.path).items():
                    _sample(spec, codes, [frame[name] for frame in frames])
            self._sample_meshes(layer, codes)
            sample_markers(layer, codes, [moment.markers for moment in moments])

    def _sample_meshes(self, layer: Sdf.Layer, codes: list[float]) -> None:
        """Write the points of deformable bodies."""
        paths = self._soft.paths
        if not paths:
            return
        frames = [self._soft.values(now.points, now.poses) for now in self._kept.moments]
        for mesh, path in enumerate(paths):
            for name, spec in self._soft.specs(layer, path, mesh).items():
                _sample(spec, codes, [frame[mesh][name] for frame in frames])

    def _first_frame(self) -> int:
        """Time code of time 0: where the stage's own range begins."""
        stage = self._stage
        if not stage.HasAuthoredMetadata("startTimeCode"):
            return 0
        return round(stage.GetStartTimeCode() * self._rate / stage.GetTimeCodesPerSecond())

    def _base(self, transaction: Transaction) -> str:
        """The file the recording lies over, relative to the recording; a copy where necessary."""
        root = self._stage.GetRootLayer()
        used = self._stage.GetUsedLayers()
        session = self._stage.GetSessionLayer()
        changed = any(is_unsaved(used_layer) for used_layer in used if used_layer != session)
        overridden = session is not None and not session.empty
        replaced = uses_file(self._stage, self._path)
        if root.anonymous or changed or overridden or replaced:
            name = f"{self._path.stem}_stage.usdc"
            save_stage(self._shown(), transaction.stage(name), flatten=True)
            return f"./{name}"
        relative = os.path.relpath(root.realPath, self._path.resolve().parent)
        return relative if relative.startswith(".") else f"./{relative}"

    def _shown(self) -> Usd.Stage:
        """The stage without what is left out, and what looks refer to in it."""
        if not self._leave_out:
            return self._stage
        mask = Usd.StagePopulationMask(paths_outside(self._stage, self._leave_out))
        shown, _ = overlay_stage(self._stage, mask)
        shown.ExpandPopulationMask(
            relationshipPredicate=lambda relation: relation.GetName().startswith(_BINDING),
            attributePredicate=lambda _: False,
        )
        return shown

    def _describe(self, layer: Sdf.Layer) -> None:
        """Stage metadata comes from the root layer alone, so it is repeated there."""
        layer.timeCodesPerSecond = layer.framesPerSecond = self._rate
        layer.customLayerData = {RECORDED: True}
        over = Usd.Stage.Open(layer)
        UsdGeom.SetStageUpAxis(over, UsdGeom.GetStageUpAxis(self._stage))
        UsdGeom.SetStageMetersPerUnit(over, UsdGeom.GetStageMetersPerUnit(self._stage))
        UsdPhysics.SetStageKilogramsPerUnit(over, UsdPhysics.GetStageKilogramsPerUnit(self._stage))
        default = self._stage.GetDefaultPrim()
        if default:
            layer.defaultPrim = default.GetName()


def _rate(stage: Usd.Stage) -> float:
    """Frames per second as the stage states them, else 60."""
    stated = any(map(stage.HasAuthoredMetadata, ("timeCodesPerSecond", "framesPerSecond")))
    return float(stage.GetTimeCodesPerSecond()) if stated else _FPS


def _keep_signs(quats: NDArray[np.float64]) -> None:
    """Flip each quaternion to the side of its predecessor: players interpolate between them."""
    turned = np.einsum("tni,tni->tn", quats[1:], quats[:-1]) < 0.0
    flips = np.cumsum(turned, axis=0) % 2 == 1
    quats[1:][flips] *= -1.0


def _sample(
    spec: Sdf.AttributeSpec, codes: list[float], values: list[Any], needed: Any = None
) -> None:
    """Write a value at the codes that need it; none where nothing changes."""
    spec.default = values[0]
    if needed is None:
        needed = np.full(len(codes), any(value != values[0] for value in values[1:]))
    layer, path = spec.layer, spec.path
    for k in np.flatnonzero(needed).tolist():
        layer.SetTimeSample(path, codes[k], values[k])
