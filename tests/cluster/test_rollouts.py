"""Rollouts: randomisation, edits, rewards, success, images and policies in files."""

from __future__ import annotations

import io

import numpy as np
import pytest
from cluster_jobs import equal, rollouts

import usdsim
from usdsim.cluster import Randomization, record_episode, replay_episode
from usdsim.core.errors import FileError, InvalidValueError, UnknownNameError, UsdsimError


def columns(job, count: int = 4) -> dict[str, np.ndarray]:
    return job.episode_columns(np.arange(count))


def test_factors_on_masses_change_motion_and_belong_to_the_episode(folder):
    """A force F on mass m k moves the cart by the accelerations F / (m k) of a drawn factor k."""
    job = rollouts(
        folder, position_noise=0.0, velocity_noise=0.0, steps=2, substeps=1,
        policy="cluster_policies:push", randomize={"link:cart.mass": [0.5, 2.0]},
    )  # fmt: skip
    speeds = columns(job)["observation"][:, 1, 1]
    factors = 0.005 * 3.0 / speeds
    assert (factors > 0.5).all() and (factors < 2.0).all() and np.ptp(factors) > 0.1
    np.testing.assert_array_equal(
        job.episode_columns(np.array([2]))["observation"][0, 1, 1], speeds[2]
    )


@pytest.mark.parametrize(
    ("ranges", "error", "words"),
    [
        ({"cart.mass": [1, 2]}, InvalidValueError, "kind:pattern.parameter"),
        ({"wheel:cart.mass": [1, 2]}, InvalidValueError, "link, joint"),
        ({"link:cart.mass": [2, 1]}, InvalidValueError, "lowest and the highest"),
        ({"link:cart.mass": [1]}, InvalidValueError, "lowest and the highest"),
        ({"link:nothing.mass": [1, 2]}, UnknownNameError, "nothing"),
        ({"link:cart.colour": [1, 2]}, UnknownNameError, "colour"),
    ],
)
def test_factors_that_cannot_be_drawn_are_refused(folder, ranges, error, words):
    model = usdsim.load_model(folder / "cart.xml")
    with pytest.raises(error, match=words):
        Randomization(model, ranges)


def test_an_edit_of_the_stage_acts_and_is_in_what_is_replayed(folder):
    model = usdsim.load_model(folder / "cart.xml")
    path = model.get_link("cart").path
    stage = folder / "cart.usda"
    model.stage.Export(str(stage))
    plain = rollouts(
        folder, model=str(stage), policy="cluster_policies:push", position_noise=0.0,
        velocity_noise=0.0, steps=2, substeps=1,
    )  # fmt: skip
    heavy = rollouts(
        folder, model=str(stage), policy="cluster_policies:push", position_noise=0.0,
        velocity_noise=0.0, steps=2, substeps=1, edits={f"{path}.physics:mass": 4.0},
        out=str(folder / "heavy"),
    )  # fmt: skip
    ratio = columns(plain)["observation"][0, 1, 1] / columns(heavy)["observation"][0, 1, 1]
    assert ratio == pytest.approx(4.0, rel=1e-6)
    assert heavy.digest() != plain.digest()


def test_rewards_and_success_are_those_of_the_functions(folder):
    job = rollouts(
        folder, policy="cluster_policies:damped", policy_options={"gain": 9.0}, steps=200,
        velocity_noise=0.0, reward="cluster_policies:closeness",
        success="cluster_policies:came_home",
    )  # fmt: skip
    found = columns(job)
    after = found["observation"][:, 1:, 0]
    np.testing.assert_array_equal(found["reward"][:, :-1], -np.abs(after))
    assert found["success"].all()
    lazy = rollouts(folder, steps=3, position_noise=1.0, success="cluster_policies:came_home")
    assert not columns(lazy)["success"].all()


def test_images_are_what_the_camera_sees(folder):
    pillow = pytest.importorskip("PIL.Image")
    seen = rollouts(folder, cameras=["eye"], image_size=[24, 16], steps=2)
    image = pillow.open(io.BytesIO(columns(seen, 1)["image.eye"][0, 1]))
    assert image.size == (24, 16)
    model = usdsim.load_model(folder / "cart.xml")
    camera = model.cameras["eye"]
    camera.set_render_target("image", 24, 16)
    data = usdsim.SceneData(model, batch=(1,))
    state = columns(seen, 1)["observation"][0, 1]
    data.dof_pos = state[None, :1]
    np.testing.assert_array_equal(np.asarray(image), camera.render(data)[0])


def test_networks_in_files_act_as_functions_do(folder):
    torch = pytest.importorskip("torch")
    from usdsim.actuators import DenseLayer, Network
    from usdsim.learning import Policy, save_policy

    weight = np.array([[-2.0, -1.0, 0.0]], np.float32)
    policy = Policy(Network((DenseLayer(weight, np.zeros(1, np.float32)),), metadata={}))
    for name in ("p.npz", "p.pt"):
        save_policy(folder / name, policy)
        found = columns(rollouts(folder, policy=str(folder / name)))
        expected = found["observation"] @ weight[0]
        np.testing.assert_allclose(found["action"][..., 0], expected, rtol=1e-5, atol=1e-6)
    assert torch.jit.load(str(folder / "p.pt")) is not None
    with pytest.raises(InvalidValueError, match="policy_options"):
        rollouts(folder, policy=str(folder / "p.npz"), policy_options={"gain": 1.0}).check()
    with pytest.raises(FileError, match=r"missing\.npz"):
        rollouts(folder, policy=str(folder / "missing.npz")).check()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"reward": "cluster_policies:wrong_reward"}, "reward of"),
        ({"reward": "cluster_policies:nothing"}, "reward of the rollout job"),
        ({"success": "cluster_policies:nothing"}, "success of the rollout job"),
        ({"edits": {"/cart.nothing": 1.0}}, "nothing"),
    ],
)
def test_what_a_job_names_is_looked_at_before_any_work(folder, changes, words):
    with pytest.raises(UsdsimError, match=words):
        rollouts(folder, **changes).check()


def test_an_episode_becomes_a_recording(folder):
    job = rollouts(folder, episodes=2, steps=20)
    (folder / "out").mkdir()
    job.run_block(0)
    file = folder / "out" / "episodes-000000.parquet"
    rows = replay_episode(file, 1)
    record_episode(file, 1, folder / "run.usda")
    from usdsim.render import Recording

    played = Recording(folder / "run.usda")
    played.seek(0.2)
    (pose,) = [p for path, p in played.read().items() if path.endswith("cart")]
    assert pose[0] == pytest.approx(rows["observation"][10, 0], abs=1e-3)
    with pytest.raises(InvalidValueError, match="0 to 1"):
        record_episode(file, 2, folder / "no.usda")
    assert equal(rows, replay_episode(file, 1))
