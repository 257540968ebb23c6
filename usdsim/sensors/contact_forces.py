"""Contact forces as the engine sums them up in every step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.assets.matching import first_environment
from usdsim.core.errors import StageError
from usdsim.engine.base import Engine
from usdsim.engine.compile import CompiledModel
from usdsim.parser.description import BodyDescription, GenericDescription, SceneDescription

from .kernel_pass import Rows
from .matching import find_geoms, group_bodies

__all__ = ["ContactForces", "Filter", "find_filters", "with_contact_forces"]

_BODY, _GEOM = int(mujoco.mjtObj.mjOBJ_BODY), int(mujoco.mjtObj.mjOBJ_GEOM)
_FORCE = 1 << int(mujoco.mjtConDataField.mjCONDATA_FORCE)
_NET = 3
"""Sum all contacts into one force along world axes."""
_NO_SENSORS = int(mujoco.mjtDisableBit.mjDSBL_SENSOR)


@dataclass(frozen=True)
class Filter:
    """What a column of a force matrix is about."""

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
    """What expressions match: bodies, else prims with shapes that are on no body they belong to.

    Args:
        scene: the first environment and what is outside environments.
        expressions: see `usdsim.sensors.matching.group_bodies`.
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


def _key(body: str, other: str = "") -> str:
    """Path of a sensor element: without slashes, so that no expression matches it."""
    return f"contact:{body}:{other}".replace("/", "|")


def with_contact_forces(
    scene: SceneDescription, bodies: Iterable[str], filters: Sequence[Filter]
) -> SceneDescription:
    """A scene whose engine sums contact forces; what is summed already is not summed again.

    Args:
        scene: the scene.
        bodies: paths of the bodies the forces act on.
        filters: what they are told apart by.
    """
    known = {element.path for element in scene.elements}
    added: dict[str, GenericDescription] = {}
    for body in bodies:
        wanted = [
            (_key(body), None),
            *((_key(body, p), (k, p)) for f in filters for k, p in f.parts),
        ]
        for key, other in wanted:
            if key not in known:
                added[key] = _sensor(key, body, other)
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


def _sensor(key: str, body: str, other: tuple[int, str] | None) -> GenericDescription:
    values = {
        "type": int(mujoco.mjtSensor.mjSENS_CONTACT),
        "objtype": _BODY,
        "objname": body,
        "intprm": [_FORCE, _NET, 1],
    }
    if other is not None:
        values |= {"reftype": other[0], "refname": other[1]}
    return GenericDescription(path=key, kind="sensor", overrides=values)


class ContactForces:
    """Reads the sums.

    Args:
        engine: an engine whose scene went through `with_contact_forces`.
        bodies: paths of the bodies, a row per match.
        filters: what forces are told apart by.

    Raises:
        StageError: the stage turns sensors of the engine off.
    """

    def __init__(self, engine: Engine, bodies: Sequence[Sequence[str]], filters: Sequence[Filter]):
        compiled = engine.compiled
        if compiled.mj.opt.disableflags & _NO_SENSORS:
            raise StageError(
                "The stage disables the engine's sensors, so that contact forces are not summed. "
                "Remove the flag `sensor` from its mjc: options."
            )
        self._engine = engine
        flat = [path for row in bodies for path in row]
        self._net = np.array([_address(compiled, _key(path)) for path in flat])
        parts = [
            [[_address(compiled, _key(path, part)) for _, part in f.parts] for f in filters]
            for path in flat
        ]
        self._starts, self._parts = _ragged([entry for row in parts for entry in row])

    def net(self, out: NDArray[np.float32], rows: Rows) -> None:
        """Forces on bodies, world [N], shape (num_instances, num_bodies, 3)."""
        self._fill(self._read(self._net), out, rows)

    def matrix(self, out: NDArray[np.float32], rows: Rows) -> None:
        """Forces on bodies by filters, world [N], shape (num_instances, num_bodies, filters, 3)."""
        values = self._read(self._parts)
        if len(self._starts) != len(self._parts):
            values = np.add.reduceat(values, self._starts, axis=1)
        self._fill(values, out, rows)

    def _read(self, addresses: NDArray[np.intp]) -> NDArray[np.float64]:
        data = self._engine.read("sensordata")
        first = int(addresses[0])
        if np.array_equal(addresses, first + 3 * np.arange(len(addresses))):
            chosen = data[:, first : first + 3 * len(addresses)]
        else:
            chosen = data[:, (addresses[:, None] + np.arange(3)).reshape(-1)]
        return chosen.reshape(len(data), -1, 3)

    def _fill(self, values: NDArray[np.float64], out: NDArray[np.float32], rows: Rows) -> None:
        # The engine says what bodies exert, not what they undergo.
        if rows is None:
            np.subtract(0.0, values, out=out.reshape(values.shape), casting="same_kind")
        else:
            out[rows] = 0.0 - values.reshape(out.shape)[rows]


def _ragged(lists: Sequence[Sequence[int]]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where each list starts in all of them joined, and all joined."""
    lengths = [len(entry) for entry in lists]
    starts = np.cumsum([0, *lengths])[:-1] if lists else np.zeros(0, np.intp)
    joined = np.array([value for entry in lists for value in entry], np.intp)
    return np.asarray(starts, np.intp), joined


def _address(compiled: CompiledModel, key: str) -> int:
    return int(compiled.mj.sensor_adr[compiled.names.index("sensor", key)])
