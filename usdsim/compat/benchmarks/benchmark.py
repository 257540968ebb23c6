"""Benchmarks: phases of measurements, recorders, and the file that is written at the end."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from usdsim.core.errors import InvalidValueError

from .backends import MetricsBackend, get_default_output_filename
from .measurements import Measurement, MetadataBase, StringMetadata, TestPhase, metadata_of
from .recorders import (
    CPUInfoRecorder,
    GPUInfoRecorder,
    MeasurementDataRecorder,
    MemoryInfoRecorder,
    VersionInfoRecorder,
)

__all__ = ["BaseIsaacLabBenchmark", "BenchmarkMonitor"]

logger = logging.getLogger("usdsim")


class BaseIsaacLabBenchmark:
    """A benchmark: collects measurements by phase and writes them at the end.

    Args:
        benchmark_name: name of the benchmark.
        backend_type: what writes the file: ``json``, ``omniperf``, ``osmo`` or ``summary``.
        output_path: folder of the file, which is made.
        use_recorders: whether processor, memory, devices and versions are recorded.
        output_prefix: what the file's name begins with; None: ``benchmark``.
        workflow_metadata: a mapping whose ``metadata`` are mappings with ``name`` and ``data``.
        frametime_recorders: accepted; there are no frames of an application.

    Raises:
        UnknownNameError: nothing writes so.
    """

    def __init__(
        self,
        benchmark_name: str,
        backend_type: str,
        output_path: str,
        use_recorders: bool = True,
        output_prefix: str | None = None,
        workflow_metadata: dict[str, Any] | None = None,
        frametime_recorders: bool = False,
    ):
        self.benchmark_name, self.output_path = benchmark_name, output_path
        self.output_prefix = get_default_output_filename(output_prefix or "benchmark")
        self._metrics = MetricsBackend.get_instance(backend_type)
        Path(output_path).mkdir(parents=True, exist_ok=True)
        self._phases: dict[str, TestPhase] = {}
        self._recorders: dict[str, MeasurementDataRecorder] = {}
        if use_recorders:
            self._recorders = {
                "CPUInfo": CPUInfoRecorder(),
                "GPUInfo": GPUInfoRecorder(),
                "MemoryInfo": MemoryInfoRecorder(),
                "VersionInfo": VersionInfoRecorder(),
            }
        known = [StringMetadata("timestamp", datetime.now().isoformat())]
        known += metadata_of((workflow_metadata or {}).get("metadata", []))
        self.add_measurement("benchmark_info", metadata=known)

    @property
    def output_file_path(self) -> str:
        """The file that is written."""
        return str(Path(self.output_path) / f"{self.output_prefix}.json")

    def update_manual_recorders(self) -> None:
        """Take a sample of all that is recorded."""
        if not self._recorders:
            logger.warning("%s records nothing; there is no sample.", self.benchmark_name)
        for recorder in self._recorders.values():
            recorder.update()

    def add_measurement(
        self,
        phase_name: str,
        measurement: Measurement | Sequence[Measurement] | None = None,
        metadata: MetadataBase | Sequence[MetadataBase] | None = None,
    ) -> None:
        """Add to a phase, which begins with its first entry.

        Raises:
            InvalidValueError: an entry is no measurement, or no metadata.
        """
        entries = _checked("measurement", measurement, Measurement)
        known = _checked("metadata", metadata, MetadataBase)
        if phase_name not in self._phases:
            names = {"phase": phase_name, "workflow_name": self.benchmark_name}
            first = [StringMetadata(*pair) for pair in names.items()]
            self._phases[phase_name] = TestPhase(phase_name, metadata=list(first))
        self._phases[phase_name].measurements += entries
        self._phases[phase_name].metadata += known

    def _finalize_impl(self) -> None:
        """Write the file; programs call it by this name."""
        for name, recorder in self._recorders.items():
            data = recorder.get_data()
            if data.measurements:
                self.add_measurement("runtime", data.measurements)
            if data.metadata:
                phase = "version_info" if name == "VersionInfo" else "hardware_info"
                self.add_measurement(phase, metadata=data.metadata)
        for collected in self._phases.values():
            self._metrics.add_metrics(collected)
        self._metrics.finalize(self.output_path, self.output_prefix)


def _checked(name: str, given: Any, kind: type) -> list[Any]:
    """Entries, one or several, of a kind."""
    entries = [] if given is None else list(given) if isinstance(given, Sequence) else [given]
    for entry in entries:
        if not isinstance(entry, kind):
            raise InvalidValueError(name, entry, f"a {kind.__name__}, or several")
    return entries


class BenchmarkMonitor:
    """Takes samples of a benchmark's recorders from a thread of its own, inside a ``with`` block.

    Args:
        benchmark: the benchmark.
        interval: time between samples [s].
    """

    def __init__(self, benchmark: BaseIsaacLabBenchmark, interval: float = 1.0):
        self._benchmark, self._interval = benchmark, interval
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin."""
        if self._thread is None:
            self._stop.clear()
            self._thread = threading.Thread(target=self._sample, daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End, once the present sample is taken."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _sample(self) -> None:
        while not self._stop.is_set():
            self._benchmark.update_manual_recorders()
            self._stop.wait(self._interval)

    def __enter__(self) -> BenchmarkMonitor:
        """Begin."""
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End."""
        self.stop()
