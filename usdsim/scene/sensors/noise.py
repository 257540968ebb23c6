"""Sensor noise: the same for a world whatever else runs beside it, and in whatever order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.core.arguments import whole
from usdsim.math.rotations import quat_apply, quat_multiply

from .kinds import KINDS, Meaning, fields_of

__all__ = ["NoiseOfSensors", "SensorNoise"]

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]
_W = np.uint64
_STRIDE = _W(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio: multiples of it are spread evenly."""


@dataclass(frozen=True)
class _Part:
    """Values of one meaning within the values of a sensor."""

    first: int
    """First among all values of the model."""
    size: int
    meaning: Meaning
    std: float
    """Standard deviation, in the unit of the values; of directions [rad]."""
    cutoff: float
    """Largest value; infinite: none."""
    slot: int = -1
    """Contact or ray of the sensor; -1: it has none."""


class NoiseOfSensors:
    """The noise of the sensors of a model.

    Args:
        model: the compiled model.
    """

    def __init__(self, model: mujoco.MjModel):
        self.parts: list[list[_Part]] = [_parts(model, i) for i in range(model.nsensor)]

    def add(self, values: Floats, sensor: int, draw: SensorNoise, rows: NDArray[np.intp]) -> Floats:
        """Values of a sensor with noise.

        Args:
            values: shape (worlds, size), quaternions as x, y, z, w.
            sensor: engine id.
            draw: where the noise comes from.
            rows: ids of the worlds.
        """
        parts = self.parts[sensor]
        if not parts:
            return values
        before, start = values, parts[0].first
        values = values.copy()
        for slot, group in groupby(parts, key=lambda part: part.slot):
            slots = [(part, part.first - start) for part in group]
            real = [before[:, at : at + part.size] for part, at in slots]
            absent = np.zeros(len(values), np.bool_) if slot < 0 else _absent(slots, real)
            for (part, at), clean in zip(slots, real, strict=True):
                if part.meaning != "exact":
                    noise = part.std * draw.normal(rows, part.first, max(part.size, 3))
                    noisy = _disturbed(part, clean, noise)
                    values[:, at : at + part.size] = np.where(absent[:, None], clean, noisy)
        return values


def _absent(slots: list[tuple[_Part, int]], values: list[Floats]) -> NDArray[np.bool_]:
    """Worlds in which a contact does not exist or a ray hits nothing: distances of -1, else 0."""
    missing = np.ones(len(values[0]), np.bool_)
    for (part, _), numbers in zip(slots, values, strict=True):
        if part.meaning != "exact":
            nothing = numbers < 0.0 if part.meaning == "positive" else numbers == 0.0
            missing &= nothing.all(axis=-1)
    return missing


def _parts(model: mujoco.MjModel, sensor: int) -> list[_Part]:
    """The parts of a sensor with noise; none if it has no noise."""
    std, cutoff = float(model.sensor_noise[sensor]), float(model.sensor_cutoff[sensor])
    if std <= 0.0:
        return []
    kind = KINDS[int(model.sensor_type[sensor])]
    first = int(model.sensor_adr[sensor])
    end = first + int(model.sensor_dim[sensor])
    fields = fields_of(model, sensor)
    if not fields:
        fits = {"axis": 3, "quaternion": 4}.get(kind.meaning, end - first)
        top = cutoff if cutoff > 0.0 else np.inf
        return [_Part(first, fits, kind.meaning, std, top)]
    found: list[_Part] = []
    slot = 0
    while first < end:
        for field in fields:
            found.append(_Part(first, field.size, field.meaning, std, np.inf, slot))
            first += field.size
        slot += 1
    if [field.name for field in fields] == ["dist"] and cutoff > 0.0:
        # A plain rangefinder; of several values the engine limits each.
        found = [replace(part, cutoff=cutoff) for part in found]
    return found


def _disturbed(part: _Part, values: Floats, noise: Floats) -> Floats:
    """Values with noise of shape (worlds, 3 or more)."""
    if part.meaning == "quaternion":
        return quat_multiply(_small_rotation(noise[:, :3]), values)
    if part.meaning == "axis":
        return quat_apply(_small_rotation(noise[:, :3]), values)
    # A ray that hits nothing gives -1: there is no reading to disturb.
    missing = values < 0.0 if part.meaning == "positive" else np.zeros(values.shape, np.bool_)
    low = 0.0 if part.meaning == "positive" else -part.cutoff
    return np.where(missing, values, np.clip(values + noise[:, : part.size], low, part.cutoff))


def _small_rotation(vector: Floats) -> Floats:
    """Quaternions (x, y, z, w) of rotation vectors [rad], shape (n, 4)."""
    half = 0.5 * np.linalg.norm(vector, axis=-1, keepdims=True)
    return np.concatenate([0.5 * np.sinc(half / np.pi) * vector, np.cos(half)], axis=-1)


class SensorNoise:
    """Standard normal numbers that depend on a seed, a world, its step and a place alone.

    Args:
        seed: any whole number from 0 to 2^64 - 1.
        count: number of worlds.
    """

    def __init__(self, seed: int, count: int):
        self.seed = whole("seed", seed, 0, 2**64 - 1)
        # Steps and resets of each world so far: what makes the noise of one step differ.
        self.steps = np.zeros(count, dtype=np.uint64)

    def advance(self, count: int, ids: NDArray[np.intp] | None) -> None:
        """Count steps of some worlds, or of all."""
        self.steps[slice(None) if ids is None else ids] += _W(count)

    def normal(self, rows: NDArray[np.intp], first: int, size: int) -> Floats:
        """Numbers for places `first` and on in the present step of worlds, shape (rows, size)."""
        world = _mixed(_mixed(np.full(1, self.seed, np.uint64)) + rows.astype(np.uint64) * _STRIDE)
        step = _mixed(world + self.steps[rows] * _STRIDE)
        place = np.arange(first + 1, first + 1 + size, dtype=np.uint64) * _STRIDE
        bits = _mixed(step[:, None] + place)
        # Two uniform numbers per word, the first of them above 0 for the logarithm.
        one = ((bits >> _W(32)).astype(np.float64) + 0.5) * 2.0**-32
        other = (bits & _W(0xFFFFFFFF)).astype(np.float64) * 2.0**-32
        return np.sqrt(-2.0 * np.log(one)) * np.cos(2.0 * np.pi * other)


def _mixed(words: Words) -> Words:
    """A bijection of 64 bits in which every bit of the result depends on every bit given."""
    words = (words ^ (words >> _W(30))) * _W(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> _W(27))) * _W(0x94D049BB133111EB)
    return words ^ (words >> _W(31))
