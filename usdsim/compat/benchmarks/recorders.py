"""Recorders of benchmarks: load of the processor, memory of the process, devices and versions."""

from __future__ import annotations

import os
import platform
import time
from importlib import metadata
from pathlib import Path
from statistics import fmean, pstdev

import warp as wp

from .measurements import (
    DictMetadata,
    FloatMetadata,
    IntMetadata,
    MeasurementData,
    SingleMeasurement,
    StringMetadata,
)

__all__ = [
    "CPUInfoRecorder",
    "GPUInfoRecorder",
    "MeasurementDataRecorder",
    "MemoryInfoRecorder",
    "VersionInfoRecorder",
]

_GIGABYTE = 1024.0**3
_PACKAGES = ("usdsim", "mujoco", "mujoco-core", "warp-lang", "usd-core", "numpy", "torch")


class MeasurementDataRecorder:
    """Base of recorders: `update` takes a sample, `get_data` tells what there is."""

    def update(self) -> None:
        """Take a sample."""

    def get_data(self) -> MeasurementData:
        """Measurements and metadata up to now."""
        return MeasurementData()


def _spread(name: str, samples: list[float], unit: str) -> list[SingleMeasurement]:
    """Mean, standard deviation and number of samples."""
    return [
        SingleMeasurement(name, fmean(samples) if samples else 0.0, unit),
        SingleMeasurement(f"{name} std", pstdev(samples) if samples else 0.0, unit),
        SingleMeasurement(f"{name} n", len(samples), ""),
    ]


class CPUInfoRecorder(MeasurementDataRecorder):
    """Share of the machine's processors that the process takes [%], and what they are."""

    def __init__(self) -> None:
        self._cores = os.cpu_count() or 1
        self._shares: list[float] = []
        self._before = (time.perf_counter(), time.process_time())

    def update(self) -> None:
        """Sample the share since the last time."""
        now = (time.perf_counter(), time.process_time())
        wall, used = (b - a for a, b in zip(self._before, now, strict=True))
        self._before = now
        self._shares.append(100.0 * used / (wall * self._cores) if wall > 0.0 else 0.0)

    def get_data(self) -> MeasurementData:
        """Share of the processors, their number and name."""
        return MeasurementData(
            _spread("CPU Utilization", self._shares, "%"),
            [
                StringMetadata("cpu_name", platform.processor() or platform.machine()),
                IntMetadata("physical_cores", self._cores),
            ],
        )


class MemoryInfoRecorder(MeasurementDataRecorder):
    """Resident and virtual memory of the process [GB], where the system tells them by file."""

    _FILE = Path("/proc/self/statm")

    def __init__(self) -> None:
        self._pages: list[tuple[float, float]] = []

    def update(self) -> None:
        """Sample the memory."""
        if self._FILE.exists():
            virtual, resident = (float(count) for count in self._FILE.read_text().split()[:2])
            self._pages.append((resident, virtual))

    def get_data(self) -> MeasurementData:
        """Memory of the process, and the machine's."""
        page = os.sysconf("SC_PAGE_SIZE") / _GIGABYTE if self._FILE.exists() else 0.0
        measured = []
        for k, kind in enumerate(("RSS", "VMS")):
            sizes = [sample[k] * page for sample in self._pages]
            measured += _spread(f"System Memory {kind}", sizes, "GB")
        total = os.sysconf("SC_PHYS_PAGES") * page if page else 0.0
        return MeasurementData(measured, [FloatMetadata("total_ram_gb", total)])


class GPUInfoRecorder(MeasurementDataRecorder):
    """Memory taken on devices of CUDA [GB], where there are any."""

    def __init__(self) -> None:
        self._devices = wp.get_cuda_devices() if wp.is_cuda_available() else []
        self._taken: list[list[float]] = [[] for _ in self._devices]

    def update(self) -> None:
        """Sample the memory of each."""
        for taken, device in zip(self._taken, self._devices, strict=True):
            taken.append((device.total_memory - device.free_memory) / _GIGABYTE)

    def get_data(self) -> MeasurementData:
        """Memory taken, and what the devices are."""
        if not self._devices:
            return MeasurementData()
        measured = []
        for k, taken in enumerate(self._taken):
            measured += _spread(f"GPU {k} Memory Used", taken, "GB")
        names = {str(k): {"name": device.name} for k, device in enumerate(self._devices)}
        known = [IntMetadata("gpu_device_count", len(names)), DictMetadata("gpu_devices", names)]
        return MeasurementData(measured, known)


class VersionInfoRecorder(MeasurementDataRecorder):
    """Versions of the packages that simulate."""

    def get_data(self) -> MeasurementData:
        """Versions by package."""
        found = {dist.metadata["Name"]: dist.version for dist in metadata.distributions()}
        known = [StringMetadata(name, found[name]) for name in _PACKAGES if name in found]
        return MeasurementData(metadata=known)
