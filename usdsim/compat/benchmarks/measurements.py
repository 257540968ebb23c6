"""Measurements and metadata of benchmarks, by phase."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = [
    "BooleanMeasurement",
    "DictMeasurement",
    "DictMetadata",
    "FloatMetadata",
    "IntMetadata",
    "ListMeasurement",
    "Measurement",
    "MeasurementData",
    "MetadataBase",
    "SingleMeasurement",
    "StatisticalMeasurement",
    "StringMetadata",
    "TestPhase",
    "metadata_of",
]


@dataclass
class Measurement:
    """A measurement by its name."""

    name: str


@dataclass
class SingleMeasurement(Measurement):
    """A number, or a text, with its unit."""

    value: float | int | str
    unit: str
    type: str = "single"


@dataclass
class StatisticalMeasurement(Measurement):
    """Mean and standard deviation of `n` numbers, with their unit."""

    mean: float
    std: float
    n: int
    unit: str
    type: str = "statistical"


@dataclass
class BooleanMeasurement(Measurement):
    """A truth value."""

    bvalue: bool
    type: str = "boolean"


@dataclass
class DictMeasurement(Measurement):
    """Values by name."""

    value: dict[str, Any]
    type: str = "dict"


@dataclass
class ListMeasurement(Measurement):
    """Values one after the other."""

    value: list[Any]
    type: str = "list"

    def __repr__(self) -> str:
        """Name, and number of values."""
        return f"{type(self).__name__}(name={self.name!r}, length={len(self.value)})"


@dataclass
class MetadataBase:
    """Something known besides, by its name."""

    name: str


@dataclass
class StringMetadata(MetadataBase):
    """A text."""

    data: str
    type: str = "string"


@dataclass
class IntMetadata(MetadataBase):
    """A whole number."""

    data: int
    type: str = "int"


@dataclass
class FloatMetadata(MetadataBase):
    """A number."""

    data: float
    type: str = "float"


@dataclass
class DictMetadata(MetadataBase):
    """Values by name."""

    data: dict[str, Any]
    type: str = "dict"


_KINDS: dict[type, Any] = {
    str: StringMetadata,
    int: IntMetadata,
    float: FloatMetadata,
    dict: DictMetadata,
}


def metadata_of(entries: list[dict[str, Any]]) -> list[Any]:
    """Metadata of mappings with ``name`` and ``data``; data of other types are left out."""
    known = [entry for entry in entries if type(entry.get("data")) in _KINDS]
    return [_KINDS[type(entry["data"])](entry["name"], entry["data"]) for entry in known]


@dataclass
class TestPhase:
    """A phase of a benchmark, with what was measured in it."""

    __test__ = False  # no test, whatever it is called

    phase_name: str
    measurements: list[Any] = field(default_factory=list)
    metadata: list[Any] = field(default_factory=list)

    def get_metadata_field(self, name: str, default: Any = KeyError) -> Any:
        """Data of metadata by name, whatever its case and whether that of the phase is before it.

        Raises:
            KeyError: there is none, and no default.
        """
        for entry in self.metadata:
            if entry.name.replace(self.phase_name, "").strip().lower() == name.lower():
                return entry.data
        if default is KeyError:
            raise KeyError(name)
        return default


@dataclass
class MeasurementData:
    """Yield of a recorder: measurements, metadata, and files with their labels."""

    measurements: list[Any] = field(default_factory=list)
    metadata: list[Any] = field(default_factory=list)
    artefacts: list[tuple[Path, str]] = field(default_factory=list)
