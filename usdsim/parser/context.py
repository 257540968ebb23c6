"""Parser context: state that all passes share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pxr import Sdf, Tf, Usd, UsdPhysics

from usdsim.core.boundary import reason
from usdsim.core.dialects.deformable import SIM_APIS
from usdsim.core.errors import StageError
from usdsim.math.transforms import Pose
from usdsim.usd.stage import stage_name

from .element import at_and_above
from .frames import PrimFrames
from .instances import Motion, expand_instancers
from .joint_instancers import JOINT_INSTANCER, expand_joint_instancers
from .prims import INSTANCER, PrimView, collect_prims, is_local
from .quantities import Quantities
from .report import Report
from .signs import with_sign
from .units import Units, stage_units

__all__ = ["SHAPE_DESCRIPTORS", "ParseContext", "open_context"]

SHAPE_DESCRIPTORS = (
    "Capsule1Shape",
    "CapsuleShape",
    "ConeShape",
    "CubeShape",
    "CustomShape",
    "Cylinder1Shape",
    "CylinderShape",
    "MeshShape",
    "PlaneShape",
    "SpherePointsShape",
    "SphereShape",
)
"""Object types of OpenUSD's physics traversal that are colliders."""


@dataclass(slots=True, eq=False)
class ParseContext:
    """A stage while it is being parsed."""

    stage: Usd.Stage
    report: Report
    units: Units
    views: list[PrimView]
    """Every prim, in stage order."""
    by_path: dict[str, PrimView]
    frames: PrimFrames
    descriptors: dict[Any, tuple[Any, Any]]
    """Findings of OpenUSD's own traversal, by object type."""
    quantities: Quantities
    """Reads what dialects state, in their order of precedence."""
    local: bool = False
    """Whether nothing but the stage's own layers is on it; see `is_local`."""
    sampled: bool = False
    """Whether anything on the stage varies over time."""
    exact: bool = False
    exclude: frozenset[str] = frozenset()
    """Prims left out with all below them."""
    motions: dict[str, Motion] = field(default_factory=dict)
    """Motion that point instancers give their copies, by the copies' paths."""
    bodies: dict[str, int] = field(default_factory=dict)
    """Index of each body by prim path, in the order of the description."""
    body_prims: list[int] = field(default_factory=list)
    """Prim index of each body."""

    def descs(self, *kinds: str) -> Iterator[tuple[PrimView, Any]]:
        """Descriptors of these object types with their prims, in stage order."""
        found = []
        for kind in kinds:
            paths, descs = self.descriptors.get(getattr(UsdPhysics.ObjectType, kind), ((), ()))
            for path, desc in zip(paths, descs, strict=True):
                view = self.by_path.get(path.pathString)
                if view is not None:
                    found.append((view, desc))
        found.sort(key=lambda item: item[0].index)
        return iter(found)

    def number(self, views: Sequence[PrimView], numbers: Sequence[int]) -> None:
        """Give bodies their indices."""
        self.bodies = {view.path: n for view, n in zip(views, numbers, strict=True)}
        order = sorted(zip(numbers, (view.index for view in views), strict=True))
        self.body_prims = [prim for _, prim in order]

    def body_above(self, path: str | Sdf.Path) -> int:
        """Index of the nearest body at or above a prim; -1: the world."""
        above = at_and_above(str(path))
        return next((self.bodies[text] for text in above if text in self.bodies), -1)

    def left_out(self, path: str | Sdf.Path) -> bool:
        """Whether a path lies at or below a prim that is left out."""
        return bool(self.exclude) and any(text in self.exclude for text in at_and_above(str(path)))

    def view(self, prim: Usd.Prim) -> PrimView:
        """View of a prim, its own if it is one that is only referred to, such as an asset."""
        found = self.by_path.get(prim.GetPath().pathString)
        return found or PrimView(prim, -1, self.report, local=self.local)

    def place(self, view: PrimView) -> tuple[int, Pose]:
        """The body a prim hangs on (-1: the world), and its pose in that body's frame [m]."""
        body = self.body_above(view.path)
        at = self.frames.pose(view.index, self.body_prims[body] if body >= 0 else -1)
        return body, with_sign(view, at)


def open_context(
    stage: Usd.Stage,
    root: str,
    report: Report,
    *,
    precedence: Sequence[str],
    exact: bool,
    exclude: frozenset[str] = frozenset(),
) -> ParseContext:
    """Traverse a stage once, for all passes."""
    units = stage_units(stage, report)
    views, pruned = collect_prims(stage, Sdf.Path(root), report, exclude)
    instancers = [view.prim.GetPath() for view in views if view.type_name == INSTANCER]
    motions: dict[str, Motion] = {}
    named = stage
    if instancers:
        stage, motions = expand_instancers(stage, instancers, report, exact=exact)
        views, pruned = collect_prims(stage, Sdf.Path(root), report, exclude)
    jointed = [view.prim.GetPath() for view in views if view.type_name == JOINT_INSTANCER]
    if jointed:
        stage = expand_joint_instancers(stage, named, jointed, report)
        views, pruned = collect_prims(stage, Sdf.Path(root), report, exclude)
    frames = PrimFrames(views, units)
    # OpenUSD's traversal has no shape for them; deformable bodies are read by a pass of their own.
    pruned += [
        view.prim.GetPath()
        for view in views
        if view.type_name == "TetMesh" or any(SIM_APIS.get(api) == "curves" for api in view.apis)
    ]
    try:
        descriptors = UsdPhysics.UsdPhysicsLoadStageFromPrimRange(stage, [root], pruned)
    except Tf.ErrorException as error:
        # What is known by now names the prim.
        report.raise_if(source=stage_name(stage))
        raise StageError(f"{stage_name(stage)}: {reason(error)}. Correct this property.") from error
    return ParseContext(
        stage=stage,
        report=report,
        units=units,
        views=views,
        by_path={view.path: view for view in views},
        frames=frames,
        descriptors=descriptors,
        quantities=Quantities(units, report, precedence),
        local=is_local(stage),
        sampled=any(layer.ListAllTimeSamples() for layer in stage.GetUsedLayers()),
        exact=exact,
        exclude=exclude,
        motions=motions,
    )
