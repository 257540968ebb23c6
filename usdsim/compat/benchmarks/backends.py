"""Files that benchmarks write: phases as they are, or numbers by name."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

from usdsim.core.errors import UnknownNameError

from .measurements import TestPhase

__all__ = [
    "JSONFileMetrics",
    "MetricsBackend",
    "MetricsBackendInterface",
    "OmniPerfKPIFile",
    "OsmoKPIFile",
    "SummaryMetrics",
    "get_default_output_filename",
]


def get_default_output_filename(prefix: str = "benchmark") -> str:
    """Name of a file, without its ending, with the time in it."""
    return f"{prefix}_{datetime.now():%Y-%m-%d_%H-%M-%S}"


class MetricsBackendInterface:
    """Base of what writes a benchmark to ``folder/name.json``."""

    def __init__(self) -> None:
        self._phases: list[TestPhase] = []

    def add_metrics(self, test_phase: TestPhase) -> None:
        """Keep a phase until `finalize`."""
        self._phases.append(test_phase)

    def finalize(self, output_path: str, output_filename: str, **_: Any) -> None:
        """Write the phases, and forget them."""
        if self._phases:
            file = Path(output_path) / f"{output_filename}.json"
            file.write_text(json.dumps(self._told(), indent=4, default=str))
            sys.stdout.write(f"Results written to: {file}\n")
        self._phases = []

    def _told(self) -> Any:
        """Content of the file, as values of JSON: the numbers of the last phase."""
        return _numbers(self._phases[-1])


def _numbers(phase: TestPhase) -> dict[str, Any]:
    """Metadata and measurements of a phase that are single values, by name."""
    told = {entry.name: entry.data for entry in phase.metadata}
    for entry in phase.measurements:
        kind = getattr(entry, "type", "")
        if kind == "single":
            told[entry.name] = entry.value
        elif kind == "statistical":
            told |= {f"{entry.name}_{part}": getattr(entry, part) for part in ("mean", "std", "n")}
    return told


class JSONFileMetrics(MetricsBackendInterface):
    """Writes a list of phases, whose names are before those of their entries."""

    def _told(self) -> Any:
        told = [asdict(phase) for phase in self._phases]
        for phase, kept in zip(told, self._phases, strict=True):
            start = f"{kept.get_metadata_field('workflow_name', '')} {kept.phase_name}".strip()
            for entry in (*phase["measurements"], *phase["metadata"]):
                entry["name"] = f"{start} {entry['name']}"
        return told


class SummaryMetrics(JSONFileMetrics):
    """Writes a list of phases, and prints their numbers."""

    def _told(self) -> Any:
        for phase in self._phases:
            lines = [f"  {name}: {value}" for name, value in _numbers(phase).items()]
            sys.stdout.write("\n".join([f"{phase.phase_name}:", *lines]) + "\n")
        return super()._told()


class OmniPerfKPIFile(MetricsBackendInterface):
    """Writes the numbers of each phase by its name."""

    def _told(self) -> Any:
        return {phase.phase_name: _numbers(phase) for phase in self._phases}


class OsmoKPIFile(MetricsBackendInterface):
    """Writes the numbers of the last phase."""


class MetricsBackend:
    """Writers by name, each made once."""

    _KINDS: ClassVar[dict[str, type[MetricsBackendInterface]]] = {
        "json": JSONFileMetrics,
        "omniperf": OmniPerfKPIFile,
        "osmo": OsmoKPIFile,
        "summary": SummaryMetrics,
    }
    _instances: ClassVar[dict[str, MetricsBackendInterface]] = {}

    @classmethod
    def get_instance(cls, instance_type: str) -> MetricsBackendInterface:
        """The writer of a name.

        Raises:
            UnknownNameError: there is none.
        """
        if instance_type not in cls._KINDS:
            raise UnknownNameError("backend type", instance_type, cls._KINDS)
        return cls._instances.setdefault(instance_type, cls._KINDS[instance_type]())

    @classmethod
    def reset_instances(cls) -> None:
        """Forget the writers."""
        cls._instances.clear()
