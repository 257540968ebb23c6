"""Compilation context: state that all parts share."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import mujoco

from usdsim.core.errors import CompileError
from usdsim.engine.names import Namer
from usdsim.math.rotations import quat_to_wxyz
from usdsim.math.transforms import Pose
from usdsim.parser.description import SceneDescription

from .parts.part_models import PartModels
from .parts.partition import NotJoinable, Partition

__all__ = ["Build"]

logger = logging.getLogger("usdsim")


@dataclass
class Build:
    """A compilation in progress."""

    scene: SceneDescription
    exact: bool
    loose: bool = False
    """Whether parameters can move inertial frames and joints of any body, at the cost of speed."""
    spec: mujoco.MjSpec = field(default_factory=mujoco.MjSpec)
    template: mujoco.MjSpec = field(default_factory=mujoco.MjSpec)
    """The spec as it was when only what is set for the whole scene was in it."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Engine names by prim path."""
    namer: Namer = field(default_factory=Namer)
    elements: dict[str, dict[str, Any]] = field(default_factory=lambda: defaultdict(dict))
    """Spec elements by kind and prim path."""
    bodies: list[Any] = field(default_factory=list)
    """Spec bodies by description index; `worldbody` gives the one of -1."""
    geoms: dict[int, Any] = field(default_factory=dict)
    """Spec geoms by description index; dropped ones are missing."""
    soft: list[Any] = field(default_factory=list)
    """Deformable bodies in the spec, by description index."""
    stand_ins: list[tuple[Any, int, Pose]] = field(default_factory=list)
    """Spec bodies that move as one with others, what they stand for as description index, and where
    they are in it."""
    pairs: list[Any] = field(default_factory=list)
    """Contact pairs (`surfaces.contact_pair`) made for materials and filters."""
    varied: frozenset[int] = frozenset()
    """Description indices of the geoms whose surface may change while it is simulated."""
    notes: list[tuple[str, str]] = field(default_factory=list)
    """Prim path and message of everything the engine cannot do as described."""
    departures: list[tuple[str, str]] = field(default_factory=list)
    """Notes, of these, that hold from the start, whatever is changed later."""
    divisible: bool = False
    """Whether bodies that nothing refers to may be in other specs."""
    partition: Partition | None = None
    """Specs of the bodies that are compiled in parts; None: all are in `spec`."""
    parts: PartModels | None = None
    """Models of these, once the whole is compiled."""

    @property
    def owns_options(self) -> bool:
        """Whether the stage brings its own solver settings and MuJoCo's own rules with them."""
        return bool(self.scene.options)

    def register(self, kind: str, path: str, element: Any) -> Any:
        """Remember the spec element of a prim."""
        self.elements[kind][path] = element
        return element

    def body(self, index: int) -> Any:
        """Spec body of a description index; -1 is the world."""
        return self.spec.worldbody if index < 0 else self.bodies[index]

    def worldbody(self, index: int) -> Any:
        """World of the spec that gets a body of the description, which is added next."""
        return self.partition.worldbody(index) if self.partition else self.spec.worldbody

    def spec_of(self, *bodies: int) -> mujoco.MjSpec:
        """Spec of an element that refers to these bodies, by description index."""
        return self.partition.spec_of(*bodies) if self.partition else self.spec

    @property
    def num_bodies(self) -> int:
        """Number of bodies in the spec and its parts, the world included."""
        return self.partition.num_bodies if self.partition else len(self.spec.bodies)

    def body_path(self, index: int) -> str:
        """Prim path of a body; the world is ``/``."""
        return "/" if index < 0 else self.scene.bodies[index].path

    def name(self, kind: str, path: str) -> str:
        """Engine name for the element of a prim about to be added."""
        return self.namer.take(kind, self.names.get(path), path)

    def name_of(self, kind: str, path: str, element: Any) -> str:
        """Engine name of an element that something else refers to, given one if it has none."""
        if not element.name:
            element.name = self.namer.take(kind, None, path)
        return str(element.name)

    def lookup(self, path: str, *kinds: str) -> Any:
        """Spec element of a prim path; with `kinds`, the first of these kinds that has one.

        Raises:
            CompileError: nothing was built for the path.
        """
        for kind in kinds or tuple(self.elements):
            found = self.elements[kind].get(path)
            if found is not None:
                return found
        wanted = " or ".join(kinds) or "element"
        raise CompileError(
            f"{path!r} is referenced as a {wanted}, but the engine has none for it. "
            "Correct the relationship, or enable the prim's physics."
        )

    def note(self, path: str, message: str, *, later: bool = False) -> None:
        """Report something described that the engine does differently or not at all.

        Args:
            path: of the prim.
            message: what, and the remedy.
            later: whether it only concerns values that are changed while it is simulated.
        """
        self.notes.append((path, message))
        if not later:
            self.departures.append((path, message))

    def tell(self) -> None:
        """Log the notes; of a loose model, compiled besides one that has the same, none."""
        for path, message in () if self.loose else self.notes:
            logger.warning("%s: %s", path, message)

    def refer(self, index: int) -> None:
        """Make a geom of the description known by its name to what is in the spec.

        Raises:
            NotJoinable: another part has the geom, and the engine would combine its values with
                those of others.
        """
        if self.partition is not None:
            if self.owns_options:
                raise NotJoinable("contact pairs without values of their own")
            self.partition.refer(index, self.scene.geoms[index].body, self.geoms[index])

    def place(self, element: Any, pose: Pose) -> None:
        """Set the position and orientation of a spec element."""
        element.pos = pose.pos
        element.quat = quat_to_wxyz(pose.quat)
