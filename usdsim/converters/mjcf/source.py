"""Loading and compiling what is to be converted."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import mujoco

from usdsim.core.errors import ConversionError, FileError

__all__ = ["Source", "explain", "load_source"]


@dataclass(frozen=True, eq=False)
class Source:
    """A compiled MJCF model with the spec it came from."""

    spec: mujoco.MjSpec
    model: mujoco.MjModel
    label: str
    """File name, or what stands for it in messages."""
    elements: dict[str, list[Any]]
    """Spec elements by kind, in the order of the compiled model."""


_LISTS = {
    "body": ("bodies", "nbody"),
    "joint": ("joints", "njnt"),
    "geom": ("geoms", "ngeom"),
    "site": ("sites", "nsite"),
    "camera": ("cameras", "ncam"),
    "light": ("lights", "nlight"),
    "mesh": ("meshes", "nmesh"),
    "hfield": ("hfields", "nhfield"),
    "texture": ("textures", "ntex"),
    "material": ("materials", "nmat"),
    "skin": ("skins", "nskin"),
    "flex": ("flexes", "nflex"),
    "pair": ("pairs", "npair"),
    "exclude": ("excludes", "nexclude"),
    "equality": ("equalities", "neq"),
    "tendon": ("tendons", "ntendon"),
    "actuator": ("actuators", "nactuator"),
    "sensor": ("sensors", "nsensor"),
    "key": ("keys", "nkey"),
    "numeric": ("numerics", "nnumeric"),
    "text": ("texts", "ntext"),
    "tuple": ("tuples", "ntuple"),
    "plugin": ("plugins", "nplugin"),
}


def load_source(source: str | os.PathLike[str] | mujoco.MjSpec) -> Source:
    """Compile a file, the text of one, or a spec.

    Raises:
        FileError: there is no such file.
        ConversionError: MuJoCo refuses it; its message names file, line and element.
    """
    label: str = "model"
    text: str | Path = ""
    try:
        if isinstance(source, mujoco.MjSpec):
            spec = source
        elif isinstance(source, str) and source.lstrip().startswith("<"):
            text = source
            spec = mujoco.MjSpec.from_string(source)
        else:
            path = text = Path(source)
            label = path.name
            if not path.is_file():
                raise FileError(f"No such MJCF file: {str(path)!r}.")
            # MuJoCo resolves the files of included files twice where the path is relative.
            spec = mujoco.MjSpec.from_file(str(path.resolve()))
        model = spec.compile()
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        raise ConversionError(f"MuJoCo cannot compile {label!r}: {explain(error, text)}") from error
    step = float(model.opt.timestep)
    if not 0.0 < step < math.inf:
        raise ConversionError(
            f"{label!r}: timestep of <option> is {step:g}; allowed: a finite number above 0 [s]."
        )
    return Source(spec, model, label, _by_index(spec, model))


def explain(error: Exception, source: str | Path) -> str:
    """MuJoCo's complaint in one line; where the source is no XML at all, what is wrong with it."""
    try:
        if "XML_ERROR" in str(error):
            ElementTree.fromstring(source if isinstance(source, str) else source.read_bytes())
    except (ElementTree.ParseError, ValueError) as malformed:
        return f"not well-formed XML ({malformed})."
    return "; ".join(line.strip() for line in str(error).splitlines() if line.strip())


def _by_index(spec: mujoco.MjSpec, model: mujoco.MjModel) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for kind, (attribute, size) in _LISTS.items():
        elements = sorted(getattr(spec, attribute), key=lambda element: element.id)
        count = int(getattr(model, size))
        # Keyframes are padded to the number the size element asks for.
        found[kind] = [element for element in elements if element.id >= 0][:count]
    return found
