"""Compile errors: the engine's complaints, in the words of the stage."""

from __future__ import annotations

import re
import warnings

import mujoco

from usdsim.core.errors import CompileError

from .context import Build
from .mjc.lengths import UNCONVERGED, sample_length_ranges

__all__ = ["compile_spec"]

_ELEMENT = re.compile(r"Element name '(?P<name>[^']*)', id (?P<id>-?\d+)")
_OF_ACTUATORS = re.compile(
    r"actuator|actdim|actrange|actlimited|ctrlrange|lengthrange|dyntype|dynprm|gain|bias|muscle"
    r"|transmission|crank|slidersite|cylinder area"
)
"""Words of complaints about actuators."""

WORDS: tuple[tuple[str, str], ...] = (
    (r"must be larger than mjMINVAL", "must be larger than 1e-15"),
    (r"mesh '.*' has colocated vertices.*", "the points of the mesh coincide"),
    (r"mesh '.*' has coplanar vertices.*", "the points of the mesh are coplanar"),
    (r"size \d+ must be positive in geom", "its size must be positive"),
)
"""Patterns of complaints in the engine's terms, and what to say instead."""

REMEDIES: tuple[tuple[str, str], ...] = (
    (
        "mass and inertia of moving bodies",
        "Author physics:mass (and physics:diagonalInertia) on the body, or give it a collider with "
        "volume and density, so that it weighs something.",
    ),
    (
        "inertia must satisfy",
        "No body has such principal moments: each may be at most the sum of the other two. "
        "Correct physics:diagonalInertia.",
    ),
    (
        "coplanar",
        "The mesh is flat. Use the boundingCube approximation or a primitive shape.",
    ),
    (
        "faces have inconsistent orientation",
        "Orient all faces outward, or use the convexHull approximation.",
    ),
    ("mesh volume is", "Close the mesh and orient its faces outward, or use convexHull."),
    ("at least 4 vertices", "Use a primitive shape."),
    ("points of the mesh coincide", "Correct its points, or use a small Sphere."),
    (
        "depth limit exceeded",
        "MuJoCo takes chains of at most 1,023 bodies. Join links by fixed joints that are merged "
        "(merge_fixed_joints), or make two robots of the chain.",
    ),
    ("actdim", "Remove mjc:actDim, or author an mjc:dynType that has so many activations."),
    ("range", "Author a lower limit below the upper one."),
    ("repeated name", "Give the prims different names."),
    ("size", "Give the shape positive dimensions."),
)
"""Words of a complaint and what to do about it."""


def compile_spec(build: Build) -> mujoco.MjModel:
    """Compile, naming prims in errors.

    Raises:
        CompileError: the engine refuses the scene.
    """
    try:
        with warnings.catch_warnings():
            if build.soft:
                # Bodies that are moved by the user, or have no elasticity, need no forces.
                warnings.filterwarnings("ignore", ".*no equality constraints or passive forces")
            return _compiled(build)
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        raise CompileError(_explain(build, str(error))) from error


def _compiled(build: Build) -> mujoco.MjModel:
    """The model, with sampled length ranges of muscles where the engine finds none."""
    try:
        return build.spec.compile()
    except ValueError as error:
        if UNCONVERGED not in str(error):
            raise
    drives = len(build.elements["actuator"])
    for index in sample_length_ranges(build.spec):
        build.note(
            build.scene.actuators[index - drives].path,
            "states no length range, and the engine finds none: that of sampled postures holds; "
            "author mjc:lengthRange:min and mjc:lengthRange:max",
        )
    return build.spec.compile()


def _explain(build: Build, text: str) -> str:
    complaint = text.removeprefix("Error: ").split("\n")[0].strip()
    for pattern, words in WORDS:
        complaint = re.sub(pattern, words, complaint)
    complaint = complaint.rstrip(".")
    match = _ELEMENT.search(text)
    where, value = "", ""
    if match and match["name"]:
        where = _path_of(build, match["name"], complaint)
        value = _value_of(build, where)
    remedy = next((advice for words, advice in REMEDIES if words in complaint), "")
    place = f"{where!r}: " if where else "The scene: "
    return f"{place}{complaint}{value}. {remedy}".rstrip()


def _path_of(build: Build, name: str, complaint: str) -> str:
    """Path of the prim that the engine has under a name, which prims of several kinds may share."""
    if _OF_ACTUATORS.search(complaint):
        for actuator in build.scene.actuators:
            if build.names.get(actuator.path) == name:
                return actuator.path
    for table in build.elements.values():
        for path, element in table.items():
            if element.name == name:
                return path
    return next((path for path, given in build.names.items() if given == name), name)


def _value_of(build: Build, path: str) -> str:
    for body in build.scene.bodies:
        if body.path == path:
            moments = [float(moment) for moment in body.inertia]
            return f" (mass {body.mass:g} kg, principal moments {moments} kg m^2)"
    return ""
