"""Loading and compiling what is to be converted."""

from __future__ import annotations

import itertools
import math
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.core.dialects.mjc_tables import COUNTS
from usdsim.core.errors import ConversionError, FileError

from .backdrops import without_pixels
from .composites import weigh_points
from .extensions import Omission, adapt
from .world_frames import into_parents

__all__ = ["MjcfSource", "explain", "load_source"]

Change = Callable[[mujoco.MjSpec], None]

_REFUSALS = (ValueError, RuntimeError, mujoco.FatalError)


@dataclass(frozen=True, eq=False)
class MjcfSource:
    """A compiled MJCF model with the spec it came from."""

    spec: mujoco.MjSpec
    model: mujoco.MjModel
    label: str
    """File name, or what stands for it in messages."""
    elements: dict[str, list[Any]]
    """Spec elements by kind, in the order of the compiled model."""
    omissions: tuple[Omission, ...] = ()
    """Extensions of other engines, left out."""


_LISTS = {"body": "bodies", "equality": "equalities", "flex": "flexes", "mesh": "meshes"}
"""Members of a spec that list its elements of a kind, where they are not the kind with an s."""

_FRAMES = {
    "body": ("pos", "quat", "ipos", "iquat"),
    "geom": ("pos", "quat", "size", "fromto"),
    "site": ("pos", "quat", "size", "fromto"),
    "frame": ("pos", "quat"),
    "joint": ("pos", "axis"),
}
"""Attributes that say where an element is and what shape it has."""
_ORIENTATIONS = ("axisangle", "xyaxes", "zaxis", "euler")
"""Attributes that may say so in place of ``quat``."""
_LENGTHS = ("pos", "ipos", "fromto", "size")
_FARTHEST = 1e7
"""Largest coordinate and size [m], beyond the radius of the earth; muscles farther away, or on
bodies that are larger, keep the engine's compiler busy."""
_REMEDIES = {
    "opening file": "Provide the file, or correct its name, which counts from the model's folder "
    "and those that <compiler> names.",
    "Element 'composite'": "MuJoCo has no composites since version 4, and only those of type "
    "'cable' convert: load the model in version 3 and save it, which writes their bodies.",
    "'mujocoinclude'": "It is a part of other models: convert one that includes it.",
}
"""Remedies by words of the complaint."""
_UNSET = ("ipos", "fromto", *_ORIENTATIONS)
"""Attributes whose first number is none where nobody states them."""


def load_source(
    source: str | os.PathLike[str] | mujoco.MjSpec,
    folder: Path | None = None,
    change: Change | None = None,
) -> MjcfSource:
    """Compile a file, the text of one, or a spec.

    What MuJoCo refuses is read once more without what only other engines know, and whatever its
    name ends with, see `adapt`.

    Args:
        source: what to compile.
        folder: where the files of a text are; None: in the current folder.
        change: what is done to the spec before it is compiled.

    Raises:
        FileError: there is no such file.
        ConversionError: MuJoCo refuses it; its message names file, line and element.
    """
    given: str | Path | mujoco.MjSpec
    if isinstance(source, mujoco.MjSpec) or (
        isinstance(source, str) and source.lstrip().startswith("<")
    ):
        given, label = source, "model"
    else:
        given = Path(source)
        label = given.name
        if not given.is_file():
            raise FileError(f"No such MJCF file: {str(given)!r}.")
    omissions: tuple[Omission, ...] = ()
    try:
        spec, model = _compiled(given, folder, change)
    except _REFUSALS as error:
        spec, model, omissions = _mended(given, label, error, folder, change)
    step = float(model.opt.timestep)
    if not 0.0 < step < math.inf:
        raise ConversionError(
            f"{label!r}: timestep of <option> is {step:g}; allowed: a finite number above 0 [s]."
        )
    return MjcfSource(spec, model, label, _by_index(spec, model), omissions)


def _compiled(
    given: str | Path | mujoco.MjSpec, folder: Path | None, change: Change | None
) -> tuple[mujoco.MjSpec, mujoco.MjModel]:
    if isinstance(given, str):
        given = mujoco.MjSpec.from_string(given)
        if folder is not None:
            given.modelfiledir = str(folder.resolve())
    elif isinstance(given, Path):
        # MuJoCo resolves the files of included files twice where the path is relative.
        given = mujoco.MjSpec.from_file(str(given.resolve()))
    _require_finite(given)
    if change is not None:
        change(given)
    with without_pixels(given):
        return given, given.compile()


def _require_finite(spec: mujoco.MjSpec) -> None:
    """Refuse shapes and frames that are infinite, out of reach, or no numbers.

    The engine's compiler may ponder over them for ever.
    """
    for kind, names in _FRAMES.items():
        for element in _listed(spec, kind):
            values = [(name, np.ravel(getattr(element, name))) for name in names]
            other = getattr(element, "alt", None)
            if other is not None and other.type != mujoco.mjtOrientation.mjORIENTATION_QUAT:
                values += [(name, np.ravel(getattr(other, name))) for name in _ORIENTATIONS]
            found = (pair for pair in values if _is_endless(*pair))
            name, value = next(found, ("", None))
            if value is None:
                continue
            raise ConversionError(
                f"{name} of {kind} {element.name!r} is {value}; allowed: finite numbers, and "
                f"positions and sizes within {_FARTHEST:g} m."
            )


def _is_endless(name: str, value: NDArray[np.float64]) -> bool:
    numbers = value.tolist()
    unset = name in _UNSET and math.isnan(numbers[0])
    most = _FARTHEST if name in _LENGTHS else np.finfo(np.float64).max
    return not unset and not all(abs(number) <= most for number in numbers)


def _mended(
    given: str | Path | mujoco.MjSpec,
    label: str,
    refusal: Exception,
    folder: Path | None,
    change: Change | None,
) -> tuple[mujoco.MjSpec, mujoco.MjModel, tuple[Omission, ...]]:
    """Read what can be read of a refused model after all.

    Raises:
        ConversionError: nothing; it says why.
    """
    what = f"MuJoCo cannot compile {label!r}"
    if isinstance(given, mujoco.MjSpec):
        raise ConversionError(f"{what}: {explain(refusal, '')}") from refusal
    with tempfile.TemporaryDirectory(prefix="usdsim-") as scratch:
        kept = itertools.count()

        def place(text: str) -> Path:
            file = Path(scratch, f"{next(kept)}.xml")
            file.write_text(text, encoding="utf-8")
            return file

        try:
            adapted = adapt(given, place, folder)
        except ConversionError:
            raise
        except (OSError, ElementTree.ParseError, ValueError):
            raise ConversionError(f"{what}: {explain(refusal, given)}") from refusal
        if not (adapted.omissions or adapted.moved):
            raise ConversionError(f"{what}: {explain(refusal, given)}") from refusal

        def restated(spec: mujoco.MjSpec) -> None:
            if adapted.placed is not None:
                into_parents(spec, adapted.placed)
            weigh_points(spec, adapted.masses)
            if change is not None:
                change(spec)

        try:
            spec, model = _compiled(place(adapted.text), None, restated)
        except _REFUSALS as error:
            raise ConversionError(f"{what}: {explain(error, adapted.text)}") from error
    return spec, model, tuple(adapted.omissions)


def explain(error: Exception, source: str | Path) -> str:
    """MuJoCo's complaint in one line; where the source is no XML at all, what is wrong with it."""
    try:
        if "XML_ERROR" in str(error):
            ElementTree.fromstring(source if isinstance(source, str) else source.read_bytes())
    except (ElementTree.ParseError, ValueError) as malformed:
        return f"not well-formed XML ({malformed})."
    words = "; ".join(line.strip() for line in str(error).splitlines() if line.strip())
    remedies = [remedy for complaint, remedy in _REMEDIES.items() if complaint in words]
    return ". ".join([words, *remedies])


def _listed(spec: mujoco.MjSpec, kind: str) -> list[Any]:
    return list(getattr(spec, _LISTS.get(kind, f"{kind}s")))


def _by_index(spec: mujoco.MjSpec, model: mujoco.MjModel) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for kind, size in COUNTS.items():
        elements = sorted(_listed(spec, kind), key=lambda element: element.id)
        count = int(getattr(model, size))
        # Keyframes are padded to the number the size element asks for.
        found[kind] = [element for element in elements if element.id >= 0][:count]
    return found
