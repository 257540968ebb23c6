"""Opinions in which environments may differ by number: which attributes, and their values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Sdf, Usd

from usdsim.usd.converted import converted_values, has_checksum

__all__ = ["LOOKS", "LOOSE", "Opinion", "attribute_values", "loose_opinions"]

Array = NDArray[np.float64]

_POSITIVE = (
    *("physics:mass", "physics:density", "physics:diagonalInertia"),
    *("physics:dynamicFriction", "physics:staticFriction"),
    r"drive:\w+:physics:(?:stiffness|damping|maxForce)",
    r"newton:(?:armature|damping|friction|velocityLimit)",
    r"physxJoint:(?:armature|jointFriction|maxJointVelocity)",
    *("mjc:armature", "mjc:damping", "mjc:frictionloss"),
    *("radius", "height", "size"),
)
"""Attributes, as patterns, of which zero and less mean something else than more does."""
_SIGNED = (
    *("physics:lowerLimit", "physics:upperLimit", r"limit:\w+:physics:(?:low|high)"),
    r"drive:\w+:physics:target(?:Position|Velocity)",
    *("physics:centerOfMass", "physics:velocity", "physics:angularVelocity"),
    *("physics:restitution", "xformOp:translate"),
)
"""Other attributes, as patterns, from which the engine's numbers follow smoothly."""
_MOST = 1e9
"""Largest value; what is larger often stands for infinity."""

_NEAR = 1e-6
"""Difference from a converted number, relative to it, that may be rounding."""
_UNITS = (1.0, np.pi / 180.0, 180.0 / np.pi)
"""Converted numbers over those of attributes, which may be in degrees or per degree."""

_NUMBER = r"[-+0-9.e]+"
_NAMES = "|".join((*_POSITIVE, *_SIGNED))
LOOSE = re.compile(
    rf"^(\s*(?:custom )?(?:float|double|(?:float|double|point|vector)3[fd]?) (?:{_NAMES})) = "
    rf"(?:{_NUMBER}|\({_NUMBER}(?:, {_NUMBER}){{2}}\))$",
    re.MULTILINE,
)
"""Their default values in the text of a layer; anything beside a plain number does not match."""
LOOKS = re.compile(r"^\s*(?:color3f|float) inputs:\w+ = .+\n?", re.MULTILINE)
"""Colours and numbers of shaders in the text of a layer, which no motion depends on: what is drawn
of environments that differ in them is read from the stage."""
_POSITIVE_NAME = re.compile("|".join(_POSITIVE))


@dataclass(frozen=True, eq=False)
class Opinion:
    """An attribute with a value that environments may have each their own of."""

    path: str
    """Path of the attribute behind the environment's, ``/Robot/trunk.physics:mass``."""
    type_name: Sdf.ValueTypeName
    positive: bool
    """Whether its value must be above zero."""
    converted: Array
    """Sizes of numbers that a conversion noted on the prim [SI, radians]: where the value says one
    of them as precisely as it can, that one holds."""

    def author(self, layer: Sdf.Layer, environment: str, value: Sequence[float]) -> None:
        """Author another value of the opinion's components in a layer."""
        path = Sdf.Path(environment + self.path)
        spec = Sdf.CreatePrimInLayer(layer, path.GetPrimPath())
        attribute = Sdf.AttributeSpec(spec, path.name, self.type_name)
        kind = self.type_name.type.pythonClass
        attribute.default = float(value[0]) if len(value) == 1 else kind(*map(float, value))

    def ordinary(self, values: Array) -> NDArray[np.bool_]:
        """Whether each of its values, shape (n, components), means just what it says."""
        sizes = np.abs(values)
        usual = np.isfinite(values) & (sizes < _MOST)
        if self.positive:
            usual &= values > 0.0
        said = np.zeros(len(values), np.bool_)
        for unit in _UNITS if len(self.converted) else ():
            near = np.abs(sizes[:, :, None] * unit - self.converted) <= _NEAR * self.converted
            said |= np.all(np.any(near, axis=2), axis=1)
        return np.asarray(usual.all(axis=1) & ~said)


def loose_opinions(stage: Usd.Stage, environment: str) -> list[Opinion] | None:
    """Opinions of an environment that `LOOSE` matches; None if one of them is out of reach.

    Args:
        stage: the stage.
        environment: prim path of the environment.
    """
    found: dict[str, Opinion] = {}
    for spec in stage.GetPrimAtPath(environment).GetPrimStack():
        own = [a for a in spec.attributes if not a.name.startswith("xformOp")]
        said = [a for a in own if LOOSE.search(a.GetAsText())]
        for child in spec.nameChildren:
            below = [*_loose_below(child)]
            if len(below) != len(LOOSE.findall(child.GetAsText())):
                return None  # The rest is no attribute, but text or a note.
            said += below
        start = len(spec.path.StripAllVariantSelections().pathString)
        for attribute in said:
            path = attribute.path.StripAllVariantSelections().pathString[start:]
            opinion = _opinion(stage.GetAttributeAtPath(environment + path), path)
            if opinion is None:
                return None
            found[path] = opinion
    return list(found.values())


def _loose_below(spec: Sdf.PrimSpec) -> Iterator[Sdf.AttributeSpec]:
    """Attributes with loose values at and below a spec."""
    yield from (a for a in spec.attributes if LOOSE.search(a.GetAsText()))
    for child in spec.nameChildren:
        yield from _loose_below(child)


def _opinion(attribute: Usd.Attribute, path: str) -> Opinion | None:
    if not attribute or attribute.GetNumTimeSamples() or not attribute.GetPrim().IsActive():
        return None
    prim, name = attribute.GetPrim(), attribute.GetName()
    if prim.IsInstanceProxy() or prim.IsInPrototype() or has_checksum(prim, name):
        return None
    notes = converted_values(prim).values()
    numbers = [np.abs(np.asarray(note, np.float64)).ravel() for note in notes if _is_number(note)]
    kept = np.unique(np.concatenate(numbers)) if numbers else np.zeros(0)
    positive = _POSITIVE_NAME.fullmatch(name) is not None
    return Opinion(path, attribute.GetTypeName(), positive, kept)


def _is_number(value: Any) -> bool:
    return np.asarray(value).dtype.kind in "uif"


def attribute_values(
    stage: Usd.Stage, environments: Sequence[str], opinion: Opinion
) -> Array | None:
    """Values of an attribute in environments, shape (n, components); None if one has none."""
    values = [stage.GetAttributeAtPath(path + opinion.path).Get() for path in environments]
    if any(value is None for value in values):
        return None
    return np.array(values, np.float64).reshape(len(values), -1)
