"""Property families: what is behind every ``define_*``, ``modify_*`` and ``read_*``."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
from pxr import Sdf, Usd

from usdsim.core.errors import StageError
from usdsim.schemas.cfg import SchemaCfg, rows
from usdsim.usd.attributes import authored, is_authored
from usdsim.usd.prims import get_prim
from usdsim.usd.schemas import has_api
from usdsim.usd.stage import stage_or_current

from .plan import plan
from .result import SchemaResult, Skipped
from .scope import Scope, plain_scope
from .table import RULES, FieldRow, Target
from .walk import candidates
from .write import Prepared, write_prim

__all__ = ["Family", "SchemaConflictError", "resolve", "shortest"]

C = TypeVar("C", bound=SchemaCfg)
_PLAIN_PATH = re.compile(r"(/[A-Za-z_]\w*)+", re.ASCII).fullmatch
_log = logging.getLogger("usdsim")


def _one_scope(prim: Usd.Prim, cfg: SchemaCfg | None) -> list[Scope]:
    """The prim as a whole."""
    return [plain_scope(prim)]


@dataclass(frozen=True)
class Family:
    """A kind of property a prim can have, and how configurations of it are written."""

    name: str
    """In words, for messages."""
    marker: str = ""
    """API schema that makes a prim one of this kind; ``define`` applies it."""
    scopes: Callable[[Usd.Prim, Any], list[Scope]] = _one_scope
    """Scopes on a prim to write; empty: the prim is not a target."""
    conflicts: tuple[str, ...] = ()
    """API schemas that exclude this one."""
    on_define: Callable[[Usd.Prim], str] | None = None
    """Reason why a prim cannot become one of this kind; empty: it can."""

    def define(
        self,
        prim_path: str | Sdf.Path,
        cfg: SchemaCfg | Sequence[SchemaCfg],
        stage: Usd.Stage | None,
    ) -> SchemaResult:
        """Apply the marker and write the configuration on exactly this prim."""
        prim = resolve(prim_path, stage)
        if prim.IsPseudoRoot():
            raise StageError(f"/ cannot become a {self.name}: it is the root of all prims.")
        _refuse_instances(prim)
        for other in self.conflicts:
            if has_api(prim, other):
                raise SchemaConflictError(
                    f"{prim.GetPath()} cannot become a {self.name}: it has {other}. "
                    "Remove that schema first, or use another prim."
                )
        if self.on_define is not None:
            reason = self.on_define(prim)
            if reason:
                raise StageError(f"{prim.GetPath()} cannot become a {self.name}: {reason}")
        result = self.write(prim, cfg, (self.marker,) if self.marker else ())
        return SchemaResult() if result is None else result

    def modify(
        self,
        prim_path: str | Sdf.Path,
        cfg: SchemaCfg | Sequence[SchemaCfg],
        stage: Usd.Stage | None,
        *,
        subtree: bool = False,
        uninstance: bool = False,
    ) -> SchemaResult:
        """Write the configuration on the prims of this kind at and below a prim."""
        root = resolve(prim_path, stage)
        for one in (cfg,) if isinstance(cfg, SchemaCfg) else cfg:
            one.validate()
        prims: list[str] = []
        changed: list[str] = []
        skipped: list[Skipped] = []
        for prim, descend in candidates(root, skipped, uninstance=uninstance):
            done = self.write(prim, cfg) if self.matches(prim, cfg) else None
            if done is None:
                continue
            prims += done.prims
            changed += done.changed
            skipped += done.skipped
            if not subtree:
                descend.stop()
        if not prims:
            _log.warning(
                "No %s to modify at or below %s%s.",
                self.name,
                root.GetPath(),
                "; skipped instances: " + ", ".join(s.path for s in skipped) if skipped else "",
            )
        return SchemaResult(prims, changed, skipped)

    def matches(self, prim: Usd.Prim, cfg: Any) -> bool:
        """Whether a prim is of this kind."""
        return not self.marker or has_api(prim, self.marker)

    def write(
        self, prim: Usd.Prim, cfg: SchemaCfg | Sequence[SchemaCfg], apis: tuple[str, ...] = ()
    ) -> SchemaResult | None:
        """Write configurations on one prim; None where it is not a target."""
        given = (cfg,) if isinstance(cfg, SchemaCfg) else cfg
        plans = [plan(one, scope) for one in given for scope in self.scopes(prim, one)]
        if not plans:
            return None
        if len(plans) == 1:
            writes: Sequence[Prepared] = plans[0].writes
            needed = apis + plans[0].apis
        else:
            writes = [write for each in plans for write in each.writes]
            needed = (*apis, *(api for each in plans for api in each.apis))
        # Every authored spelling of a quantity follows, so that none says anything else.
        more = [w for each in plans for w in each.spellings if is_authored(prim, w.name)]
        path, changed, hidden = write_prim(prim, needed, [*writes, *more] if more else writes)
        for each in plans:
            if each.left_out:
                hidden += [Skipped(path, reason) for reason in each.left_out]
        return SchemaResult((path,), changed, hidden)

    def read(self, prim_path: str | Sdf.Path, cfg_type: type[C], stage: Usd.Stage | None) -> C:
        """The configuration that a prim's authored attributes amount to."""
        prim = resolve(prim_path, stage)
        scopes = self.scopes(prim, None)
        values = {}
        for row in rows(cfg_type):
            values[row.field] = _read(prim, row, scopes[0]) if scopes else None
        return cfg_type(**values)


class SchemaConflictError(StageError, TypeError):
    """A prim already has an API schema that excludes the wanted one."""


def resolve(prim_path: str | Sdf.Path, stage: Usd.Stage | None) -> Usd.Prim:
    """The prim at a path of the given or current stage.

    Raises:
        StageError: there is none (it is a `ValueError`).
    """
    where = stage_or_current(stage)
    # Thousands of calls go through here; the careful look-up is for what fails.
    plain = _plain(prim_path) if isinstance(prim_path, str) else None
    if plain is not None:
        found = where.GetPrimAtPath(plain)
        if found:
            return found
    return get_prim(where, prim_path)


# One prim often takes several configurations in a row.
@lru_cache(maxsize=256)
def _plain(text: str) -> Sdf.Path | None:
    """A path without anything special; None: to be looked at with care."""
    return Sdf.Path(text) if _PLAIN_PATH(text) else None


def _refuse_instances(prim: Usd.Prim) -> None:
    if prim.IsInstanceProxy() or prim.IsInPrototype():
        raise StageError(
            f"{prim.GetPath()} lies inside an instance, whose content is shared and cannot be "
            "edited. Edit the referenced asset, or make the instance not instanceable."
        )


def _read(prim: Usd.Prim, row: FieldRow, scope: Scope) -> Any:
    for target in row.targets:
        name = scope.fill(target.attribute)
        if target.type == "rel":
            paths = prim.GetRelationship(name).GetTargets() if prim.HasRelationship(name) else []
            if paths:
                return str(paths[0]) if len(paths) == 1 else tuple(str(p) for p in paths)
            continue
        stored = authored(prim, name)
        if stored is None:
            continue
        factor = scope.factor(target)
        value = RULES[target.rule].read(stored, lambda other: authored(prim, other))
        if isinstance(value, float):
            value = shortest(value, factor, target)
        elif hasattr(value, "tolist"):
            value = tuple(
                shortest(float(v), factor, target) if isinstance(v, float) else v
                for v in value.tolist()
            )
        return value
    return None


def shortest(stored: float, factor: float, target: Target) -> float:
    """The shortest decimal that is written as `stored`.

    0.1 is stored as 0.10000000149 in single precision and read back as 0.1, also through a change
    of unit: what is read is written back bit by bit.

    Args:
        stored: the attribute's value.
        factor: attribute value per configuration value.
        target: where it is stored.
    """
    value = stored / factor if factor != 1.0 else stored
    if not np.isfinite(value):
        return value
    narrow = np.float32 if target.type.startswith(("float", "point3f", "vector3f")) else np.float64
    for digits in range(6, 17):
        candidate = float(f"{value:.{digits}g}")
        if narrow(candidate * factor) == narrow(stored):
            return candidate
    return value
