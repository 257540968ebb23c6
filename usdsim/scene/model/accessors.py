"""Element accessors of a `SceneModel`: lists, counts, names and look-ups, from one table of kinds.

``python -m usdsim.views.stubs usdsim.scene.model.accessors`` writes what editors and type checkers
read of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from usdsim.scene.elements.actuator import Actuator
from usdsim.scene.elements.body import Body
from usdsim.scene.elements.geom import Geom
from usdsim.scene.elements.hfield import HField
from usdsim.scene.elements.joint import Joint
from usdsim.scene.elements.keyframe import Keyframe
from usdsim.scene.elements.link import Link
from usdsim.scene.elements.site import Site
from usdsim.scene.elements.tendon import Tendon
from usdsim.scene.sensors.sensor import Sensor

__all__ = ["ElementAccessors", "stub_text"]


@dataclass(frozen=True)
class _ElementKind:
    """Public names of the elements of one kind."""

    one: str
    many: str
    element: type
    says: str
    """First line of the documentation of all of them."""
    key: str = "key"
    """Parameter of the look-up."""

    @property
    def source(self) -> str:
        """Definitions of the five accessors."""
        words = self.one.replace("hfield", "height field")
        noun = f"{'an' if words[0] in 'aeiou' else 'a'} {words}"
        catalog, element = f"self._structure.{self.many}", self.element.__name__
        return "\n".join(
            f'{head}\n    """{says}"""\n    return {value}\n'
            for head, says, value in (
                (
                    f"@property\ndef {self.many}(self) -> list[{element}]:",
                    self.says,
                    f"[*{catalog}.items]",
                ),
                (
                    f"@property\ndef num_{self.many}(self) -> int:",
                    f"Number of {_plural(words)}.",
                    f"len({catalog})",
                ),
                (
                    f"@property\ndef {self.one}_names(self) -> list[str | None]:",
                    f"Names of all {_plural(words)}.",
                    f"[*{catalog}.names]",
                ),
                (
                    f"def get_{self.one}(self, {self.key}: str | int) -> {element}:",
                    f"{noun.capitalize()} by name, path or index.",
                    f"{catalog}.find({self.key})",
                ),
                (
                    f"def get_{self.one}_index(self, name: str | int) -> int:",
                    f"Index of {noun}.",
                    f"{catalog}.find_index(name)",
                ),
            )
        )


def _plural(word: str) -> str:
    return word.removesuffix("y") + "ies" if word.endswith("y") else f"{word}s"


_KINDS = (
    _ElementKind(
        "link", "links", Link, "All links. A link is a rigid body; the world is not one.", "arg"
    ),
    _ElementKind("body", "bodies", Body, "All bodies. A body is a whole kinematic tree."),
    _ElementKind(
        "joint",
        "joints",
        Joint,
        "All joints: hinges, slides and balls; floating bases are not joints.",
    ),
    _ElementKind("geom", "geoms", Geom, "All geoms, in the order of the source.", "arg"),
    _ElementKind("site", "sites", Site, "All sites: named frames."),
    _ElementKind(
        "actuator", "actuators", Actuator, "All actuators, in the order of their controls.", "arg"
    ),
    _ElementKind("keyframe", "keyframes", Keyframe, "All keyframes: named states."),
    _ElementKind("hfield", "hfields", HField, "All height fields: elevations on grids.", "arg"),
    _ElementKind("tendon", "tendons", Tendon, "All tendons."),
    _ElementKind("sensor", "sensors", Sensor, "All sensors, in the order of their values."),
)


class ElementAccessors:
    """Access to elements.

    A key is a name of the source file, a prim path, the last part of a path where it is unique, or
    an index. Unknown keys raise `UnknownNameError` with close matches, unless
    `usdsim.set_unknown_names` chose None for names. Elements without a name in
    their source file have None among the names.
    """


def _define() -> None:
    """Give the class its accessors."""
    for kind in _KINDS:
        space: dict[str, Any] = {"__name__": __name__, kind.element.__name__: kind.element}
        known = set(space)
        source = compile(kind.source, f"<accessors of {kind.many}>", "exec", dont_inherit=True)
        exec(source, space)
        for name in space.keys() - known - {"__builtins__"}:
            made = space[name]
            function = made.fget if isinstance(made, property) else made
            function.__qualname__ = f"{ElementAccessors.__name__}.{name}"
            setattr(ElementAccessors, name, made)


_define()


def stub_text() -> str:
    """Text of the stub file of this module."""
    lines = [f'"""{(__doc__ or "").partition(chr(10))[0]}"""', ""]
    for element in sorted((kind.element for kind in _KINDS), key=lambda kind: kind.__module__):
        lines.append(f"from {element.__module__} import {element.__name__}")
    lines += ["", "from .structure import Structure", ""]
    lines += ['__all__ = ["ElementAccessors", "stub_text"]', ""]
    lines += ["def stub_text() -> str: ...", "", "class ElementAccessors:"]
    lines += ["    _structure: Structure", ""]
    for kind in _KINDS:
        for line in kind.source.splitlines():
            if not line.startswith("    return"):
                lines.append(f"    {line}".rstrip())
    return "\n".join(lines) + "\n"
