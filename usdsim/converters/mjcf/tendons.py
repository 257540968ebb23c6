"""Tendons and the paths they run along."""

from __future__ import annotations

from dataclasses import dataclass, field

from usdsim.core.dialects.mjc_arrays import part_rows
from usdsim.core.dialects.mjc_tokens import WRAP

from .context import MjcfContext
from .rows import write_rows

__all__ = ["convert_tendons"]

_JOINT, _PULLEY, _SITE = WRAP.index("joint"), WRAP.index("pulley"), WRAP.index("site")


@dataclass
class _Path:
    """A tendon's path as the schema stores it: unique targets, and indices along the path."""

    targets: list[str] = field(default_factory=list)
    indices: list[int] = field(default_factory=list)
    segments: list[int] = field(default_factory=list)
    divisors: list[float] = field(default_factory=lambda: [1.0])
    pulleys: list[int] = field(default_factory=list)
    coefficients: list[float] = field(default_factory=list)
    sides: list[str] = field(default_factory=list)
    side_indices: list[int] = field(default_factory=list)

    def add(self, target: str, side: str | None = None) -> None:
        self.indices.append(_unique(self.targets, target))
        self.segments.append(len(self.divisors) - 1)
        self.side_indices.append(-1 if side is None else _unique(self.sides, side))

    def add_pulley(self, divisor: float) -> None:
        self.pulleys.append(len(self.indices))
        if self.indices:
            self.divisors.append(divisor)
        else:
            self.divisors[-1] = divisor


def _unique(paths: list[str], path: str) -> int:
    if path not in paths:
        paths.append(path)
    return paths.index(path)


def convert_tendons(context: MjcfContext) -> None:
    """Define every tendon."""
    for index, path, _ in context.defined("tendon"):
        write_rows(context, path, "tendon", index, skip=("type",))
        _write_path(context, path, _trace(context, index))


def _trace(context: MjcfContext, index: int) -> _Path:
    model, found = context.model, _Path()
    wraps = part_rows(model, "tendon_", index)
    for wrap in range(wraps.start, wraps.stop):
        kind, target = int(model.wrap_type[wrap]), int(model.wrap_objid[wrap])
        parameter = float(model.wrap_prm[wrap])
        if kind == _JOINT:
            found.add(context.paths["joint"][target])
            found.coefficients.append(parameter)
        elif kind == _PULLEY:
            found.add_pulley(parameter)
        elif kind == _SITE:
            found.add(context.paths["site"][target])
        else:
            side = round(parameter)
            found.add(
                context.paths["geom"][target],
                context.paths["site"][side] if side >= 0 else None,
            )
    return found


def _write_path(context: MjcfContext, path: str, found: _Path) -> None:
    fixed = bool(found.coefficients)
    context.set(path, "mjc:type", "token", "fixed" if fixed else "spatial")
    context.link(path, "mjc:path", found.targets)
    context.set(path, "mjc:path:indices", "int[]", found.indices)
    if fixed:
        context.set(path, "mjc:path:coef", "double[]", found.coefficients)
        return
    context.set(path, "mjc:path:segments", "int[]", found.segments)
    context.set(path, "mjc:path:divisors", "double[]", found.divisors)
    if found.pulleys:
        context.set(path, "mjc:path:pulleys", "int[]", found.pulleys)
    if found.sides:
        context.link(path, "mjc:sideSites", found.sides)
        context.set(path, "mjc:sideSites:indices", "int[]", found.side_indices)
