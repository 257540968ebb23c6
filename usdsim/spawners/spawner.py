"""Spawn functions: what all of them do around one that spawns a single prim."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Concatenate, Protocol, TypeVar

from numpy.typing import ArrayLike
from pxr import Tf, Usd, UsdGeom

from usdsim.core.arguments import table
from usdsim.core.errors import InvalidValueError, StageError
from usdsim.math.quaternion_order import quaternion_order, rot_quat
from usdsim.schemas import activate_contact_sensors
from usdsim.usd.attributes import author
from usdsim.usd.prims import define_prim
from usdsim.usd.schemas import apply_api
from usdsim.usd.stage import stage_or_current

from .cfg import RigidObjectSpawnerCfg, SpawnerCfg
from .place import copy_prim, exists, parents_of, place
from .rollback import rolled_back_on_error

__all__ = ["SpawnPoint", "Spawner", "spawner"]

C = TypeVar("C", bound=SpawnerCfg, contravariant=True)

_TYPES = {
    "prim_path": str,
    "translation": ArrayLike | None,
    "orientation": ArrayLike | None,
    "stage": Usd.Stage | None,
    "return": Usd.Prim,
}
_ARGUMENTS = """

Args:
    prim_path: the prim; its parent part may be a pattern.
    cfg: the configuration.
    translation: position in the parent's frame, in stage units; None: the origin.
    orientation: orientation in the parent's frame, xyzw unless `set_quaternion_order` of
        `usdsim.math.quaternion_order` chose another order; None: none.
    stage: where to spawn; None: the current stage.

Returns:
    The prim, the first one if there are several parents.

Raises:
    ValueError: there is a prim at the path already, or a value is not allowed.
    RuntimeError: no parent matches.
"""


@dataclass(frozen=True)
class SpawnPoint:
    """Place of one prim that is spawned."""

    stage: Usd.Stage
    path: str
    """Prim path."""
    translation: ArrayLike | None = None
    """Position in the parent's frame, in stage units; None: the origin, or as authored."""
    orientation: ArrayLike | None = None
    """Orientation in the parent's frame, xyzw; None: none, or as authored."""

    def define(self, type_name: str = "Xform") -> Usd.Prim:
        """Define the prim everything else is spawned below, and place it.

        Args:
            type_name: schema type.

        Raises:
            StageError: there is a prim at the path already.
        """
        if exists(self.stage, self.path):
            raise StageError(
                f"A prim at {self.path} exists already. Remove it, or spawn under a new name."
            )
        prim = define_prim(self.stage, self.path, type_name)
        place(prim, self.translation, self.orientation)
        return prim


class Spawner(Protocol[C]):
    """Function that spawns what a configuration says."""

    def __call__(
        self,
        prim_path: str,
        cfg: C,
        translation: ArrayLike | None = None,
        orientation: ArrayLike | None = None,
        *,
        stage: Usd.Stage | None = None,
    ) -> Usd.Prim:
        """Spawn it; the prim, the first one if there are several parents."""
        ...


def spawner(function: Callable[Concatenate[SpawnPoint, C, ...], Usd.Prim]) -> Spawner[C]:
    """Make a function that spawns one prim accept parent patterns and the common options.

    The function is called once, for the first parent; the other parents get copies. Keywords that
    are not common to all are handed on to it. What is common, arguments and errors, is added to its
    documentation.
    """

    @functools.wraps(function)
    def spawn(
        prim_path: str,
        cfg: C,
        translation: ArrayLike | None = None,
        orientation: ArrayLike | None = None,
        *,
        stage: Usd.Stage | None = None,
        **own: Any,
    ) -> Usd.Prim:
        if not isinstance(cfg, SpawnerCfg):
            raise InvalidValueError(
                f"configuration of what is spawned at {prim_path}", cfg, "a SpawnerCfg, not a class"
            )
        cfg.validate()
        turn = orientation
        if turn is not None and quaternion_order() != "xyzw":
            turn = rot_quat(table(f"orientation of {prim_path}", turn, (4,)))
        where = stage_or_current(stage)
        parents, name = parents_of(prim_path, where)
        first, *others = (f"{parent}/{name}" for parent in parents)
        for path in others:
            if exists(where, path):
                raise StageError(f"A prim at {path} exists already. Remove it first.")
        with rolled_back_on_error(where, first, *_materials(cfg)):
            prim = function(SpawnPoint(where, first, translation, turn), cfg, **own)
            _finish(prim, cfg)
        # Parents that refer to the first one have it now.
        left = [path for path in others if not exists(where, path)]
        copy_prim(where, first, left, cfg.copy_from_source)
        return prim

    made: Any = spawn
    made.__annotations__ = {**_TYPES, "cfg": function.__annotations__.get("cfg", SpawnerCfg)}
    signature = inspect.signature(spawn, follow_wrapped=False)
    made.__signature__ = signature.replace(parameters=[*signature.parameters.values()][:-1])
    says, _, raises = (inspect.getdoc(function) or "").partition("\n\nRaises:\n")
    made.__doc__ = says + _ARGUMENTS + raises
    return spawn


def _materials(cfg: SpawnerCfg) -> list[str]:
    """Paths of materials that lie elsewhere than below what is spawned."""
    paths = [getattr(cfg, f"{kind}_material_path", "") for kind in ("visual", "physics")]
    return [path for path in paths if path.startswith("/")]


def _finish(prim: Usd.Prim, cfg: SpawnerCfg) -> None:
    """Apply what all configurations have in common: visibility, labels, contact sensors."""
    if not cfg.visible and prim.IsA(UsdGeom.Imageable):
        UsdGeom.Imageable(prim).MakeInvisible()
    for kind, label in cfg.semantic_tags or ():
        instance = Tf.MakeValidIdentifier(kind)
        apply_api(prim, "SemanticsLabelsAPI", instance)
        author(prim, f"semantics:labels:{instance}", "token[]", [label])
    if isinstance(cfg, RigidObjectSpawnerCfg) and cfg.activate_contact_sensors:
        activate_contact_sensors(str(prim.GetPath()), stage=prim.GetStage())
