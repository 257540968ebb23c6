"""Sweeps: every point is a rollout with its values, and the table says how often it succeeded."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cluster_jobs import rollouts
from hypothesis import given
from hypothesis import strategies as st

from usdsim.cluster import LocalProcesses, SweepJob, run_job, tune_sweep, wilson_interval
from usdsim.core.errors import InvalidValueError, UnknownNameError, UsdsimError


def sweep(folder: Path, **changes) -> SweepJob:
    fields = rollouts(folder, steps=40, success="cluster_policies:came_home").document()
    fields |= {"policy": "cluster_policies:damped", "reward": "cluster_policies:closeness"}
    rollout = {key: value for key, value in fields.items() if key not in ("kind", "out")}
    job = SweepJob(
        out=str(folder / "sweep"), rollout=rollout,
        parameters={"policy_options.gain": [0.0, 30.0], "randomize.link:cart.mass": [[1.0, 1.0]]},
    )  # fmt: skip
    return replace(job, **changes)


def table(job: SweepJob) -> list[dict[str, str]]:
    with Path(job.out, "sweep.csv").open() as file:
        return list(csv.DictReader(file))


def test_a_grid_is_measured_point_by_point(folder):
    job = sweep(folder)
    assert not run_job(job, LocalProcesses(workers=1)).failed
    free, held = table(job)
    assert (free["policy_options.gain"], held["policy_options.gain"]) == ("0.0", "30.0")
    for row in (free, held):
        point = {"policy_options.gain": float(row["policy_options.gain"])}
        columns = job.rollout_at(point).episode_columns(np.arange(7))
        assert int(row["successes"]) == columns["success"][:, 0].sum()
        assert float(row["mean_return"]) == pytest.approx(columns["reward"].sum(axis=1).mean())
        assert float(row["low"]) < float(row["rate"]) + 1e-9 < float(row["high"]) + 2e-9
    assert float(held["mean_return"]) > float(free["mean_return"])


def test_random_points_depend_on_seed_and_number_alone(folder):
    job = sweep(folder, samples=50, parameters={"policy_options.gain": [1e-2, 1e2], "seed": [0, 9]})
    job = replace(job, logarithmic=["policy_options.gain"])
    gains = np.array([point["policy_options.gain"] for point in job.points])
    assert (gains > 1e-2).all() and (gains < 1e2).all()
    assert 0.3 < (gains < 1.0).mean() < 0.7, "half of the logarithms"
    assert replace(job, samples=20).points == job.points[:20]
    assert replace(job, seed=1).points[0] != job.points[0]


def test_attributes_of_the_stage_are_swept(folder):
    import usdsim

    model = usdsim.load_model(folder / "cart.xml")
    model.stage.Export(str(folder / "cart.usda"))
    key = f"{model.get_link('cart').path}.physics:mass"
    job = sweep(folder, parameters={key: [1.0, 2.0]})
    assert [job.rollout_at(point).edits for point in job.points] == [{key: 1.0}, {key: 2.0}]
    job.check()


def test_a_model_is_loaded_once_while_only_the_policy_differs(folder, monkeypatch):
    from usdsim.cluster import stage_episodes

    loads = []
    load = stage_episodes.load_model
    monkeypatch.setattr(stage_episodes, "load_model", lambda path: loads.append(path) or load(path))
    job = sweep(folder, parameters={"policy_options.gain": [0.0, 10.0, 30.0]})
    job.check()
    fresh = [sweep(folder).measure(point) for point in job.points]
    del loads[1:]
    assert [job.measure(point) for point in job.points] == fresh
    assert len(loads) == 1


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"parameters": {}}, InvalidValueError, "at least one"),
        ({"parameters": {"gain": [1.0]}}, UnknownNameError, "gain"),
        ({"parameters": {"steps": []}}, InvalidValueError, "steps"),
        ({"samples": 3}, InvalidValueError, "lowest and the highest"),
        (
            {"samples": 3, "parameters": {"position_noise": [0.0, 1.0]},
             "logarithmic": ["position_noise"]},
            InvalidValueError, "logarithmic",
        ),
        ({"logarithmic": ["nothing"]}, UnknownNameError, "nothing"),
    ],
)  # fmt: skip
def test_sweeps_that_cannot_run_are_refused(folder, changes, error, words):
    with pytest.raises(error, match=words):
        sweep(folder, **changes).check()


@given(trials=st.integers(1, 400), share=st.floats(0.0, 1.0))
def test_intervals_hold_the_rates_under_which_what_was_seen_is_plausible(trials, share):
    successes = round(share * trials)
    low, high = wilson_interval(successes, trials)
    rate = successes / trials
    assert 0.0 <= low <= rate <= high <= 1.0
    for end in (low, high):
        distance = 1.959963984540054 * np.sqrt(end * (1.0 - end) / trials)
        assert abs(rate - end) == pytest.approx(distance, abs=1e-9), "the rate is just plausible"
    assert wilson_interval(0, 0) == (0.0, 1.0)


@pytest.mark.nightly
def test_ray_tune_finds_the_gain_that_brings_the_cart_home(folder):
    pytest.importorskip("ray.tune")
    ray = pytest.importorskip("ray")
    found = tune_sweep(sweep(folder), metric="mean_return").get_best_result()
    assert found.config["policy_options.gain"] == 30.0
    assert not ray.is_initialized(), "nothing is left for later jobs to run on"


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"steps": [40, 0]}, "steps of the rollout job is 0"),
        ({"success": ["cluster_policies:came_home", "cluster_policies:came_hone"]}, "came_hone"),
        ({"policy": ["cluster_policies:damped", "missing.npz"]}, "missing.npz"),
    ],
)
def test_values_that_no_rollout_takes_are_refused_before_any_work(folder, parameters, words):
    """Also those of later points."""
    with pytest.raises(UsdsimError, match=words):
        sweep(folder, parameters=parameters).check()


def test_tasks_of_later_points_are_looked_for_before_any_work(folder):
    pytest.importorskip("torch")
    rollout = {"task": "cartpole", "policy": "cluster_policies:push", "episodes": 1}
    job = SweepJob(
        out=str(folder), rollout=rollout, parameters={"task": ["cartpole", "cartpole-drect"]}
    )
    with pytest.raises(UnknownNameError, match="No task 'cartpole-drect'"):
        job.check()
