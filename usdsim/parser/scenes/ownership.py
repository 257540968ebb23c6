"""Ownership: which physics scene simulates what, apart from what the others simulate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from usdsim.parser.bodies.rigid_bodies import BodyRecord
from usdsim.parser.context import ParseContext
from usdsim.parser.description import (
    BodyDescription,
    CollisionGroupDescription,
    DeformableDescription,
    GeomDescription,
)
from usdsim.parser.joints.authored import JointRecord
from usdsim.parser.prims import PrimView
from usdsim.parser.shapes.colliders import Collider

from .settings import SceneSettings

__all__ = ["Ownership"]

_OWNERS = (
    "physics:simulationOwner",
    "omniphysics:simulationOwner",
    "physxDeformable:simulationOwner",
)


class Ownership:
    """Physics scenes of a stage, and what each of them simulates.

    All of them are one scene of the engine, in which colliders that have no scene in common never
    touch. For their gravity, see `SceneGravity`.

    Args:
        context: of the stage.
        settings: of its scenes.

    Attributes:
        paths: of the scenes, in stage order.
    """

    def __init__(self, context: ParseContext, settings: SceneSettings):
        self._context = context
        self.paths = tuple(settings.gravities)
        self._used = {0}

    @property
    def several(self) -> bool:
        """Whether there is more than one scene."""
        return len(self.paths) > 1

    def of(self, view: PrimView) -> tuple[int, ...]:
        """Scenes of a prim by their place in stage order: the first one where it names none."""
        found = []
        for name in view.names.intersection(_OWNERS):
            for target in map(str, view.targets(name)):
                if target in self.paths:
                    found.append(self.paths.index(target))
                else:
                    self._report_dangling(view, name, target)
        self._used.update(found)
        return tuple(found) or (0,)

    def of_body(self, path: str) -> int:
        """The scene of a body that forces move."""
        return self.of(self._context.by_path[path])[0]

    def _report_dangling(self, view: PrimView, name: str, target: str) -> None:
        owner = self._context.stage.GetPrimAtPath(target)
        if owner and owner.GetTypeName() == "PhysicsScene":
            return  # one outside of what is read
        why = "is no physics scene" if owner else "does not exist"
        self._context.report.repaired(
            "dangling-owner", view.path,
            f"points to {target}, which {why}; the first scene simulates it",
            attribute=name, value=target,
        )  # fmt: skip

    def check(self, records: Iterable[BodyRecord]) -> None:
        """Read the scenes of bodies, of which one simulates those that forces move."""
        for record in records:
            owners = self.of(record.view)
            if len(owners) > 1 and not record.kinematic:
                self._context.report.warning(
                    "several-owners", record.view.path,
                    f"names {', '.join(self.paths[i] for i in owners)}; one scene simulates a body "
                    "that forces move, here the first of them, and it touches nothing of the "
                    "others. Name one",
                    attribute=_OWNERS[0],
                )  # fmt: skip

    def within(
        self, joints: Sequence[JointRecord], records: Sequence[BodyRecord]
    ) -> list[JointRecord]:
        """Joints but those between bodies of two scenes, which hold nothing, as in PhysX."""
        kept = []
        for joint in joints:
            ends = [i for i in (joint.body0, joint.body1) if i >= 0] if self.several else []
            scenes = {self.of(records[i].view)[0] for i in ends}
            if len(scenes) < 2:
                kept.append(joint)
                continue
            self._context.report.repaired(
                "dangling-joint", joint.view.path,
                f"joins bodies of {' and '.join(self.paths[i] for i in sorted(scenes))}, which "
                "are simulated apart: left out, with all on it. Give both one "
                "physics:simulationOwner",
            )  # fmt: skip
            joint.view.read.update(joint.view.names)
        return kept

    def groups(
        self,
        colliders: Mapping[str, Collider],
        geoms: Mapping[str, Sequence[int]],
        found: Sequence[GeomDescription],
        bodies: Sequence[BodyDescription],
        deformables: Sequence[DeformableDescription],
        start: int,
    ) -> tuple[CollisionGroupDescription, ...]:
        """Collision groups of what has the same scenes, which filter those that share none.

        Args:
            colliders: by prim path.
            geoms: those of each prim.
            found: all geoms.
            bodies: all bodies.
            deformables: all of them.
            start: number of groups before these.
        """
        members: dict[tuple[int, ...], tuple[list[int], list[int]]] = {}
        for path, collider in colliders.items() if self.several else ():
            for index in geoms.get(path, ()):
                body = bodies[found[index].body] if found[index].body >= 0 else None
                members.setdefault(self._of_collider(collider, body), ([], []))[0].append(index)
        for index, soft in enumerate(deformables if self.several else ()):
            members.setdefault((self.of_body(soft.path),), ([], []))[1].append(index)
        kinds = sorted(members)
        return tuple(
            CollisionGroupDescription(
                path=" ".join(self.paths[i] for i in kind),
                geoms=tuple(members[kind][0]),
                deformables=tuple(members[kind][1]),
                filtered=frozenset(
                    start + i for i, other in enumerate(kinds) if not set(kind) & set(other)
                ),
            )
            for kind in kinds
        )

    def _of_collider(self, collider: Collider, body: BodyDescription | None) -> tuple[int, ...]:
        """Scenes of a collider, ascending: those of its body, or its own where it has none."""
        by_path = self._context.by_path
        view = by_path[collider.owner]
        own = self.of(view)
        mover = None if body is None else by_path[body.path]
        if body is None or mover is None or not mover.has_api("PhysicsRigidBodyAPI"):
            return tuple(sorted(set(own)))
        owners = self.of(mover)
        if view is not mover and _OWNERS[0] in view.names and set(own) != set(owners):
            self._context.report.unsupported(
                view.path, _OWNERS[0], [self.paths[i] for i in own],
                f"is not that of {body.path}, the body it belongs to, whose scene simulates it",
            )  # fmt: skip
        return tuple(sorted(set(owners if body.kinematic else owners[:1])))

    def report(self, shared: Mapping[str, Sequence[str]]) -> None:
        """Tell which scenes simulate nothing, and which have settings that do not act.

        Args:
            shared: attributes by which a scene differs from the first one in what all share.
        """
        for index, path in enumerate(self.paths[1:], 1):
            if index not in self._used:
                self._context.report.warning(
                    "second-scene", path,
                    f"is a second physics scene, and simulates nothing: no physics:simulationOwner "
                    f"names it, so all is simulated in {self.paths[0]}, with its gravity. Name it, "
                    "or remove it",
                )  # fmt: skip
            elif shared.get(path):
                self._context.report.warning(
                    "second-scene", path,
                    f"has another {', '.join(shared[path])} than {self.paths[0]}, whose time step "
                    "and solver serve all scenes; load each as a stage of its own where that "
                    "matters",
                )  # fmt: skip
