"""Fragments of worlds: files whose sensors and pairs refer to what another world has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mujoco

from usdsim.converters.mjcf.reading.source import load_source
from usdsim.core.errors import ConversionError

__all__ = ["add_open", "read_part"]

_OBJECT = mujoco.mjtObj
_FINDERS = {
    int(_OBJECT.mjOBJ_BODY): "body",
    int(_OBJECT.mjOBJ_XBODY): "body",
    int(_OBJECT.mjOBJ_GEOM): "geom",
    int(_OBJECT.mjOBJ_SITE): "site",
    int(_OBJECT.mjOBJ_JOINT): "joint",
    int(_OBJECT.mjOBJ_CAMERA): "camera",
}
_KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "sensors": (
        "add_sensor",
        (
            *("type", "objtype", "objname", "reftype", "refname", "intprm", "datatype"),
            *("needstage", "dim", "cutoff", "noise", "userdata"),
        ),
    ),
    "pairs": (
        "add_pair",
        (
            *("geomname1", "geomname2", "condim", "friction", "solref", "solreffriction"),
            *("solimp", "margin", "gap"),
        ),
    ),
    "excludes": ("add_exclude", ("bodyname1", "bodyname2")),
}
"""Elements that may refer to another world: how one is added, and what it says."""


def read_part(source: str | Path, folder: Path | None = None) -> mujoco.MjSpec:
    """Read MJCF, whole or a fragment.

    Args:
        source: a file, or the text of one.
        folder: where the files of a text are; None: in the current folder.

    Raises:
        FileError: there is no such file.
        ConversionError: MuJoCo cannot read it, and not for what is elsewhere alone.
    """
    try:
        return load_source(source, folder).spec
    except ConversionError:
        try:
            if isinstance(source, Path):
                spec = mujoco.MjSpec.from_file(str(source.resolve()))
            else:
                spec = mujoco.MjSpec.from_string(source)
        except (ValueError, RuntimeError):
            spec = None
        if spec is None or next(_open(spec), None) is None:
            raise
        return spec


def add_open(spec: mujoco.MjSpec, other: mujoco.MjSpec, prefix: str, suffix: str) -> None:
    """Add the elements of another world that refer to what that world has not.

    Args:
        spec: world that gets them, and has it.
        other: the fragment.
        prefix: in front of their names.
        suffix: behind their names.
    """
    for kind, element in list(_open(other)):
        add, parts = _KINDS[kind]
        name = f"{prefix}{element.name}{suffix}" if element.name else ""
        known = [item.name for item in getattr(spec, kind)]
        if not name or name not in known:
            values = {part: _plain(getattr(element, part)) for part in parts}
            getattr(spec, add)(name=name, **values)


def _plain(value: Any) -> Any:
    """Value that is not bound to the element it was read from."""
    return list(value) if hasattr(value, "__len__") and not isinstance(value, str) else value


def _open(spec: mujoco.MjSpec) -> Iterator[tuple[str, Any]]:
    """Elements that refer to what the world has not, by kind."""
    for sensor in spec.sensors:
        ends = (sensor.objtype, sensor.objname), (sensor.reftype, sensor.refname)
        if any(_missing(spec, int(kind), name) for kind, name in ends):
            yield "sensors", sensor
    geom, body = int(_OBJECT.mjOBJ_GEOM), int(_OBJECT.mjOBJ_BODY)
    for pair in spec.pairs:
        if any(_missing(spec, geom, name) for name in (pair.geomname1, pair.geomname2)):
            yield "pairs", pair
    for pair in spec.excludes:
        if any(_missing(spec, body, name) for name in (pair.bodyname1, pair.bodyname2)):
            yield "excludes", pair


def _missing(spec: mujoco.MjSpec, kind: int, name: str) -> bool:
    finder = _FINDERS.get(kind)
    return finder is not None and bool(name) and getattr(spec, finder)(name) is None
