"""Benchmarks of Isaac Lab's scripts: phases, recorders, and the files that are written."""

from __future__ import annotations

import json

import pytest

from usdsim.compat.benchmarks.backends import MetricsBackend
from usdsim.compat.benchmarks.benchmark import BaseIsaacLabBenchmark, BenchmarkMonitor
from usdsim.compat.benchmarks.measurements import (
    BooleanMeasurement,
    DictMeasurement,
    IntMetadata,
    ListMeasurement,
    SingleMeasurement,
    StatisticalMeasurement,
    TestPhase,
)
from usdsim.core.errors import InvalidValueError, UnknownNameError


@pytest.fixture(autouse=True)
def _own_writers():
    MetricsBackend.reset_instances()
    yield
    MetricsBackend.reset_instances()


def benchmark(tmp_path, kind, **more):
    made = BaseIsaacLabBenchmark("carts", kind, str(tmp_path / "out"), output_prefix="run", **more)
    made.add_measurement("runtime", SingleMeasurement("step", 1.5, "ms"))
    made.add_measurement(
        "runtime",
        [StatisticalMeasurement("fps", 10.0, 2.0, 4, "Hz"), ListMeasurement("all", [1, 2, 3])],
        metadata=IntMetadata("envs", 8),
    )
    return made


def written(made):
    made._finalize_impl()
    with open(made.output_file_path, encoding="utf-8") as file:
        return json.load(file)


def test_numbers_are_written_by_phase_and_name(tmp_path):
    known = {"metadata": [{"name": "seed", "data": 7}, {"name": "odd", "data": object()}]}
    told = written(benchmark(tmp_path, "omniperf", use_recorders=False, workflow_metadata=known))
    runtime = told["runtime"]
    assert (runtime["step"], runtime["envs"]) == (1.5, 8)
    assert [runtime[f"fps_{part}"] for part in ("mean", "std", "n")] == [10.0, 2.0, 4]
    assert "all" not in runtime
    assert runtime["workflow_name"] == told["benchmark_info"]["workflow_name"] == "carts"
    assert told["benchmark_info"]["seed"] == 7 and "odd" not in told["benchmark_info"]


def test_phases_are_written_as_they_are(tmp_path, capsys):
    made = benchmark(tmp_path, "summary", use_recorders=False)
    made.add_measurement(
        "runtime", [BooleanMeasurement("ok", True), DictMeasurement("d", {"a": 1})]
    )
    phases = {phase["phase_name"]: phase for phase in written(made)}
    names = {entry["name"]: entry for entry in phases["runtime"]["measurements"]}
    assert names["carts runtime all"]["value"] == [1, 2, 3]
    assert names["carts runtime ok"]["bvalue"] is True
    assert "  step: 1.5" in capsys.readouterr().out


def test_recorders_sample_from_a_thread_too(tmp_path):
    made = benchmark(tmp_path, "json")
    with BenchmarkMonitor(made, interval=0.01):
        made.update_manual_recorders()
    names = {
        entry["name"]: entry.get("value", entry.get("data"))
        for phase in written(made)
        for entry in phase["measurements"] + phase["metadata"]
    }
    assert names["carts runtime CPU Utilization n"] >= 2
    assert names["carts runtime System Memory RSS"] > 0.01
    assert names["carts hardware_info total_ram_gb"] > names["carts runtime System Memory RSS"]
    assert names["carts hardware_info physical_cores"] >= 1
    assert names["carts version_info warp-lang"]


def test_what_is_no_measurement_is_refused(tmp_path):
    made = benchmark(tmp_path, "osmo", use_recorders=False)
    with pytest.raises(InvalidValueError, match="a Measurement"):
        made.add_measurement("runtime", "fast")
    with pytest.raises(UnknownNameError, match="omniperf"):
        benchmark(tmp_path, "paper")
    phase = TestPhase("runtime", metadata=[IntMetadata("runtime Envs", 3)])
    assert phase.get_metadata_field("envs") == 3
    assert phase.get_metadata_field("other", None) is None
    with pytest.raises(KeyError):
        phase.get_metadata_field("other")
    assert repr(ListMeasurement("all", [1, 2])) == "ListMeasurement(name='all', length=2)"


def test_scripts_find_them(installed):
    from isaaclab.test.benchmark import BenchmarkMonitor as Found
    from isaaclab.test.benchmark.measurements import SingleMeasurement as Single

    assert (Found, Single) == (BenchmarkMonitor, SingleMeasurement)
