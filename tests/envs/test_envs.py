"""Environments: episodes, resets that touch nothing else, seeds, autoreset, refusals."""

from __future__ import annotations

import random

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import gymnasium  # noqa: E402
from cart_env import CartEnvCfg, CartScene, cart_env, terms  # noqa: E402

import usdsim.envs.mdp as mdp  # noqa: E402
from usdsim.assets import Articulation  # noqa: E402
from usdsim.core.declared import DeclaredConfiguration  # noqa: E402
from usdsim.core.errors import InvalidValueError, ShapeError, SimulationError, StageError  # noqa: E402
from usdsim.envs import (  # noqa: E402
    DirectRLEnv,
    DirectRLEnvCfg,
    ManagerBasedEnv,
    ManagerBasedEnvCfg,
    ManagerBasedRLEnv,
)
from usdsim.envs.managers import (  # noqa: E402
    DatasetExportMode,
    EventTermCfg,
    ManagerBase,
    RecorderManagerBaseCfg,
    RecorderTerm,
    RecorderTermCfg,
    TerminationTermCfg,
)
from usdsim.envs.signals.noise import ConstantNoiseCfg, NoiseModelCfg  # noqa: E402
from usdsim.sim import SimulationCfg  # noqa: E402

N = 4


def states(env) -> dict[str, torch.Tensor]:
    data = env.scene["robot"].data
    return {name: getattr(data, name).torch.clone() for name in ("joint_pos", "joint_vel")}


def played(env, steps: int, seed: int = 0) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    rows = [env.reset(seed=seed)[0]["policy"].clone()]
    for _ in range(steps):
        observation, reward, *_ = env.step(torch.randn((env.num_envs, 1), generator=generator))
        rows += [observation["policy"].clone(), reward.clone()]
    return rows


def test_steps_are_the_physics_of_the_scene(closing, device):
    """A cart with its pole held is pushed: velocity = force time / mass."""
    with cart_env(events=None) as env:
        env.reset()
        observation = env.step(torch.full((N, 1), 0.1))[0]["policy"]
        # Force 1 N on the cart; the pole turns freely about a point 0.5 m below its middle.
        m, big, inertia, arm = 0.3, 1.0, 0.025, 0.5
        share = m * arm / (inertia + m * arm**2)
        acceleration = 1.0 / (big + m - m * arm * share)
        np.testing.assert_allclose(observation[:, 2], acceleration * 0.02, rtol=2e-3)
        np.testing.assert_allclose(observation[:, 3], -share * acceleration * 0.02, rtol=2e-3)


def test_the_same_seed_gives_the_same_run(env):
    first, second = played(env, 12), played(env, 12)
    env.seed(7)
    drawn = random.random()
    env.seed(7)
    assert random.random() == drawn
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))
    other = played(env, 12, seed=1)
    assert not torch.equal(first[0], other[0])


def test_resets_leave_other_environments_bit_identical(env):
    touched = torch.tensor([2])
    runs = []
    for resets in (False, True):
        env.reset(seed=3)
        generator = torch.Generator().manual_seed(0)
        rows = []
        for step in range(10):
            if resets and step in (3, 6):
                env.reset(env_ids=touched)
            env.step(torch.randn((N, 1), generator=generator))
            rows.append(states(env))
        runs.append(rows)
    for alone, among in zip(*runs, strict=True):
        for name in alone:
            others = [0, 1, 3]
            assert torch.equal(alone[name][others], among[name][others])
    assert not torch.equal(runs[0][-1]["joint_pos"][2], runs[1][-1]["joint_pos"][2])


def test_episodes_are_cut_off_in_time_and_counted(env):
    env.reset(seed=0)
    zero = torch.zeros(N, 1)
    assert env.max_episode_length == 50
    for step in range(1, 51):
        *_, terminated, truncated, extras = env.step(zero)
        assert not terminated.any() and bool(truncated.all()) == (step == 50)
    assert env.episode_length_buf.tolist() == [0] * N
    assert float(extras["log"]["Episode_Reward/alive"]) == pytest.approx(1.0)
    assert float(extras["log"]["Episode_Termination/time"]) == 1.0


def ends_at(env, steps: int) -> torch.Tensor:
    """Environment 1 ends after some decisions."""
    return (env.episode_length_buf == steps) & (torch.arange(env.num_envs) == 1)


ENDING = {"terminations": terms(end=TerminationTermCfg(func=ends_at, params={"steps": 3}))}


def test_the_next_episode_starts_in_the_same_step(closing):
    with cart_env(**ENDING, final_observations=True) as env, torch.no_grad():
        env.reset(seed=0)
        zero = torch.zeros(N, 1)
        for _ in range(3):
            before = states(env)
            observation, _, terminated, truncated, extras = env.step(zero)
        assert terminated.tolist() == [False, True, False, False] and not truncated.any()
        final = extras["final_obs"]["policy"]
        # The last observation goes on from the state before, the new one starts anew.
        predicted = before["joint_pos"][1] + 0.02 * before["joint_vel"][1]
        np.testing.assert_allclose(final[1, :2], predicted, atol=5e-3)
        assert not final[[0, 2, 3]].any()
        np.testing.assert_array_equal(observation["policy"][1, :2], states(env)["joint_pos"][1])
        assert env.episode_length_buf.tolist() == [3, 0, 3, 3]
        assert "final_obs" not in env.step(zero)[-1]


def test_the_next_episode_starts_in_the_next_step(closing):
    with cart_env(**ENDING, autoreset="next_step") as env:
        env.reset(seed=0)
        zero = torch.zeros(N, 1)
        for _ in range(3):
            observation, _, terminated, _, _ = env.step(zero)
        assert terminated[1] and env.episode_length_buf[1] == 3
        last = observation["policy"].clone()
        observation, reward, terminated, truncated, _ = env.step(zero)
        assert not terminated.any() and not truncated.any()
        assert reward[1] == 0.0 and bool((reward[[0, 2, 3]] > 0.0).all())
        assert env.episode_length_buf.tolist() == [4, 0, 4, 4]
        assert not torch.equal(observation["policy"][1], last[1])
        for _ in range(2):
            assert not env.step(zero)[2].any()
        assert env.step(zero)[2][1]


def test_episodes_may_be_left_to_the_caller(closing):
    with cart_env(**ENDING, autoreset="disabled") as env:
        env.reset(seed=0)
        for _ in range(3):
            *_, terminated, _, _ = env.step(torch.zeros(N, 1))
        assert terminated[1] and env.episode_length_buf[1] == 3
        env.reset(options={"reset_mask": terminated.clone()})
        assert env.episode_length_buf.tolist() == [3, 0, 3, 3]


def test_there_is_one_simulation_at_a_time(env):
    with pytest.raises(StageError, match="already"):
        cart_env()
    with pytest.raises(InvalidValueError, match="env_ids"):
        env.reset(env_ids=[4])
    with pytest.raises(InvalidValueError, match="every environment once"):
        env.reset(env_ids=[1, 1])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"decimation": 0}, "decimation"),
        ({"episode_length_s": -1.0}, "episode_length_s"),
        ({"autoreset": "later"}, "autoreset"),
        ({"seed": -2}, "seed"),
    ],
)
def test_values_that_are_not_allowed(closing, changes, message):
    with pytest.raises(InvalidValueError, match=f"CartEnvCfg.{message}"):
        cart_env(**changes)


def test_values_that_were_never_set(closing):
    class Incomplete(DirectRLEnvCfg):
        decimation = 2
        scene = CartScene(num_envs=1, env_spacing=1.0)
        action_space = 1

    with pytest.raises(
        InvalidValueError, match=r"Incomplete\.(episode_length_s|observation_space)"
    ):
        Balance(Incomplete())
    # What failed left nothing behind.
    with cart_env():
        pass


def test_states_outlive_the_environment(closing):
    with cart_env() as env:
        env.reset(seed=5)
        env.step(torch.zeros(N, 1))
        env.reward_manager.get_term_cfg("alive").weight = 4.0
        state = env.state_dict()
        expected = env.reset()[0]["policy"]
    with cart_env() as env:
        env.load_state_dict(state)
        assert torch.equal(env.reset()[0]["policy"], expected)
        assert env.common_step_counter == 1
        assert env.reward_manager.get_term_cfg("alive").weight == 4.0


# -- direct ------------------------------------------------------------------------------------


class Noted(DeclaredConfiguration):
    noted = EventTermCfg(
        func=lambda env, ids: env.noted.append(ids), mode="interval", interval_range_s=(0.1, 0.1)
    )


class BalanceCfg(DirectRLEnvCfg):
    sim = SimulationCfg(dt=0.01)
    scene = CartScene(num_envs=N, env_spacing=4.0)
    decimation = 2
    episode_length_s = 1.0
    observation_space = 4
    state_space = 5
    action_space = 1
    seed = 1
    robot = CartScene.robot
    events = Noted()


class Balance(DirectRLEnv):
    """A cart whose asset is made by the class, as programs do."""

    def _setup_scene(self):
        self.noted = []
        self.calls = 0
        self.robot = self.scene["robot"]

    def _pre_physics_step(self, actions):
        self.actions = actions.clone()

    def _apply_action(self):
        self.calls += 1
        self.robot.set_joint_effort_target(10.0 * self.actions, joint_ids=[0])

    def _get_observations(self):
        data = self.robot.data
        return {"policy": torch.cat([data.joint_pos.torch, data.joint_vel.torch], dim=1)}

    def _get_states(self):
        return torch.ones(self.num_envs, 5)

    def _get_rewards(self):
        return -self.robot.data.joint_pos[:, 1].abs()

    def _get_dones(self):
        far = self.robot.data.joint_pos[:, 0].abs() > 2.0
        return far, self.episode_length_buf >= self.max_episode_length

    def _reset_idx(self, env_ids):
        super()._reset_idx(env_ids)
        zero = torch.zeros(len(env_ids), 2)
        self.robot.write_joint_state_to_sim(zero + 0.1, zero, env_ids=env_ids)


class Choosing(Balance):
    """Pushes to a side that is chosen; positions and velocities are seen apart."""

    def _pre_physics_step(self, actions):
        self.chosen = actions.clone()
        self.actions = 2.0 * actions.reshape(N, 1) - 1.0

    def _get_observations(self):
        data = self.robot.data
        return {"policy": (data.joint_pos.torch.clone(), data.joint_vel.torch.clone())}


def test_choices_may_be_columns_and_observations_tuples(closing):
    cfg = BalanceCfg(action_space={2}, observation_space=(2, 2), final_observations=True)
    with Choosing(cfg) as env:
        env.reset()
        sides = torch.tensor([1, 0, 1, 0])
        for action in (sides, sides[:, None]):
            seen, *_ = env.step(action)
            assert torch.equal(env.chosen, action)
        assert (seen["policy"][1][:, 0].sign() == 2 * sides - 1).all()
        with pytest.raises(ShapeError):
            env.step(sides[:, None].repeat(1, 2))
        env.episode_length_buf[2] = env.max_episode_length - 1
        *_, extras = env.step(sides)
        assert [float(part[0].abs().sum()) for part in extras["final_obs"]["policy"]] == [0.0, 0.0]
        assert float(extras["final_obs"]["policy"][1][2].abs().sum()) > 0.0


def test_direct_environments(closing):
    with Balance(BalanceCfg()) as env:
        assert env.single_observation_space["policy"].shape == (4,)
        assert env.observation_space["critic"].shape == (N, 5)
        assert isinstance(env.robot, Articulation)
        observation, _ = env.reset()
        np.testing.assert_allclose(observation["policy"], [[0.1, 0.1, 0.0, 0.0]] * N, atol=1e-6)
        for _ in range(5):
            observation, reward, *_ = env.step(torch.zeros(N, 1))
        assert env.calls == 10 and len(env.noted) == 1
        np.testing.assert_allclose(reward, -observation["policy"][:, 1].abs(), rtol=1e-6)
        assert observation["critic"].shape == (N, 5)
        for step in range(6, 51):
            *_, truncated, _ = env.step(torch.zeros(N, 1))
            assert bool(truncated.all()) == (step == 50)


def test_a_decision_may_be_applied_once(closing):
    class Held(Balance):
        actions_hold = True

    runs = []
    for kind in (Balance, Held):
        with kind(BalanceCfg()) as env:
            env.reset()
            runs.append([env.step(torch.ones(N, 1))[0]["policy"] for _ in range(3)])
            calls = env.calls
    assert calls == 3
    assert all(torch.equal(a, b) for a, b in zip(*runs, strict=True))


def test_direct_environments_name_what_is_wrong(closing):
    with Balance(BalanceCfg()) as env:
        env.reset()
        env._get_rewards = lambda: torch.tensor([0.0, float("nan"), 0.0, 0.0])
        with pytest.raises(
            SimulationError, match=r"Balance._get_rewards\(\) of environment 1 is nan"
        ):
            env.step(torch.zeros(N, 1))
        env._get_rewards = lambda: torch.zeros(N, 1)
        with pytest.raises(ShapeError, match=r"_get_rewards\(\) has shape \(4, 1\)"):
            env.step(torch.zeros(N, 1))
        with pytest.raises(ShapeError, match=r"action has shape \(4, 2\)"):
            env.step(torch.zeros(N, 2))
        with pytest.raises(InvalidValueError, match=r"is None; allowed: a tensor"):
            env.step(None)
        dones = env._get_dones
        env._get_dones = lambda: dones()[0]
        with pytest.raises(InvalidValueError, match=r"_get_dones\(\) is .*two tensors"):
            env.step(torch.zeros(N, 1))
        env._get_dones = dones
        env._get_observations = lambda: {"policy": torch.zeros(N, 3)}
        with pytest.raises(ShapeError, match=r"\['policy'\] has shape \(4, 3\)"):
            env.reset()


def test_direct_environments_with_noise(closing):
    constant = NoiseModelCfg(noise_cfg=ConstantNoiseCfg(bias=0.25))
    with Balance(BalanceCfg(observation_noise_model=constant, action_noise_model=constant)) as env:
        observation, _ = env.reset()
        np.testing.assert_allclose(observation["policy"][:, :2], 0.35, atol=1e-6)
        env.step(torch.zeros(N, 1))
        assert bool((env.actions == 0.25).all())


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (3, gymnasium.spaces.Box(-np.inf, np.inf, (3,), np.float32)),
        ([2, 3], gymnasium.spaces.Box(-np.inf, np.inf, (2, 3), np.float32)),
        ({4}, gymnasium.spaces.Discrete(4)),
        ([{4}, {2}], gymnasium.spaces.MultiDiscrete([4, 2])),
        ({"a": 1}, gymnasium.spaces.Dict({"a": gymnasium.spaces.Box(-np.inf, np.inf, (1,))})),
        ((1, {2}), gymnasium.spaces.Tuple([gymnasium.spaces.Box(-np.inf, np.inf, (1,)),
                                           gymnasium.spaces.Discrete(2)])),
    ],
)  # fmt: skip
def test_spaces_have_shorthands(spec, expected):
    from usdsim.envs.spaces import spec_to_space

    assert spec_to_space("x", spec) == expected
    for wrong in (0, -1, True, "3", [], {1, 2}):
        with pytest.raises(InvalidValueError, match="observation_space"):
            spec_to_space("observation_space", wrong)


# -- without rewards, recorders, pictures ------------------------------------------------------


class Positions(RecorderTerm):
    """Records positions and actions."""

    def record_pre_step(self):
        return "actions", self._env.action_manager.action

    def record_post_step(self):
        return "after", {"pos": self._env.scene["robot"].data.joint_pos.torch}


def test_environments_without_rewards_record_episodes(closing, tmp_path):
    cfg = CartEnvCfg()

    class Plain(ManagerBasedEnvCfg):
        sim, scene, decimation, seed = cfg.sim, cfg.scene, 2, 0
        actions, observations = cfg.actions, cfg.observations

    records = RecorderManagerBaseCfg(dataset_export_dir_path=str(tmp_path / "records"))
    records.positions = RecorderTermCfg(class_type=Positions)
    records.start = mdp.InitialStateRecorderCfg()
    records.states = mdp.PostStepStatesRecorderCfg()
    records.inputs = mdp.PreStepFlatPolicyObservationsRecorderCfg()
    records.processed = mdp.PostStepProcessedActionsRecorderCfg()
    with ManagerBasedEnv(Plain(recorders=records)) as env:
        env.reset()
        rows, seen = [], []
        for step in range(3):
            seen.append(env.obs_buf["policy"][2].numpy().copy())
            observation, _ = env.step(torch.full((N, 1), float(step)))
            rows.append(observation["policy"][2, :2].numpy())
        env.recorder_manager.set_success_to_episodes([2], [True])
        manager = env.recorder_manager
    assert (manager.exported_successful_episode_count, manager.exported_failed_episode_count) == (
        1, N - 1
    )  # fmt: skip
    saved = np.load(tmp_path / "records" / "dataset.npz")
    np.testing.assert_array_equal(saved["demo_2/after/pos"], rows)
    np.testing.assert_array_equal(saved["demo_2/actions"], [[0.0], [1.0], [2.0]])
    np.testing.assert_array_equal(saved["demo_2/states/articulation/robot/joint_position"], rows)
    assert saved["demo_2/initial_state/articulation/robot/root_pose"].shape == (1, 7)
    np.testing.assert_array_equal(saved["demo_2/obs"], seen)
    assert saved["demo_2/processed_actions"].shape == (3, 1)
    assert saved["demo_2/success"] and not saved["demo_0/success"]


def test_pictures(closing):
    cfg = CartEnvCfg()
    cfg.viewer.resolution, cfg.viewer.env_index = (64, 48), 1
    cfg.viewer.eye, cfg.viewer.lookat = (0.0, -4.0, 1.5), (0.0, 0.0, 1.0)
    from usdsim.envs import ManagerBasedRLEnv

    with ManagerBasedRLEnv(cfg, render_mode="rgb_array") as env:
        env.reset(seed=0)
        first = env.render()
        assert first.shape == (48, 64, 3) and first.dtype == np.uint8
        viewer, seen = env.cfg.viewer, (np.array(env.cfg.viewer.eye), env.cfg.viewer.lookat)
        viewer.asset_name = "robot"
        viewer.body_name = env.scene["robot"].body_names[0]
        root = env.scene["robot"].data.root_pos_w.numpy()[1]
        for kind, place in (
            ("world", np.zeros(3)), ("asset_root", root), ("asset_body", root),
        ):  # fmt: skip
            viewer.origin_type = kind
            way = env.scene.env_origins.numpy()[1] - place
            assert not np.array_equal(first, env.render()), kind
            viewer.eye, viewer.lookat = (point + way for point in seen)
            assert np.array_equal(first, env.render()), kind
            viewer.eye, viewer.lookat = seen
        viewer.origin_type = "env"
        for _ in range(20):
            env.step(torch.ones(N, 1))
        assert not np.array_equal(first, env.render())
    with pytest.raises(InvalidValueError, match="render_mode"):
        ManagerBasedRLEnv(cfg, render_mode="ansi")


def test_events_of_the_start_see_the_scene(closing):
    seen = {}

    def early(env, env_ids):
        seen["early"] = env.sim.is_stopped()

    def late(env, env_ids):
        seen["late"] = env.scene["robot"].data.joint_pos.shape[0]

    events = terms(
        early=EventTermCfg(func=early, mode="prestartup"),
        late=EventTermCfg(func=late, mode="startup"),
        start=EventTermCfg(func=mdp.reset_scene_to_default, mode="reset"),
    )
    with cart_env(events=events) as env:
        env.reset()
        assert seen == {"early": True, "late": N}
        assert env.event_manager.available_modes == ["startup", "reset"]
        assert not states(env)["joint_pos"].any()


@pytest.mark.parametrize(("asked", "taken"), [(1, 1), (2, 2), (None, 3)])
def test_terms_are_computed_by_as_many_threads_as_the_configuration_says(closing, asked, taken):
    seen = []

    def count(env):
        seen.append(torch.get_num_threads())
        return torch.zeros(env.num_envs, dtype=torch.bool)

    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        ends = terms(count=TerminationTermCfg(func=count))
        with cart_env(torch_threads=asked, terminations=ends) as env:
            env.reset()
            env.step(torch.zeros(N, 1))
            assert seen == [taken]
            with pytest.raises(ShapeError):
                env.step(torch.zeros(N, 2))
            assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("threads", [0, 1.5, True])
def test_a_number_of_threads_is_whole(closing, threads):
    with pytest.raises(InvalidValueError, match=r"torch_threads.*a whole number >= 1"):
        cart_env(torch_threads=threads)


class Memory(ManagerBase):
    """A manager of a program, which makes its terms itself."""

    def _prepare_terms(self):
        self._terms = {name: 2 * value for name, value in self.cfg.items()}


class ProgramEnv(ManagerBasedRLEnv):
    """An environment of a program, with a manager of its own and events that it begins itself."""

    def load_managers(self):
        self.memory = Memory({"a": 1}, self)
        super().load_managers()
        if self.cfg.begins:
            self.event_manager.apply("startup")


def started(env, env_ids):
    env.starts = getattr(env, "starts", 0) + 1


@pytest.mark.parametrize("begins", [False, True])
def test_programs_make_managers_of_their_own(closing, begins):
    cfg = CartEnvCfg()
    cfg.events = {"start": EventTermCfg(func=started, mode="startup")}
    cfg.begins = begins
    with ProgramEnv(cfg) as env:
        assert env.memory.active_terms == ["a"] and env.memory._terms == {"a": 2}
        assert env.starts == 1


class Unclosable(ManagerBasedRLEnv):
    def load_managers(self):
        raise InvalidValueError("a", 1, "2")

    def close(self):
        del self.what_was_never_made


def test_what_fails_while_it_is_made_is_told_and_ended(closing):
    with pytest.raises(InvalidValueError, match="a is 1"):
        Unclosable(CartEnvCfg())
    with cart_env():
        pass


@pytest.mark.parametrize(
    ("mode", "files"),
    [
        ("EXPORT_NONE", {}),
        ("EXPORT_SUCCEEDED_ONLY", {"dataset.npz": 1}),
        ("EXPORT_SUCCEEDED_FAILED_IN_SEPARATE_FILES", {"dataset.npz": 1, "dataset_failed.npz": 3}),
    ],
)
def test_episodes_are_written_to_the_files_of_their_mode(closing, tmp_path, mode, files):
    records = RecorderManagerBaseCfg(
        dataset_export_dir_path=str(tmp_path), dataset_export_mode=DatasetExportMode[mode]
    )
    records.positions = RecorderTermCfg(class_type=Positions)
    with cart_env(recorders=records) as env:
        env.reset()
        env.step(torch.zeros(N, 1))
        env.recorder_manager.set_success_to_episodes([2], [True])
    kept = {
        file.name: len({key.partition("/")[0] for key in np.load(file)})
        for file in tmp_path.iterdir()
    }
    assert kept == files
    assert env.recorder_manager.exported_episode_count == N


def test_episodes_may_be_exported_by_the_program_alone(closing, tmp_path):
    records = RecorderManagerBaseCfg(
        dataset_export_dir_path=str(tmp_path),
        export_in_record_pre_reset=False,
        export_in_close=False,
    )
    records.positions = RecorderTermCfg(class_type=Positions)
    with cart_env(recorders=records) as env:
        env.reset()
        for exported in (False, True):
            env.step(torch.zeros(N, 1))
            if exported:
                env.recorder_manager.export_episodes([1])
            env.reset()
    assert env.recorder_manager.exported_episode_count == 1
    assert np.load(tmp_path / "dataset.npz")["demo_0/after/pos"].shape[0] == 1


@pytest.mark.parametrize("call", ["reset", "step"])
def test_closed_environments_say_so(closing, call):
    env = cart_env()
    env.close()
    with pytest.raises(StageError, match=r"was closed\. Make another one"):
        env.step(torch.zeros(env.num_envs, 1)) if call == "step" else env.reset()
