"""Families of environments that differ in values of attributes alone, read from a few of them.

Many environments often have each their own mass or friction, and nothing else. What the engine's
numbers become is read from a few of them, and from some that do not exist, with the values at the
ends of their ranges. Where laws give all that was read, they give the others without reading them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Usd

from usdsim.core.errors import UsdsimError
from usdsim.core.findings import Finding
from usdsim.engine import CompiledModel
from usdsim.usd.signatures import ContentGroup

from .differences import QPOS, Difference, Numbers, RowValues, is_parameter
from .laws import examples, find_laws
from .opinions import Opinion, attribute_values, loose_opinions
from .starts import limited_starts

__all__ = ["FamilyReading", "Reading", "Values", "read_family"]

Array = NDArray[np.float64]
Values = Mapping[Opinion, Sequence[float]]
"""Values that attributes are to have."""
Read = Callable[[int, Values], "Reading"]

_OTHERS = 3
"""Environments besides the first one that are read as they are."""
_START = 1e-9
"""Difference of starts that is rounding [m, rad]."""
_WORTH = 2
"""Environments per example from which a family is read by examples."""


@dataclass(frozen=True, eq=False)
class Reading:
    """An environment that was read."""

    compiled: CompiledModel
    numbers: Numbers
    """Numbers of the environment, positions as authored."""
    difference: Difference
    findings: Sequence[Finding]
    """Findings of parsing it."""


@dataclass(frozen=True, eq=False)
class FamilyReading:
    """Environments that were read together."""

    difference: Difference
    findings: Sequence[Finding]
    rest: Sequence[ContentGroup]
    """Environments, by content, that are to be read one by one."""


@dataclass(frozen=True, eq=False)
class _Family:
    """Environments of one content each, and the values they differ in."""

    groups: Sequence[ContentGroup]
    opinions: Sequence[Opinion]
    columns: Sequence[Sequence[int]]
    """Columns of each opinion among the values."""
    values: Array
    """Shape (groups, columns)."""

    def trials(self) -> tuple[list[tuple[int, Values]], Array]:
        """Environments to read and what they are to say, and the values in each."""
        count = len(self.groups)
        others = {round(k * (count - 1) / _OTHERS): None for k in range(_OTHERS + 1)}
        tried = examples(self.values)
        first = self.groups[0].members[0]
        trials: list[tuple[int, Values]] = [(self.groups[k].members[0], {}) for k in others]
        trials += [(first, self._by_opinion(row)) for row in tried]
        return trials, np.concatenate([self.values[[*others]], tried])

    def _by_opinion(self, row: Array) -> Values:
        pairs = zip(self.opinions, self.columns, strict=True)
        return {opinion: row[list(columns)].tolist() for opinion, columns in pairs}


def read_family(
    stage: Usd.Stage, paths: Sequence[str], family: Sequence[ContentGroup], read: Read
) -> FamilyReading | None:
    """Read environments of one form together, as far as laws give their numbers.

    Args:
        stage: the stage.
        paths: prim paths of all environments.
        family: environments of one form.
        read: reads an environment, with other values of some attributes.

    Returns:
        The environments that laws hold for, and the rest; None: all have to be read one by one.
    """
    members, rest = _members(stage, paths, family)
    if members is None:
        return None
    trials, values = members.trials()
    if len(members.groups) < _WORTH * len(trials):
        return None
    try:
        readings = [read(index, opinions) for index, opinions in trials]
    except UsdsimError:
        return None  # Reading those that exist tells what is wrong, and whether anything is.
    first, path = readings[0], paths[trials[0][0]]
    pairs = zip(readings, trials, strict=True)
    if any(_moved(r.findings, paths[i], path) != [*first.findings] for r, (i, _) in pairs):
        return None
    predicted = _predicted(members, values, readings)
    if predicted is None:
        return None
    counts = [len(group.members) for group in members.groups]
    many = {
        name: (rows, np.repeat(each, counts, axis=0)) for name, (rows, each) in predicted.items()
    }
    worlds = np.array([*chain.from_iterable(group.members for group in members.groups)], np.intp)
    places = [paths[group.members[0]] for group in members.groups]
    return FamilyReading(
        first.difference.of_many(worlds, first.numbers, many),
        [finding for place in places for finding in _moved(first.findings, path, place)],
        rest,
    )


def _predicted(members: _Family, tried: Array, readings: Sequence[Reading]) -> RowValues | None:
    """Numbers of all members by the laws that readings obey; None if they obey none."""
    first = readings[0]
    laws = find_laws(tried, [reading.numbers for reading in readings], members.columns)
    if laws is None:
        return None

    def numbers(values: Array) -> dict[str, tuple[NDArray[np.intp], NDArray[Any]]]:
        return {
            name: (law.rows, law.numbers(first.numbers[name], values)) for name, law in laws.items()
        }

    predicted = numbers(members.values)
    if any(reading.compiled.authored_qpos is not None for reading in readings):
        starts = _starts(first, numbers(tried), len(tried))
        own = [reading.compiled.initial.qpos for reading in readings]
        if not np.allclose(starts, own, rtol=_START, atol=_START):
            return None
        predicted[QPOS] = np.arange(starts.shape[1]), _starts(first, predicted, len(members.values))
    return predicted


def _starts(example: Reading, predicted: RowValues, count: int) -> Array:
    """Positions in which so many environments start, shape (count, nq)."""
    authored = np.repeat(example.numbers[QPOS][None], count, axis=0)
    if QPOS in predicted:
        rows, values = predicted[QPOS]
        authored[:, rows] = values
    fields = {name: kept for name, kept in predicted.items() if is_parameter(name)}
    return limited_starts(example.compiled, fields, authored)


def _members(
    stage: Usd.Stage, paths: Sequence[str], family: Sequence[ContentGroup]
) -> tuple[_Family | None, list[ContentGroup]]:
    """Split of a family into environments whose values are ordinary, and the others."""
    places = [paths[group.members[0]] for group in family]
    opinions, parts = [], []
    usual = np.ones(len(family), np.bool_)
    for opinion in loose_opinions(stage, places[0]) or ():
        values = attribute_values(stage, places, opinion)
        if values is None:
            return None, []
        if (values != values[:1]).any():
            opinions.append(opinion)
            parts.append(values)
            usual &= opinion.ordinary(values)
    if not opinions or not usual.any():
        return None, []
    ends = np.cumsum([part.shape[1] for part in parts]).tolist()
    columns = [range(end - part.shape[1], end) for end, part in zip(ends, parts, strict=True)]
    kept = [group for group, good in zip(family, usual, strict=True) if good]
    rest = [group for group, good in zip(family, usual, strict=True) if not good]
    return _Family(kept, opinions, columns, np.concatenate(parts, axis=1)[usual]), rest


def _moved(findings: Sequence[Finding], old: str, new: str) -> list[Finding]:
    """Findings about an environment, as if they were about another one."""
    return [
        replace(
            finding,
            path=finding.path.replace(old + "/", new + "/"),
            message=finding.message.replace(old + "/", new + "/"),
        )
        for finding in findings
    ]
