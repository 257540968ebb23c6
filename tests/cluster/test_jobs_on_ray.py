"""Jobs on Ray: what local processes give, whatever dies or is full in between."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from cluster_jobs import CART, Here, SlowSink, equal, every_episode, rollouts

from usdsim.cli.main import main
from usdsim.cluster import RayCluster, executors, rollout_stream, run_job
from usdsim.cluster.datasets.rows import read_episodes
from usdsim.core.errors import UnsupportedError

ray = pytest.importorskip("ray")
from ray.cluster_utils import Cluster  # noqa: E402

_HERE = str(Path(__file__).parent)
_DRIVER = """
import sys
from usdsim.cluster import RayCluster, job_from_file, run_job
run_job(job_from_file("job.toml", "rollout"), RayCluster(sys.argv[1]))
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Three nodes of one processor each, and the folder of the marks that policies look for."""
    with pytest.MonkeyPatch.context() as patch:
        marks = tmp_path_factory.mktemp("marks")
        patch.setenv("CLUSTER_TEST_MARK", str(marks / "mark"))
        patch.setenv("PYTHONPATH", os.pathsep.join([_HERE, *filter(None, sys.path)]))
        patch.syspath_prepend(_HERE)
        nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
        try:
            nodes.marks, nodes.helpers = marks, [nodes.add_node(num_cpus=1) for _ in range(2)]
            nodes.wait_for_nodes()
            yield nodes
        finally:
            ray.shutdown()
            nodes.shutdown()


@pytest.fixture
def job(cluster, tmp_path):
    """Seven blocks of two episodes, and one of one."""
    for mark in cluster.marks.iterdir():
        mark.unlink()
    (tmp_path / "cart.xml").write_text(CART)
    return rollouts(
        tmp_path, policy="cluster_policies:slow_sway", episodes=15, episodes_per_block=2
    )


def _same_as_alone(job) -> bool:
    """Whether the results are those of one process that nothing happens to."""
    plain = replace(job, out=f"{job.out}-plain", policy="cluster_policies:sway")
    run_job(plain, Here())
    left = [path.name for path in Path(job.out).rglob(".usdsim-*")]
    files = len(list(Path(job.out).glob("*.parquet")))
    return not left and files == 8 and all(map(equal, every_episode(job), every_episode(plain)))


def _write(job, path: Path) -> None:
    """The job as a file."""
    names = ("model", "out", "policy", "episodes", "steps", "substeps", "episodes_per_block",
             "seed", "position_noise", "velocity_noise")  # fmt: skip
    path.write_text("\n".join(f"{name} = {json.dumps(getattr(job, name))}" for name in names))


def test_a_worker_and_a_node_killed_in_the_middle_cost_no_block(cluster, job):
    job, links = replace(job, policy="cluster_policies:slow_and_dies_once"), []

    def kill(result):
        if result.block == 2:
            cluster.remove_node(cluster.helpers.pop(), allow_graceful=False)

    executor = RayCluster(cluster.address, timeout=300.0, dashboard=links.append)
    try:
        report = run_job(job, executor, progress=kill)
        assert len(cluster.helpers) == 1, "a node was killed"
    finally:
        cluster.helpers.append(cluster.add_node(num_cpus=1))
    assert (cluster.marks / "mark").exists(), "a worker was killed"
    assert not report.failed and len(report.blocks) == 8
    assert _same_as_alone(job)


@pytest.mark.nightly
def test_a_block_that_hangs_is_a_timeout_and_those_that_wait_behind_it_are_not(cluster, job):
    job = replace(job, policy="cluster_policies:first_hangs", episodes_per_block=1)
    executor = RayCluster(cluster.address, timeout=6.0)
    report = run_job(job, executor)  # fifteen blocks of a second on three processors, one taken
    assert [block.status for block in report.failed] == ["timeout"], report.failed
    assert len(report.blocks) == 15
    seen = []
    assert not run_job(job, executor, resume=True, progress=seen.append).failed
    assert [block.block for block in seen] == [report.failed[0].block]
    plain = replace(job, out=f"{job.out}-plain", policy="cluster_policies:sway")
    run_job(plain, Here())
    assert all(map(equal, every_episode(job), every_episode(plain)))


@pytest.mark.nightly
def test_a_slow_sink_holds_the_tasks_back(cluster, job):
    job = replace(job, policy="cluster_policies:sway", episodes=30, episodes_per_block=1)
    sink, executor = SlowSink(job), RayCluster(cluster.address)
    assert not run_job(job, executor, progress=sink).failed
    assert sink.taken == 30
    assert 0 < sink.waiting <= 3 * executor.ahead


@pytest.mark.nightly
def test_a_cluster_of_seven_processors_gives_the_same(cluster, job):
    job = replace(job, policy="cluster_policies:sway")
    ray.init(address="local", num_cpus=7, log_to_driver=False, include_dashboard=False)
    try:
        with pytest.raises(UnsupportedError, match=rf"not to '{cluster.address}'; call ray.shut"):
            run_job(job, RayCluster(cluster.address))
        assert not Path(job.out).exists()
        assert not run_job(job, RayCluster()).failed
        assert ray.is_initialized(), "who connected disconnects"
    finally:
        ray.shutdown()
    assert _same_as_alone(job)


@pytest.mark.nightly
def test_a_cluster_of_this_machine_is_started_for_a_command(job, tmp_path, monkeypatch, capsys):
    _write(job, tmp_path / "job.toml")
    monkeypatch.chdir(tmp_path)
    assert main(["batch", "rollout", "job.toml", "--ray"]) == 0
    assert "8 done" in capsys.readouterr().out
    assert not ray.is_initialized()
    assert _same_as_alone(job)


@pytest.mark.nightly
def test_episodes_stream_through_ray_data_as_they_would_be_written(job, tmp_path):
    job = replace(job, policy="cluster_policies:sway")
    ray.init(address="local", num_cpus=3, log_to_driver=False, include_dashboard=False)
    try:
        rollout_stream(job).write_parquet(str(tmp_path / "streamed"))
    finally:
        ray.shutdown()
    assert not Path(job.out).exists(), "nothing else is written"
    run_job(job, Here())
    streamed = {
        int(rows["episode"][0]): rows
        for path in (tmp_path / "streamed").glob("*.parquet")
        for rows in read_episodes(path)
    }
    written = every_episode(job)
    assert len(streamed) == len(written) == 15
    assert all(equal(streamed[number], rows) for number, rows in enumerate(written))


@pytest.mark.nightly
def test_a_full_disk_costs_the_blocks_that_write_there(cluster, job):
    job = replace(job, policy="cluster_policies:writes_to_a_full_disk")
    (cluster.marks / "mark").write_text("")
    report = run_job(job, RayCluster(cluster.address, timeout=300.0))
    assert [block.block for block in report.failed] == [7]
    assert report.failed[0].status == "failed" and "too large" in report.failed[0].message
    (cluster.marks / "mark").unlink()
    seen = []
    executor = RayCluster(cluster.address, timeout=300.0)
    assert not run_job(job, executor, resume=True, progress=seen.append).failed
    assert [block.block for block in seen] == [7]
    assert _same_as_alone(job)


@pytest.mark.nightly
def test_a_killed_driver_leaves_what_is_done_and_the_rest_is_resumed(cluster, job, tmp_path):
    _write(job, tmp_path / "job.toml")
    records, limit = Path(job.out) / "_records", time.monotonic() + 120.0
    driver = subprocess.Popen([sys.executable, "-c", _DRIVER, cluster.address], cwd=tmp_path)
    while len(list(records.glob("*.json"))) < 2 and time.monotonic() < limit:
        time.sleep(0.05)
    driver.send_signal(signal.SIGKILL)
    assert driver.wait() == -signal.SIGKILL, "it had not ended by itself"
    done = {path.name: path.stat().st_mtime_ns for path in records.glob("*.json")}
    assert 2 <= len(done) < 8
    counts = []
    executor = RayCluster(cluster.address, timeout=300.0)
    assert not run_job(job, executor, resume=True, begin=counts.append).failed
    assert counts[0] <= 8 - len(done)
    assert done.items() <= {p.name: p.stat().st_mtime_ns for p in records.glob("*.json")}.items()
    assert _same_as_alone(job)


@pytest.mark.nightly
def test_a_node_that_cannot_import_the_policy_is_refused_before_any_work(cluster, job):
    """The driver can: the library that the policy needs is missing on one node alone."""
    node = cluster.add_node(num_cpus=1, env_vars={"CLUSTER_TEST_BLIND": "1"})
    try:
        cluster.wait_for_nodes()
        with pytest.raises(UnsupportedError, match=r"Node .* cannot do the job.*no such library"):
            run_job(replace(job, policy="cluster_policies_there:sway"), RayCluster(cluster.address))
        assert not Path(job.out).exists()
    finally:
        cluster.remove_node(node, allow_graceful=True)


def test_another_version_on_a_node_is_refused_before_any_work(cluster, job, monkeypatch):
    there = executors.__version__
    monkeypatch.setattr(executors, "__version__", "0.0.1")
    with pytest.raises(UnsupportedError, match=f"has usdsim {there}, this machine 0.0.1"):
        run_job(job, RayCluster(cluster.address))
    assert not Path(job.out).exists()


def test_an_unreachable_cluster_is_refused_at_once_and_leaves_nothing(folder):
    for address in ("127.0.0.1:1", "ray://127.0.0.1:1"):
        job = rollouts(folder)
        with pytest.raises(UnsupportedError, match=f"No Ray cluster at '{address}'"):
            run_job(job, RayCluster(address))
        assert not Path(job.out).exists()
