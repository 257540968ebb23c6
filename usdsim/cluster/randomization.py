"""Randomisation of episodes: factors on parameters of links, joints, geoms and more, per world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError, UnknownNameError
from usdsim.core.names import match_names
from usdsim.scene import SceneData, SceneModel

__all__ = ["KINDS", "Randomization"]

KINDS = ("link", "joint", "geom", "actuator", "tendon")
"""Elements whose parameters can differ from episode to episode."""


@dataclass(frozen=True)
class _Factor:
    """A parameter of some elements, and the range its factor is drawn from."""

    elements: list[Any]
    name: str
    low: float
    high: float


class Randomization:
    """Factors on parameters, drawn uniformly for each element and episode.

    Args:
        model: whose elements are meant.
        ranges: lowest and highest factor by ``kind:pattern.parameter``, such as
            ``"link:leg_.*.mass"``: one of `KINDS`, a regular expression of names, and a name of
            `Element.override_names`.

    Raises:
        InvalidValueError: a key is no such text, or a range is not one.
        UnknownNameError: there are no such elements, or they have no such parameter.
    """

    def __init__(self, model: SceneModel, ranges: Mapping[str, Sequence[float]]):
        self._model = model
        self._factors = [_factor(model, key, value) for key, value in ranges.items()]

    def apply(self, data: SceneData, draws: Sequence[np.random.Generator]) -> None:
        """Set the parameters of each world from its own generator."""
        for factor in self._factors:
            found = self._model.get_overrides(data, factor.elements, factor.name)
            count = len(factor.elements)
            factors = np.array([rng.uniform(factor.low, factor.high, count) for rng in draws])
            wide = factors.reshape(factors.shape + (1,) * (found.ndim - 2))
            self._model.set_overrides(data, factor.elements, factor.name, found * wide)


def _factor(model: SceneModel, key: str, value: Sequence[float]) -> _Factor:
    kind, colon, rest = key.partition(":")
    pattern, dot, name = rest.rpartition(".")
    if not colon or not dot or kind not in KINDS:
        raise InvalidValueError(
            "randomize", key, f"kind:pattern.parameter, the kind one of {', '.join(KINDS)}"
        )
    bounds: NDArray[np.float64] = np.asarray(value, np.float64)
    if bounds.shape != (2,) or not np.isfinite(bounds).all() or bounds[0] > bounds[1]:
        raise InvalidValueError(f"randomize of {key}", value, "the lowest and the highest factor")
    elements = getattr(model, f"{kind}s")
    ids, _ = match_names(pattern, [element.name for element in elements], kind=kind)
    chosen = [elements[index] for index in ids]
    for element in chosen:
        if name not in element.override_names:
            raise UnknownNameError("parameter", name, element.override_names, element.title)
    return _Factor(chosen, name, float(bounds[0]), float(bounds[1]))
