"""Authoring plan: values and schemas that a configuration puts on a prim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from usdsim.schemas.cfg import SchemaCfg, rows

from .scope import Scope
from .table import RULES, Target
from .write import Prepared, Write, prepare

__all__ = ["Plan", "plan"]

_MOST = 256
_plans: dict[tuple[Any, ...], Plan] = {}


@dataclass(frozen=True, slots=True)
class Plan:
    """Edits of the stage that one configuration makes, in USD terms."""

    apis: tuple[str, ...]
    writes: tuple[Prepared, ...]
    spellings: tuple[Prepared, ...]
    """The same values in other dialects, for prims that have them authored already."""
    left_out: tuple[str, ...]
    """Reasons why fields were not written."""


def plan(cfg: SchemaCfg, scope: Scope) -> Plan:
    """Plan of what a configuration writes on a prim with that scope.

    Scripts write one configuration on thousands of prims, so plans are kept by value.

    Raises:
        InvalidValueError: a value is not allowed.
    """
    values = tuple(vars(cfg).values())
    key = (type(cfg), values, tuple(map(type, values)), scope.key)
    try:
        found = _plans.get(key)
    except TypeError:
        # A list or an array among the values.
        return _make(cfg, scope)
    if found is None:
        if len(_plans) >= _MOST:
            _plans.clear()
        found = _plans[key] = _make(cfg, scope)
    return found


def _make(cfg: SchemaCfg, scope: Scope) -> Plan:
    cfg.validate()
    apis: dict[str, None] = {}
    writes: list[Prepared] = []
    spellings: list[Prepared] = []
    left_out: list[str] = []
    owner = f"{type(cfg).__name__}: "
    for row in rows(type(cfg)):
        value = getattr(cfg, row.field)
        if value is None:
            continue
        targets = row.targets_in(cfg.dialects)
        if not targets:
            left_out.append(f"{row.field} has no spelling in {', '.join(cfg.dialects or ())}")
        for target in row.targets:
            if target in targets and target.api:
                apis[scope.fill(target.api)] = None
            name = scope.fill(target.attribute)
            out = _converted(value, cfg, scope, target)
            into = writes if target in targets else spellings
            into.append(prepare(Write(name, target.type, out), owner))
    return Plan(tuple(apis), tuple(writes), tuple(spellings), tuple(left_out))


def _converted(value: Any, cfg: SchemaCfg, scope: Scope, target: Target) -> Any:
    out = RULES[target.rule].write(value, cfg) if target.rule else value
    factor = scope.factor(target)
    if factor == 1.0:
        return out
    return [v * factor for v in out] if isinstance(out, (list, tuple)) else out * factor
