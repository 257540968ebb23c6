"""Tasks as rollouts: episodes end by themselves, and are the same to the bit wherever they run."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cluster_jobs import equal

from usdsim.cluster import (
    LocalProcesses,
    RolloutJob,
    SweepJob,
    export_dataset,
    read_episode,
    record_episode,
    replay_episode,
    run_job,
)
from usdsim.core.errors import InvalidValueError, UnknownNameError, UsdsimError
from usdsim.core.shipped import example_asset

pytest.importorskip("torch")


@pytest.fixture
def job(folder):
    return RolloutJob(
        out=str(folder / "out"), task="cartpole", episodes=5, episodes_per_block=3, seed=3,
        policy="cluster_policies:constant",
    )  # fmt: skip


def episodes(job: RolloutJob) -> list[dict[str, np.ndarray]]:
    files = [f"episodes-{n // job.episodes_per_block:06}.parquet" for n in range(job.episodes)]
    return [read_episode(Path(job.out) / file, n) for n, file in enumerate(files)]


def test_episodes_of_a_task_end_by_themselves_and_are_replayed_to_the_bit(job, folder):
    assert not run_job(job, LocalProcesses(workers=2)).failed
    found = episodes(job)
    for rows in found:
        length = len(rows["step"])
        assert rows["step"].tolist() == list(range(length)) and length < 500
        assert rows["failed"].tolist() == [False] * (length - 1) + [True], "the pole fell"
        joints = rows["state.articulation.robot.joint_position"]
        np.testing.assert_array_equal(rows["observation"][:, :2].astype(np.float32), joints)
    assert len({len(rows["step"]) for rows in found}) > 1
    assert not np.array_equal(found[0]["observation"][0], found[3]["observation"][0])
    other = replace(job, out=str(folder / "other"))
    assert not run_job(other, LocalProcesses(workers=1)).failed
    assert all(map(equal, found, episodes(other)))
    path = folder / "out" / "episodes-000001.parquet"
    assert equal(found[4], replay_episode(path, 4))
    record_episode(path, 4, folder / "run.usda")
    from usdsim.render import Recording

    played, carts = Recording(folder / "run.usda"), []
    for time in (0.0, 0.2):
        played.seek(time)
        carts += [pose[0] for name, pose in played.read().items() if name.endswith("/cart")]
    moved = found[4]["observation"][10, 0] - found[4]["observation"][0, 0]
    assert carts[1] - carts[0] == pytest.approx(moved, abs=1e-3) and abs(moved) > 0.01


def test_rewards_are_those_of_the_environment(job):
    columns = job.episode_columns(np.arange(3))
    assert columns["reward"].shape == columns["running"].shape
    assert not columns["reward"][~columns["running"]].any()
    assert columns["reward"][columns["running"]].any()


@pytest.mark.parametrize("form", ["function", "npz", "pt"])
def test_policies_in_every_form_keep_the_pole_up(job, folder, form):
    network = example_asset("cartpole/policy.npz")
    options = {}
    if form == "function":
        policy, options = "cluster_policies:network", {"path": str(network)}
    elif form == "npz":
        policy = str(network)
    else:
        from usdsim.learning import load_policy, save_policy

        policy = str(folder / "policy.pt")
        save_policy(policy, load_policy(network))
    job = replace(job, policy=policy, policy_options=options, steps=60, episodes=3)
    assert not run_job(job, LocalProcesses(workers=1)).failed
    for rows in episodes(job):
        assert len(rows["step"]) == 60 and not rows["failed"].any()


def test_any_environment_by_import_path_is_a_task(job):
    made = replace(job, task="cluster_policies:short_cartpole", task_options={"seconds": 0.2})
    assert made.simulate(np.arange(2))["step"].max() == 9


def test_cameras_of_the_scene_of_a_task_are_kept(job, folder):
    """An image a decision, as it is in the end: what moved is elsewhere in later ones."""
    pillow = pytest.importorskip("PIL.Image")
    seen = replace(
        job, task="cluster_policies:seen_cartpole", cameras=["eye"], steps=12, episodes=2
    )
    assert not run_job(seen, LocalProcesses(workers=1)).failed
    path = folder / "out" / "episodes-000000.parquet"
    rows = read_episode(path, 1)
    images = [np.asarray(pillow.open(io.BytesIO(image))) for image in rows["image.eye"]]
    assert len(images) == 12 and images[0].shape == (12, 16, 3)
    assert (images[0] != images[-1]).any()
    assert equal(rows, replay_episode(path, 1))
    info = json.loads((export_dataset(seen.out, folder / "lr") / "meta/info.json").read_text())
    assert info["features"]["observation.images.eye"]["shape"] == [12, 16, 3]


def test_datasets_of_tasks_have_states_by_asset(job, folder):
    h5py = pytest.importorskip("h5py")
    run_job(job, LocalProcesses(workers=1))
    with h5py.File(export_dataset(job.out, folder / "demos.hdf5")) as file:
        first = file["data/demo_0"]
        (rows, *_) = episodes(job)
        states = first["states/articulation/robot/joint_position"]
        np.testing.assert_array_equal(states, rows["state.articulation.robot.joint_position"])
        assert json.loads(file["data"].attrs["env_args"])["env_name"] == "cartpole"
    info = json.loads((export_dataset(job.out, folder / "lr") / "meta/info.json").read_text())
    assert info["robot_type"] == "cartpole" and info["total_episodes"] == 5


def test_a_sweep_over_a_task_says_what_lasts(job, folder):
    fields = {k: v for k, v in job.document().items() if k not in ("kind", "out")}
    sweep = SweepJob(
        out=str(folder / "sweep"), rollout={**fields, "steps": 20},
        parameters={"policy_options.push": [0.0, 5.0]},
    )  # fmt: skip
    idle, pushed = (sweep.measure(point) for point in sweep.points)
    assert idle["rate"] == 1.0 and pushed["rate"] == 0.0
    assert idle["mean_return"] > pushed["mean_return"]


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"task": "cartpol"}, UnknownNameError, "Did you mean 'cartpole'"),
        ({"model": "cart.xml"}, InvalidValueError, "one of the two"),
        ({"task": ""}, InvalidValueError, "one of the two"),
        ({"substeps": 4}, InvalidValueError, "substeps of the rollout job"),
        ({"reward": "cluster_policies:closeness"}, InvalidValueError, "a task has none"),
        ({"task_options": {"nothing": 1}}, UnknownNameError, "nothing"),
        ({"policy": "cluster_policies:wrong_shape"}, InvalidValueError, r"shape \(1, 1\)"),
        ({"steps": -1}, UsdsimError, "steps"),
        ({"cameras": ["eye"]}, UnknownNameError, "camera 'eye'"),
        ({"image_size": [8, 8]}, InvalidValueError, "image_size"),
    ],
)
def test_tasks_that_cannot_run_are_refused_before_any_work(job, folder, changes, error, words):
    with pytest.raises(error, match=words):
        run_job(replace(job, **changes))
    assert not (folder / "out").exists()
