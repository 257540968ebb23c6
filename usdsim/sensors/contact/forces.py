"""Contact forces as the engine sums them up in every step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import mujoco
import numpy as np
import warp as wp

from usdsim.assets.common.matching import first_environment
from usdsim.core.errors import StageError
from usdsim.engine import device as devices
from usdsim.engine.base import DeviceEngine, Engine
from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.parser.description import BodyDescription, GenericDescription, SceneDescription
from usdsim.sensors.common.kernel_pass import KernelPass, Rows
from usdsim.sensors.common.matching import find_geoms, group_bodies
from usdsim.sensors.common.sample_kernels import sum_forces

from .host_forces import HostForces

__all__ = ["ContactForces", "Filter", "find_filters", "with_contact_forces"]

_BODY, _GEOM = int(mujoco.mjtObj.mjOBJ_BODY), int(mujoco.mjtObj.mjOBJ_GEOM)
_FORCE = 1 << int(mujoco.mjtConDataField.mjCONDATA_FORCE)
_NET = 3
"""Sum all contacts into one force along world axes."""
_NO_SENSORS = int(mujoco.mjtDisableBit.mjDSBL_SENSOR)


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
        expressions: see `usdsim.sensors.common.matching.group_bodies`.
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
        net: where forces on bodies go, vec3f, shape (num_instances, num_bodies).
        matrix: where forces on bodies by filters go, vec3f, shape (num_instances, num_bodies,
            filters); None: without filters.

    Raises:
        StageError: the stage turns sensors of the engine off.
    """

    def __init__(
        self,
        engine: Engine,
        bodies: Sequence[Sequence[str]],
        filters: Sequence[Filter],
        net: wp.array,
        matrix: wp.array | None,
    ):
        compiled = engine.compiled
        if compiled.mj.opt.disableflags & _NO_SENSORS:
            raise StageError(
                "The stage disables the engine's sensors, so that contact forces are not summed. "
                "Remove the flag `sensor` from its mjc: options."
            )
        self._engine, self._size = engine, (len(bodies), len(bodies[0]))
        flat = [path for row in bodies for path in row]
        alone = [[_address(compiled, _key(path))] for path in flat]
        self._passes = [self._pass(alone, net.reshape((*net.shape, 1)))]
        if matrix is not None:
            told_apart = [
                [_address(compiled, _key(path, part)) for _, part in f.parts]
                for path in flat
                for f in filters
            ]
            self._passes.append(self._pass(told_apart, matrix))

    def run(self, rows: Rows) -> None:
        """Fill the forces of some instances; None: all."""
        for sums in self._passes:
            sums.run(rows)

    def _pass(self, parts: Sequence[Sequence[int]], out: wp.array) -> KernelPass | HostForces:
        """Sums of parts, which are given for each match, body and column."""
        engine, alone = self._engine, all(len(entry) == 1 for entry in parts)
        if alone and devices.is_shared(engine.device) and not isinstance(engine, DeviceEngine):
            # NumPy copies columns an order of magnitude faster than a kernel on one thread.
            found = np.array(parts, np.int32).reshape(-1, out.shape[-1])
            copies = HostForces.of(engine, found, out)
            if copies is not None:
                return copies
        ends = np.cumsum([len(entry) for entry in parts])
        starts = ends - [len(entry) for entry in parts]
        device = engine.device
        bounds = [
            wp.array(bound.astype(np.int32).reshape(*self._size, -1), dtype=wp.int32, device=device)
            for bound in (starts, ends)
        ]
        addresses = np.array([value for entry in parts for value in entry], np.int32)
        return KernelPass(
            engine,
            sum_forces,
            out.shape[0],
            out.shape[1:],
            ["sensordata", *bounds, wp.array(addresses, dtype=wp.int32, device=device)],
            [out],
        )


def _address(compiled: CompiledModel, key: str) -> int:
    return int(compiled.mj.sensor_adr[compiled.names.index("sensor", key)])
