"""Contact sensors of the engine: what they are told apart by, and where their numbers are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import mujoco
import numpy as np
import warp as wp

from usdsim.assets.common.matching import first_environment
from usdsim.core.errors import StageError
from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.parser.description import BodyDescription, GenericDescription, SceneDescription
from usdsim.sensors.common.bodies import find_geoms, group_bodies

__all__ = ["Filter", "PartLayout", "address_of", "find_filters", "with_contact_sensors"]

_BODY, _GEOM = int(mujoco.mjtObj.mjOBJ_BODY), int(mujoco.mjtObj.mjOBJ_GEOM)
_FIELD = mujoco.mjtConDataField
_FORCE = 1 << int(_FIELD.mjCONDATA_FORCE)
_DETAILS = sum(
    1 << int(field)
    for field in (
        _FIELD.mjCONDATA_FOUND,
        _FIELD.mjCONDATA_FORCE,
        _FIELD.mjCONDATA_DIST,
        _FIELD.mjCONDATA_POS,
        _FIELD.mjCONDATA_NORMAL,
        _FIELD.mjCONDATA_TANGENT,
    )
)
"""Numbers of a contact that `usdsim.sensors.contact.detail_kernels` reads."""
_NET = 3
"""Sum all contacts into one force along world axes."""
_STRONGEST = 2
"""List the contacts with the largest forces."""


@dataclass(frozen=True)
class Filter:
    """Filter: the bodies or shapes that a column of a force matrix is about."""

    path: str
    """Prim path in one world."""
    body: bool
    """Whether it is a body; otherwise a prim with fixed shapes."""
    geoms: tuple[str, ...] = ()
    """Paths of those shapes."""

    @property
    def parts(self) -> tuple[tuple[int, str], ...]:
        """Engine type and path of everything that counts."""
        return ((_BODY, self.path),) if self.body else tuple((_GEOM, g) for g in self.geoms)


def find_filters(
    scene: SceneDescription, expressions: Iterable[str], env_paths: Sequence[str]
) -> tuple[Filter, ...]:
    """Find what expressions match: bodies, else prims with shapes that are on no body of theirs.

    Args:
        scene: the first environment and what is outside environments.
        expressions: see `usdsim.sensors.common.bodies.group_bodies`.
        env_paths: prim paths of the environments.

    Raises:
        StageError: an expression matches no body and no collider.
    """
    found: dict[str, Filter] = {}
    for expression in expressions:
        groups = group_bodies(scene, expression, env_paths)
        for path in (path for row in groups.values() for path in row):
            found.setdefault(path, Filter(path, True))
        if groups:
            continue
        colliding = {geom.path for geom in scene.geoms if geom.collides}
        local = first_environment(expression, env_paths)
        prims = {
            prim: tuple(path for path in paths if path in colliding)
            for prim, paths in find_geoms(scene, expression, env_paths).items()
        }
        if not any(prims.values()):
            raise StageError(
                f"The filter {local!r} matches neither a body nor a prim with colliders. Correct "
                "filter_prim_paths_expr."
            )
        for prim, paths in prims.items():
            if paths:
                found.setdefault(prim, Filter(prim, False, paths))
    return tuple(found.values())


def _key(body: str, other: str, slots: int) -> str:
    """Path of a sensor element: without slashes, so that no expression matches it.

    Args:
        body: the body that is sensed.
        other: what it touches; empty: anything.
        slots: room for single contacts; 0: their forces are summed.
    """
    kind = f"contacts {slots}" if slots else "contact"
    return f"{kind}:{body}:{other}".replace("/", "|")


def with_contact_sensors(
    scene: SceneDescription, bodies: Iterable[str], filters: Sequence[Filter], slots: int = 0
) -> SceneDescription:
    """A scene whose engine senses contacts; what is sensed already is not sensed again.

    Args:
        scene: the scene.
        bodies: paths of the bodies the forces act on.
        filters: what they are told apart by.
        slots: single contacts of a body with a part of a filter that are told, the strongest first;
            0: only the sums of forces are.
    """
    known = {element.path for element in scene.elements}
    added: dict[str, GenericDescription] = {}
    for body in bodies:
        parts = [part for found in filters for part in found.parts]
        wanted = [(None, 0), *((part, 0) for part in parts)]
        wanted += [(part, slots) for part in parts if slots]
        for other, room in wanted:
            key = _key(body, other[1] if other else "", room)
            if key not in known:
                added[key] = _sensor(key, body, other, room)
    used = {str(e.overrides[k]) for e in added.values() for k in _NAMED if k in e.overrides}
    return replace(
        scene,
        bodies=tuple(_named(b) if b.path in used else b for b in scene.bodies),
        geoms=tuple(replace(g, name=g.name or None) if g.path in used else g for g in scene.geoms),
        elements=(*scene.elements, *added.values()),
    )


_NAMED = ("objname", "refname")


def _named(body: BodyDescription) -> BodyDescription:
    # The engine refers to elements by name, so what has none in its source is called by its path.
    return replace(body, name=body.name or None)


def _sensor(key: str, body: str, other: tuple[int, str] | None, slots: int) -> GenericDescription:
    values = {
        "type": int(mujoco.mjtSensor.mjSENS_CONTACT),
        "objtype": _BODY,
        "objname": body,
        "intprm": [_DETAILS, _STRONGEST, slots] if slots else [_FORCE, _NET, 1],
    }
    if other is not None:
        values |= {"reftype": other[0], "refname": other[1]}
    return GenericDescription(path=key, kind="sensor", overrides=values)


def address_of(compiled: CompiledModel, body: str, other: str = "", slots: int = 0) -> int:
    """Address of the numbers of a sensor in the engine's sensor data; see `_key`."""
    return int(compiled.mj.sensor_adr[compiled.names.index("sensor", _key(body, other, slots))])


class PartLayout:
    """Addresses of parts, as kernels take them.

    Args:
        parts: addresses of the parts of each match, body and column.
        size: numbers of matches and bodies.
        device: where the arrays live.

    Attributes:
        arrays: where the parts of each begin and end, shape (matches, bodies, columns), and the
            addresses.
    """

    def __init__(self, parts: Sequence[Sequence[int]], size: tuple[int, int], device: str):
        ends = np.cumsum([len(entry) for entry in parts])
        starts = ends - [len(entry) for entry in parts]
        flat = np.array([value for entry in parts for value in entry])
        bounds = (starts.reshape(*size, -1), ends.reshape(*size, -1), flat)
        self.arrays = [
            wp.array(bound.astype(np.int32), dtype=wp.int32, device=device) for bound in bounds
        ]
