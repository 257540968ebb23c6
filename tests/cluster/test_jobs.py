"""Jobs in blocks: results depend on the job alone, and what fails costs its block alone."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import cluster_policies
import numpy as np
import pytest
from cluster_jobs import CART, Here, SlowSink, equal, every_episode, rollouts

import usdsim
from usdsim.cli.main import main
from usdsim.cluster import (
    ConvertJob,
    LocalProcesses,
    RayCluster,
    job_from_file,
    replay_episode,
    run_job,
)
from usdsim.core.errors import FileError, InvalidValueError, UnknownNameError, UnsupportedError


def test_episodes_do_not_depend_on_blocks_or_workers(folder):
    job = rollouts(folder)
    assert not run_job(job, LocalProcesses(workers=2)).failed
    first = every_episode(job)
    other = replace(job, out=str(folder / "other"), episodes_per_block=3)
    assert not run_job(other, Here()).failed
    assert all(map(equal, first, every_episode(other)))
    assert equal(first[5], replay_episode(folder / "out" / "episodes-000001.parquet", 5))
    assert not np.array_equal(first[0]["observation"], first[1]["observation"])


@pytest.mark.nightly
def test_seven_workers_give_what_two_give(folder):
    two, seven = (rollouts(folder, out=str(folder / f"of {count}"), episodes_per_block=1)
                  for count in (2, 7))  # fmt: skip
    assert not run_job(two, LocalProcesses(workers=2)).failed
    report = run_job(seven, LocalProcesses(workers=7))
    assert len({block.result["worker"] for block in report.blocks}) == 7
    assert all(map(equal, every_episode(two), every_episode(seven)))


def test_a_slow_sink_holds_the_workers_back(folder):
    job = rollouts(folder, episodes=12, episodes_per_block=1)
    sink = SlowSink(job)
    assert not run_job(job, LocalProcesses(workers=1), progress=sink).failed
    assert sink.taken == 12
    assert 0 < sink.waiting <= 2, "two requests per worker"


def test_workers_share_the_processors(folder, monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    job = rollouts(folder, success="cluster_policies:half_the_processors")
    report = run_job(job, LocalProcesses(workers=2))
    assert [block.result["succeeded"] for block in report.blocks] == [4, 3]


def test_rows_are_those_of_a_simulation_by_hand(folder):
    job = rollouts(folder, position_noise=0.0, velocity_noise=0.0, episodes=1)
    run_job(job, Here())
    (rows,) = every_episode(job)
    model = usdsim.load_model(folder / "cart.xml")
    data = usdsim.SceneData(model)
    for step in range(job.steps):
        x, v = float(data.dof_pos[0]), float(data.dof_vel[0])
        np.testing.assert_array_equal(rows["observation"][step], [x, v, x])  # and the sensor
        control = np.sin(5.0 * step * 0.02) - 0.1 * x
        np.testing.assert_allclose(rows["action"][step], [control], rtol=1e-15)
        data.actuator_ctrls = [control]
        model.step_n(data, 4)
    np.testing.assert_allclose(rows["time"], 0.02 * np.arange(5))


def test_a_block_that_dies_is_listed_and_resumed(folder, monkeypatch):
    monkeypatch.setenv("CLUSTER_TEST_MARK", str(folder / "mark"))
    job = rollouts(folder, policy="cluster_policies:dies_once")
    report = run_job(job, LocalProcesses(workers=1))
    assert [block.status for block in report.blocks] == ["done", "crashed"]
    assert "code 9" in report.failed[0].message
    kept = (folder / "out" / "episodes-000000.parquet").stat().st_mtime_ns
    with pytest.raises(FileError, match="resume it"):
        run_job(job)
    seen = []
    assert not run_job(job, LocalProcesses(workers=1), resume=True, progress=seen.append).failed
    assert [block.block for block in seen] == [1]
    assert (folder / "out" / "episodes-000000.parquet").stat().st_mtime_ns == kept
    plain = rollouts(folder, out=str(folder / "plain"))
    run_job(plain, Here())
    assert all(map(equal, every_episode(job), every_episode(plain)))


def test_a_block_that_hangs_is_a_timeout(folder):
    job = rollouts(folder, policy="cluster_policies:hangs", episodes=1)
    document = job.document()
    ((block, outcome),) = LocalProcesses(1, timeout=5.0).run(_unchecked(document), [0])
    assert (block, outcome["status"]) == (0, "timeout")


def _unchecked(document):
    from usdsim.cluster.job import job_from_document

    return job_from_document(document)


def test_folders_are_converted_and_failures_listed(folder):
    (folder / "robots").mkdir()
    (folder / "robots" / "cart.xml").write_text(CART)
    (folder / "robots" / "bad.urdf").write_text('<robot name="r">')
    job = ConvertJob(out=str(folder / "usd"), source=str(folder / "robots"), suffix=".usda")
    report = run_job(job, LocalProcesses(workers=2))
    assert sorted(block.status for block in report.blocks) == ["done", "failed"]
    assert (folder / "usd" / "cart.usda").is_file()
    assert json.loads((folder / "usd" / "_report.json").read_text())["failed"] == 1


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"policy": "no_such_module:f"}, InvalidValueError, "cannot be imported"),
        ({"policy": "cluster_policies:nothing"}, InvalidValueError, "package.module:name"),
        ({"policy": "cluster_policies:wrong_shape"}, InvalidValueError, r"shape \(1, 7\)"),
        ({"episodes": 0}, InvalidValueError, "episodes"),
        ({"position_noise": float("nan")}, InvalidValueError, "position_noise"),
        ({"model": "nothing.xml"}, FileError, "nothing.xml"),
        ({"keyframe": "home"}, UnknownNameError, "home"),
    ],
)
def test_what_no_block_could_do_is_refused_before_any_work(folder, changes, error, words):
    with pytest.raises(error, match=words):
        run_job(rollouts(folder, **changes))
    assert not (folder / "out").exists()


def test_folders_of_others_are_refused(folder):
    out = folder / "out"
    out.mkdir()
    (out / "mine.txt").write_text("mine")
    with pytest.raises(FileError, match="no empty folder"):
        run_job(rollouts(folder))
    (out / "mine.txt").unlink()
    run_job(rollouts(folder), Here())
    with pytest.raises(FileError, match="results of another job"):
        run_job(rollouts(folder, seed=4), resume=True)


def test_the_command_line_runs_and_resumes_jobs(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    (folder / "job.toml").write_text(
        'model = "cart.xml"\nout = "out"\nepisodes = 2\nsteps = 3\n'
        'policy = "cluster_policies:sway"\n'
    )
    assert main(["batch", "rollout", "job.toml", "--workers", "1"]) == 0
    assert "1 done" in capsys.readouterr().out
    assert main(["batch", "rollout", "job.toml"]) == 1
    assert "resume it" in capsys.readouterr().err
    assert main(["batch", "rollout", "job.toml", "--resume", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["counts"] == {"done": 1}
    (folder / "job.toml").write_text('out = "x"\nepisods = 2\n')
    with pytest.raises(UnknownNameError, match="Did you mean 'episodes'"):
        job_from_file(folder / "job.toml", "rollout")


def test_what_fails_in_a_function_of_the_user_is_told_with_its_line(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    job = 'model = "cart.xml"\npolicy = "cluster_policies:stumbles"\nout = "out"\nepisodes = 2\n'
    Path("job.toml").write_text(f"{job}episodes_per_block = 1\nsteps = 5\n")
    lines = Path(cluster_policies.__file__).read_text().splitlines()
    line = next(k for k, text in enumerate(lines, 1) if 'raise KeyError("gain")' in text)
    told = f"KeyError: 'gain', in {cluster_policies.__file__}, line {line}"
    assert main(["batch", "rollout", "job.toml"]) == 1
    said = capsys.readouterr().err
    assert told in said and "defect" not in said
    monkeypatch.setenv("CLUSTER_TEST_MARK", "blocks")
    assert main(["batch", "rollout", "job.toml", "--workers", "1"]) == 1
    assert told in "".join(capsys.readouterr())


def test_a_job_is_checked_once_and_the_bar_knows_what_is_missing(folder, monkeypatch):
    from usdsim.cluster import RolloutJob

    checks, counts = [], []
    check = RolloutJob.check
    monkeypatch.setattr(RolloutJob, "check", lambda job: checks.append(1) or check(job))
    (folder / "job.toml").write_text(
        f'model = "{folder}/cart.xml"\nout = "{folder}/out"\nepisodes = 2\nsteps = 3\n'
        'episodes_per_block = 1\npolicy = "cluster_policies:sway"\n'
    )
    assert main(["batch", "rollout", str(folder / "job.toml"), "--workers", "1"]) == 0
    assert checks == [1]
    files = sorted((folder / "out").glob("*.parquet"))
    before = [file.read_bytes() for file in files]
    job = job_from_file(folder / "job.toml", "rollout")
    for missing in (folder / "out" / "_records" / "000001.json", files[1]):
        missing.unlink()
        run_job(job, Here(), resume=True, begin=counts.append)
    assert counts == [1, 1] and [file.read_bytes() for file in files] == before


def test_the_folder_of_a_rollout_is_a_data_set(folder):
    """Readers of folders leave out what begins with a line or a dot."""
    from pyarrow.parquet import read_table

    run_job(rollouts(folder), Here())
    job = rollouts(folder)
    table = read_table(job.out)
    assert table.num_rows == job.episodes * job.steps


def test_a_missing_ray_is_named(monkeypatch, folder):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UnsupportedError, match=r"pip install 'usdsim\[ray\]'"):
        list(RayCluster().run(rollouts(folder), [0]))
