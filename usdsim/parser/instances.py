"""Copies of point instancers as prims, on a stage that only the parser sees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pxr import Gf, Sdf, Usd

from usdsim.core.errors import UsdsimError
from usdsim.usd.instancers import Copies, is_instancer, read_copies
from usdsim.usd.prims import unshare
from usdsim.usd.schemas import applied_schemas
from usdsim.usd.stage import overlay_stage

from .frames import PrimFrames
from .prims import PrimView
from .report import Report
from .units import DEGREE

__all__ = ["Motion", "carried_motion", "expand_instancers"]

Array = NDArray[np.float64]

_PHYSICS = ("Physics", "Mjc", "Newton", "Physx", "OmniPhysics")
_HERE = Usd.TraverseInstanceProxies(Usd.PrimIsActive & Usd.PrimIsLoaded)
"""Prototypes may be abstract or undefined: their copies are not."""
_RESET = "!resetXformStack!"
_NAMING = (
    "physics:filteredPairs",
    "collection:colliders:includes",
    "collection:colliders:excludes",
)
"""Relationships that hold for copies where they name what is copied."""


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """Velocity that an instancer gives a copy, in the instancer's frame."""

    instancer: str
    origin: Array
    """Position of the copy [stage units], shape (3,)."""
    linear: Array
    """[stage units/s], shape (3,)."""
    angular: Array
    """[degrees/s], shape (3,)."""


def expand_instancers(
    stage: Usd.Stage, instancers: Sequence[Sdf.Path], report: Report, *, exact: bool = False
) -> tuple[Usd.Stage, dict[str, Motion]]:
    """A stage on which every copy of these instancers is a prim below its instancer.

    Copies refer to their prototypes. An instancer with nothing physical to copy stays as it is.

    Args:
        stage: where the instancers are; it stays as it is.
        instancers: their paths.
        report: where unusable instancers are noted.
        exact: whether what is only visible is copied too.

    Returns:
        The stage, the given one if there is nothing to copy, and the motion of copies by path.
    """
    wanted = [p for p in instancers if exact or _copies_physics(stage.GetPrimAtPath(p), set())]
    if not wanted:
        return stage, {}
    expansion = _Expansion(stage, report, exact=exact)
    while wanted:
        wanted = expansion.expand(wanted)
    return expansion.stage, expansion.motions


def carried_motion(
    motions: Mapping[str, Motion],
    frames: PrimFrames,
    length: float,
    by_path: Mapping[str, PrimView],
    view: PrimView,
) -> tuple[Array, Array] | None:
    """Linear [m/s] and angular [rad/s] velocity in world of a body in moving copies; None: in none.

    Copies inside copies move with what is around them.
    """
    above = Sdf.Path(view.path).GetPrefixes()
    found = [motions[path.pathString] for path in above if path.pathString in motions]
    if not found:
        return None
    linear, angular = np.zeros(3), np.zeros(3)
    for motion in found:
        at = by_path[motion.instancer].index
        turning = DEGREE * frames.rotation[at] @ motion.angular
        to_world = length * frames.linear[at]
        arm = frames.pos[view.index] - (frames.pos[at] + to_world @ motion.origin)
        linear += to_world @ motion.linear + np.cross(turning, arm)
        angular += turning
    return linear, angular


class _Expansion:
    """The stage with copies while it grows."""

    def __init__(self, stage: Usd.Stage, report: Report, *, exact: bool):
        self.stage = self._given = stage
        self._layer = Sdf.Layer.CreateAnonymous(".usda")
        self.motions: dict[str, Motion] = {}
        self._report, self._exact = report, exact
        self._hidden: set[Sdf.Path] = set()

    def expand(self, paths: Sequence[Sdf.Path]) -> list[Sdf.Path]:
        """Make copies; returns instancers inside them."""
        self._open_instances(paths)
        # What is copied from an instancer that has its copies already is none any more.
        paths = [p for p in paths if is_instancer(self.stage.GetPrimAtPath(p))]
        found = [(path, copies) for path in paths if (copies := self._read(path)) is not None]
        for path in paths:
            children = self.stage.GetPrimAtPath(path).GetAllChildren()
            self._hidden.update(child.GetPath() for child in children)
        targets = {target for _, copies in found for target in copies.prototypes}
        orders = {target: self._order(target) for target in targets}
        nested = {target: self._nested(target) for target in targets}
        named = self._named_copies(found)
        with self._edit():
            for path in paths:
                # OpenUSD's traversal of physics stops at point instancers.
                Sdf.CreatePrimInLayer(self._layer, path).typeName = "Xform"
            for path, copies in found:
                self._author(path, copies, orders)
            for path, paths_named in named.items():
                self._name(path, paths_named)
            if not any(nested.values()):
                self._hide_prototypes()
        return [
            path.AppendChild(name).AppendPath(below)
            for path, copies in found
            for name, target in zip(copies.names, copies.prototypes, strict=True)
            for below in nested[target]
        ]

    @contextmanager
    def _edit(self) -> Iterator[None]:
        """Edit the layer while no stage uses it, and open the stage anew.

        A stage that is open composes thousands of copies one by one, in twenty times the time.
        """
        self.stage = self._given
        with Sdf.ChangeBlock():
            yield
        self.stage, _ = overlay_stage(self._given, layer=self._layer)

    def _hide_prototypes(self) -> None:
        """Leave out what is below instancers, except the copies."""
        while self._hidden:
            Sdf.CreatePrimInLayer(self._layer, self._hidden.pop()).active = False

    def _read(self, path: Sdf.Path) -> Copies | None:
        """Read what is to be copied; None: the instancer cannot be used, which is reported."""
        prim = self.stage.GetPrimAtPath(path)
        try:
            copies = read_copies(prim)
        except UsdsimError as error:
            self._report.error("invalid-instancer", path, f"cannot be read: {error}")
            return None
        if _is_endless(prim, (path,)):
            self._report.error(
                "invalid-instancer", path,
                "copies something with an instancer in it that copies the same again; take the "
                "inner instancer out of the prototype",
                attribute="prototypes", value=[str(target) for target in _targets(prim)],
            )  # fmt: skip
            return None
        used = dict.fromkeys(copies.prototypes)
        kept = {target for target in used if self._is_wanted(path, target)}
        return copies.only([i for i, target in enumerate(copies.prototypes) if target in kept])

    def _is_wanted(self, path: Sdf.Path, target: Sdf.Path) -> bool:
        prototype = self.stage.GetPrimAtPath(target)
        if not prototype:
            self._report.warning(
                "dangling-target", path,
                f"copies {target}, which does not exist: those copies are left out; point the "
                "relationship to a prim of the stage",
                attribute="prototypes", value=str(target),
            )  # fmt: skip
            return False
        if not (self._exact or _is_physical(prototype, set())):
            return False
        self._check_anchors(prototype)
        return True

    def _check_anchors(self, prototype: Usd.Prim) -> None:
        """Report joints that would tie all copies to one place."""
        for prim in Usd.PrimRange(prototype, _HERE):
            sides = [prim.GetRelationship(f"physics:body{side}") for side in (0, 1)]
            if not all(sides):
                continue
            ends = [side.GetForwardedTargets() for side in sides]
            if any(not end or not end[0].HasPrefix(prototype.GetPath()) for end in ends):
                self._report.warning(
                    "joint-in-prototype", prim.GetPath(),
                    f"is copied with {prototype.GetPath()}, and ties every copy to the same place "
                    "outside of it; move what the joint ties to into the prototype",
                )  # fmt: skip

    def _open_instances(self, paths: Sequence[Sdf.Path]) -> None:
        """Make instances editable, so that prims can be added inside."""
        above = {prefix for path in paths for prefix in path.GetPrefixes()}
        while True:
            closed = [path for path in above if self.stage.GetPrimAtPath(path).IsInstance()]
            if not closed:
                return
            with self._edit():
                unshare(self._layer, closed)

    def _named_copies(
        self, found: Sequence[tuple[Sdf.Path, Copies]]
    ) -> dict[Sdf.Path, list[Sdf.Path]]:
        """Targets of groups and filters of prototypes, such that they hold for the copies.

        Returns:
            By path of the relationship.
        """
        copies: dict[Sdf.Path, list[Sdf.Path]] = {}
        for path, made in found:
            for name, target in zip(made.names, made.prototypes, strict=True):
                copies.setdefault(target, []).append(path.AppendChild(name))
        result: dict[Sdf.Path, list[Sdf.Path]] = {}
        for prim in self.stage.Traverse():
            # What is in a prototype is copied with it.
            if any(prefix in copies for prefix in prim.GetPath().GetPrefixes()):
                continue
            for relationship in filter(None, map(prim.GetRelationship, _NAMING)):
                targets = list(relationship.GetTargets())
                named = [path for target in targets for path in self._named(target, copies)]
                if named != targets:
                    result[relationship.GetPath()] = named
        return result

    def _named(
        self, target: Sdf.Path, copies: Mapping[Sdf.Path, Sequence[Sdf.Path]]
    ) -> Iterator[Sdf.Path]:
        """A target, unless it is only there to be copied, and the same in every copy."""
        prefixes = target.GetPrefixes()
        held = [prefix for prefix in prefixes if prefix in copies]
        if not held or not self._hidden.intersection(prefixes):
            yield target
        for prefix in held:
            yield from (target.ReplacePrefix(prefix, copy) for copy in copies[prefix])

    def _name(self, path: Sdf.Path, targets: Sequence[Sdf.Path]) -> None:
        prim = Sdf.CreatePrimInLayer(self._layer, path.GetPrimPath())
        spec = prim.relationships.get(path.name) or Sdf.RelationshipSpec(prim, path.name)
        spec.targetPathList.explicitItems = targets

    def _order(self, target: Sdf.Path) -> list[str]:
        """Transform operations of a prototype, which act inside those of its copies."""
        attribute = self.stage.GetPrimAtPath(target).GetAttribute("xformOpOrder")
        names = [str(name) for name in (attribute.Get() if attribute else None) or ()]
        return names[len(names) - names[::-1].index(_RESET) :] if _RESET in names else names

    def _nested(self, target: Sdf.Path) -> list[Sdf.Path]:
        """Instancers at or below a prototype, relative to it."""
        return [
            prim.GetPath().MakeRelativePath(target)
            for prim in _range(self.stage.GetPrimAtPath(target))
            if is_instancer(prim) and (self._exact or _copies_physics(prim, set()))
        ]

    def _author(self, path: Sdf.Path, copies: Copies, orders: Mapping[Sdf.Path, list[str]]) -> None:
        scaled = np.abs(copies.scales - 1.0).max(axis=1, initial=0.0) > 0.0
        for i, name in enumerate(copies.names):
            target = copies.prototypes[i]
            spec = Sdf.CreatePrimInLayer(self._layer, path.AppendChild(name))
            spec.specifier = Sdf.SpecifierDef
            spec.active = True
            spec.referenceList.prependedItems = [Sdf.Reference("", target)]
            # A name of its own where the prototype has operations.
            suffix = ":copy" if orders[target] else ""
            x, y, z, w = copies.quats[i].tolist()
            values = [
                (f"xformOp:translate{suffix}", Sdf.ValueTypeNames.Double3,
                 Gf.Vec3d(*copies.positions[i].tolist())),
                (f"xformOp:orient{suffix}", Sdf.ValueTypeNames.Quatd, Gf.Quatd(w, x, y, z)),
            ]  # fmt: skip
            if scaled[i]:
                factors = Gf.Vec3d(*copies.scales[i].tolist())
                values.append((f"xformOp:scale{suffix}", Sdf.ValueTypeNames.Double3, factors))
            for attribute, kind, value in values:
                Sdf.AttributeSpec(spec, attribute, kind).default = value
            order = Sdf.AttributeSpec(
                spec, "xformOpOrder", Sdf.ValueTypeNames.TokenArray, Sdf.VariabilityUniform
            )
            order.default = [attribute for attribute, *_ in values] + orders[target]
            if copies.linear is not None or copies.angular is not None:
                still = np.zeros(3)
                self.motions[f"{path}/{name}"] = Motion(
                    str(path),
                    copies.positions[i],
                    still if copies.linear is None else copies.linear[i],
                    still if copies.angular is None else copies.angular[i],
                )


def _targets(prim: Usd.Prim) -> list[Sdf.Path]:
    return list(prim.GetRelationship("prototypes").GetForwardedTargets())


def _is_endless(prim: Usd.Prim, around: tuple[Sdf.Path, ...]) -> bool:
    """Whether an instancer's copies hold an instancer that copies what is around it."""
    for target in _targets(prim):
        prototype = prim.GetStage().GetPrimAtPath(target)
        if any(path.HasPrefix(target) for path in around):
            return True
        inside = [p for p in _range(prototype) if is_instancer(p)] if prototype else []
        if any(_is_endless(found, (*around, found.GetPath())) for found in inside):
            return True
    return False


def _copies_physics(prim: Usd.Prim, seen: set[Sdf.Path]) -> bool:
    """Whether an instancer has something physical to copy; what is missing may be."""
    prototypes = [prim.GetStage().GetPrimAtPath(target) for target in _targets(prim)]
    return any(not prototype or _is_physical(prototype, seen) for prototype in prototypes)


def _is_physical(prototype: Usd.Prim, seen: set[Sdf.Path]) -> bool:
    """Whether there is physics at or below a prim, or in what instancers there copy."""
    if prototype.GetPath() in seen:
        return False
    seen.add(prototype.GetPath())
    return any(
        _copies_physics(prim, seen) if is_instancer(prim) else _has_physics(prim)
        for prim in _range(prototype)
    )


def _range(prim: Usd.Prim) -> Iterator[Usd.Prim]:
    """A prim and those below, without what instancers copy."""
    walk = iter(Usd.PrimRange(prim, _HERE))
    for below in walk:
        if is_instancer(below):
            walk.PruneChildren()
        yield below


def _has_physics(prim: Usd.Prim) -> bool:
    names = [str(prim.GetTypeName()), *applied_schemas(prim)]
    return any(name.startswith(_PHYSICS) for name in names)
