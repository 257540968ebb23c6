"""Managers: what they make of terms, against NumPy and closed forms, and what they refuse."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from cart_env import CartScene, cart_env, group, terms  # noqa: E402

import usdsim.envs.mdp as mdp  # noqa: E402
from usdsim.core.errors import (  # noqa: E402
    InvalidValueError,
    ShapeError,
    SimulationError,
    UnknownNameError,
)
from usdsim.envs.manager_based_rl_env import _observation_space  # noqa: E402
from usdsim.envs.managers import (  # noqa: E402
    ActionManager,
    CommandManager,
    CurriculumManager,
    CurriculumTermCfg,
    EventManager,
    EventTermCfg,
    ManagerTermBase,
    ObservationManager,
    ObservationTermCfg,
    RewardManager,
    RewardTermCfg,
    SceneEntityCfg,
    TerminationManager,
    TerminationTermCfg,
)
from usdsim.envs.signals.modifiers import IntegratorCfg, ModifierCfg, bias  # noqa: E402
from usdsim.envs.signals.noise import ConstantNoiseCfg  # noqa: E402
from usdsim.sensors import JointWrenchSensorCfg  # noqa: E402

N = 4
ROWS = torch.arange(N, dtype=torch.float32)


def ramp(env, columns: int = 2, factor: float = 1.0) -> torch.Tensor:
    """Row number plus a tenth of the column's, times the number of decisions."""
    return factor * (ROWS[:, None] + 0.1 * torch.arange(columns))


def obs(**changes) -> ObservationTermCfg:
    return ObservationTermCfg(func=ramp, **changes)


# -- rewards -----------------------------------------------------------------------------------


def test_rewards_are_weighted_sums_per_second(env):
    manager = RewardManager(
        terms(
            up=RewardTermCfg(func=lambda env: ROWS, weight=2.0),
            down=RewardTermCfg(func=lambda env, by: by * ROWS, weight=-0.5, params={"by": 3.0}),
            off=RewardTermCfg(func=lambda env: ROWS / 0.0, weight=0.0),
        ),
        env,
    )
    expected = (2.0 - 1.5) * ROWS.numpy() * 0.02
    for _ in range(3):
        np.testing.assert_allclose(manager.compute(0.02).numpy(), expected, atol=1e-7)
    np.testing.assert_allclose(manager.episode_sums["up"], 3 * 2.0 * ROWS * 0.02, atol=1e-6)
    assert manager.get_active_iterable_terms(2) == [("up", [4.0]), ("down", [-3.0]), ("off", [0.0])]
    log = manager.reset(torch.tensor([1, 3]))
    assert float(log["Episode_Reward/up"]) == pytest.approx(3 * 2.0 * 2.0 * 0.02 / 1.0)
    assert manager.episode_sums["up"].tolist()[1::2] == [0.0, 0.0]
    assert float(manager.episode_sums["up"][2]) > 0.0
    manager.get_term_cfg("down").weight = 0.0
    np.testing.assert_allclose(manager.compute(1.0), 2.0 * ROWS)


def test_rewards_that_are_not_numbers_name_term_environment_and_value(env):
    bad = torch.tensor([0.0, 1.0, math.nan, math.inf])
    manager = RewardManager(
        terms(
            good=RewardTermCfg(func=lambda env: ROWS, weight=1.0),
            slope=RewardTermCfg(func=lambda env: bad, weight=1.0),
        ),
        env,
    )
    with pytest.raises(SimulationError, match=r"'slope' of environment 2 is nan.*2 of 4") as caught:
        manager.compute(0.1)
    assert caught.value.worlds == (2, 3)
    cancelled = terms(
        plus=RewardTermCfg(func=lambda env: ROWS + math.inf, weight=1.0),
        minus=RewardTermCfg(func=lambda env: ROWS - math.inf, weight=1.0),
    )
    with pytest.raises(SimulationError, match=r"'plus' of environment 0 is inf"):
        RewardManager(cancelled, env).compute(0.1)


def test_terms_of_the_wrong_shape_are_named(env):
    manager = RewardManager(terms(flat=RewardTermCfg(func=ramp, weight=1.0)), env)
    with pytest.raises(ShapeError, match=r"'flat' has shape \(4, 2\).*\(4,\)"):
        manager.compute(0.1)
    manager = TerminationManager(terms(late=TerminationTermCfg(func=lambda env: ROWS)), env)
    with pytest.raises(InvalidValueError, match=r"'late'.*torch.float32.*torch.bool"):
        manager.compute()
    with pytest.raises(ShapeError, match=r"'policy.few' has shape \(2,\)"):
        ObservationManager(group(few=ObservationTermCfg(func=lambda env: torch.zeros(2))), env)


# -- what all managers check -------------------------------------------------------------------


def test_what_is_no_term_or_does_not_fit_is_refused(env):
    with pytest.raises(InvalidValueError, match=r"reward term 'x'.*RewardTermCfg"):
        RewardManager(terms(x=obs()), env)
    with pytest.raises(InvalidValueError, match=r"'x'.weight is missing"):
        RewardManager(terms(x=RewardTermCfg(func=ramp)), env)
    with pytest.raises(InvalidValueError, match=r"parameters of reward term 'x'.*factors"):
        RewardManager(terms(x=RewardTermCfg(func=ramp, weight=1.0, params={"factors": 1})), env)
    with pytest.raises(InvalidValueError, match=r"derived from ManagerTermBase"):
        RewardManager(terms(x=RewardTermCfg(func=dict, weight=1.0)), env)
    with pytest.raises(InvalidValueError, match=r"'x'.weight is '1'; allowed: a finite number"):
        RewardManager(terms(x=RewardTermCfg(func=ramp, weight="1")), env)
    speed = RewardTermCfg(func=mdp.joint_vel_l2, weight=1.0, params={"asset_cfg": "robot"})
    with pytest.raises(InvalidValueError, match=r"'asset_cfg' is 'robot'.*SceneEntityCfg\('robot'"):
        RewardManager(terms(x=speed), env)
    with pytest.raises(InvalidValueError, match=r"history_length of .*'policy.x' is -1"):
        ObservationManager(group(x=obs(history_length=-1)), env)
    velocity = mdp.UniformVelocityCommandCfg(asset_name="robot", resampling_time_range=(1.0, 1.0))
    with pytest.raises(InvalidValueError, match=r"command term 'x'.ranges is missing"):
        CommandManager(terms(x=velocity), env)
    assert RewardManager(terms(x=None), env).active_terms == []


def test_modes_of_events_that_resemble_known_ones_are_told(env):
    nothing = EventTermCfg(func=lambda env, env_ids: None, mode="rest")
    with pytest.warns(UserWarning, match=r"'x'.mode is 'rest'.*Did you mean 'reset'"):
        EventManager(terms(x=nothing), env)


def test_one_value_may_stand_for_all_environments(env):
    terminations = terms(
        plane=TerminationTermCfg(func=lambda env: False),
        late=TerminationTermCfg(func=lambda env: True, time_out=True),
    )
    manager = TerminationManager(terminations, env)
    assert manager.compute().all()
    assert manager.time_outs.all() and not manager.terminated.any()
    rewards = RewardManager(terms(still=RewardTermCfg(func=lambda env: 0.5, weight=2.0)), env)
    np.testing.assert_allclose(rewards.compute(0.1), 0.1)
    with pytest.raises(InvalidValueError, match=r"type of .*'count' is 'torch.int64'"):
        TerminationManager(terms(count=TerminationTermCfg(func=lambda env: 1)), env).compute()


def test_terms_may_be_declared_by_a_plain_class(env):
    class Earned:
        good = RewardTermCfg(func=lambda env: ROWS, weight=1.0)
        other: RewardTermCfg = RewardTermCfg(func=lambda env: ROWS, weight=1.0)

    class More(Earned):
        def __init__(self):
            self.good = None
            self.late = RewardTermCfg(func=lambda env: ROWS, weight=2.0)

    assert RewardManager(Earned(), env).active_terms == ["good", "other"]
    assert RewardManager(More(), env).active_terms == ["other", "late"]


@pytest.mark.parametrize(
    ("entity", "message"),
    [
        (
            SceneEntityCfg("robbot"),
            r"term 'x', parameter 'asset_cfg': No scene entity 'robbot'.*robot",
        ),
        (
            SceneEntityCfg("robot", joint_names=["hip"]),
            r"parameter 'asset_cfg'.*'hip'.*cart_to_pole",
        ),
        (SceneEntityCfg("robot", body_names="wheel"), r"parameter 'asset_cfg'.*'wheel'"),
    ],
)
def test_unknown_entities_are_named(env, entity, message):
    term = RewardTermCfg(func=mdp.joint_vel_l2, weight=1.0, params={"asset_cfg": entity})
    with pytest.raises(UnknownNameError, match=message):
        RewardManager(terms(x=term), env)


def test_entities_are_resolved_in_order(env):
    entity = SceneEntityCfg("robot", joint_names=["cart_to_pole", "rail_to_cart"])
    entity.resolve(env.scene)
    assert entity.joint_ids == slice(None)
    entity = SceneEntityCfg(
        "robot", joint_names=["cart_to_pole", "rail_to_cart"], preserve_order=True
    )
    entity.resolve(env.scene)
    assert entity.joint_ids == [1, 0]
    assert entity.joint_names == ["cart_to_pole", "rail_to_cart"]


def test_entities_by_index_have_the_names_of_their_parts(env):
    for given, ids, names in (
        ([1, 0], [1, 0], ["cart_to_pole", "rail_to_cart"]),
        (1, [1], ["cart_to_pole"]),
        (np.int64(1), [1], ["cart_to_pole"]),
    ):
        entity = SceneEntityCfg("robot", joint_ids=given)
        entity.resolve(env.scene)
        assert (entity.joint_ids, entity.joint_names, entity.body_names) == (ids, names, None)
    with pytest.raises(InvalidValueError, match=r"joint_ids of 'robot'.*\[2\].*from 0 to 1"):
        SceneEntityCfg("robot", joint_ids=[2]).resolve(env.scene)


def test_names_may_stay_as_they_are_given(env, monkeypatch):
    """As programs of Isaac Lab have it, which count and walk indices of expressions."""
    monkeypatch.setattr(SceneEntityCfg, "resolves_names", False)
    for given, ids, names in (
        (".*", [0, 1], [".*"]),
        (["rail_.*"], [0], ["rail_.*"]),
        (["rail_to_cart", "cart_to_pole"], slice(None), ["rail_to_cart", "cart_to_pole"]),
    ):
        entity = SceneEntityCfg("robot", joint_names=given)
        for _ in range(2):
            entity.resolve(env.scene)
            assert (entity.joint_ids, entity.joint_names) == (ids, names)


def test_joint_wrenches_are_those_of_an_asset_or_of_a_sensor(closing):
    class Scene(CartScene):
        wrenches = JointWrenchSensorCfg(prim_path="{ENV_REGEX_NS}/Robot")

    with cart_env(scene=Scene(num_envs=2, env_spacing=4.0)) as env:
        env.reset(seed=7)
        sensor, robot = (
            SceneEntityCfg(name, body_names=["pole"]) for name in ("wrenches", "robot")
        )
        for entity in (sensor, robot):
            entity.resolve(env.scene)
        measured = mdp.body_incoming_wrench(env, sensor_cfg=sensor)
        held = mdp.body_incoming_wrench(env, asset_cfg=robot)
        assert measured.shape == held.shape == (2, 6)
        size = [torch.linalg.norm(wrench[:, :3], dim=1) for wrench in (measured, held)]
        torch.testing.assert_close(size[0], size[1], rtol=1e-4, atol=1e-4)
        for wrong in ({}, {"asset_cfg": robot, "sensor_cfg": sensor}):
            with pytest.raises(InvalidValueError, match="one of the two"):
                mdp.body_incoming_wrench(env, **wrong)


def test_configurations_stay_as_they_are(env):
    term = RewardTermCfg(
        func=mdp.joint_vel_l2,
        weight=1.0,
        params={"asset_cfg": SceneEntityCfg("robot", joint_names=["cart.*"])},
    )
    manager = RewardManager(terms(x=term), env)
    assert term.params["asset_cfg"].joint_ids == slice(None)
    assert manager.get_term_cfg("x").params["asset_cfg"].joint_ids == [1]


def test_terms_are_found_by_expressions(env):
    manager = RewardManager(
        terms(**{n: RewardTermCfg(func=mdp.is_alive, weight=1.0) for n in ("a_1", "a_2", "b")}), env
    )
    assert manager.find_terms("a_.*") == ["a_1", "a_2"]
    with pytest.raises(UnknownNameError, match=r"'c'"):
        manager.find_terms(["a_.*", "c"])


class Uncallable(ManagerTermBase):
    def value(self, env):
        return torch.ones(env.num_envs)


def test_terms_of_classes_that_cannot_be_called_say_so(env):
    with pytest.raises(InvalidValueError, match=r"one'.func .*Uncallable.* with a method __call__"):
        ObservationManager(group(one=ObservationTermCfg(func=Uncallable)), env)


class Counting(ManagerTermBase):
    """Counts its calls in each environment."""

    def __init__(self, cfg, env):
        super().__init__(cfg, env)
        self.calls = torch.zeros(self.num_envs)

    def reset(self, env_ids=None):
        self.calls[slice(None) if env_ids is None else env_ids] = 0.0

    def __call__(self, env, step: float) -> torch.Tensor:
        self.calls += step
        return self.calls


def test_terms_may_remember(env):
    term = RewardTermCfg(func=Counting, weight=1.0, params={"step": 2.0})
    manager = RewardManager(terms(count=term), env)
    manager.compute(1.0)
    manager.reset(torch.tensor([0]))
    assert manager.compute(1.0).tolist() == [2.0, 4.0, 4.0, 4.0]


def test_the_first_observation_is_that_of_a_term_that_remembers_nothing(env):
    term = ObservationTermCfg(func=Counting, params={"step": 2.0})
    manager = ObservationManager(group(count=term), env)
    assert manager.compute()["policy"].flatten().tolist() == [2.0] * 4


class OfAnAsset(ManagerTermBase):
    """Takes the robot where its parameters name no other asset."""

    def __init__(self, cfg, env):
        super().__init__(cfg, env)
        cfg.params.setdefault("asset_cfg", SceneEntityCfg("robot", joint_names=["cart_to_pole"]))

    def __call__(self, env, scale, asset_cfg):
        return scale * torch.ones(env.num_envs) * asset_cfg.joint_ids[0]


def test_terms_may_complete_their_parameters(env):
    term = RewardTermCfg(func=OfAnAsset, weight=1.0, params={"scale": 3.0})
    expected = 3.0 * env.scene["robot"].joint_names.index("cart_to_pole")
    assert RewardManager(terms(x=term), env).compute(1.0).tolist() == [expected] * 4
    lacking = RewardTermCfg(func=OfAnAsset, weight=1.0)
    with pytest.raises(InvalidValueError, match="scale"):
        RewardManager(terms(x=lacking), env)


# -- terminations ------------------------------------------------------------------------------


def test_ends_and_cuts_are_kept_apart(env):
    manager = TerminationManager(
        terms(
            late=TerminationTermCfg(func=lambda env: ROWS >= 2, time_out=True),
            fell=TerminationTermCfg(func=lambda env: ROWS % 2 == 1),
        ),
        env,
    )
    assert manager.compute().tolist() == [False, True, True, True]
    assert manager.time_outs.tolist() == [False, False, True, True]
    assert manager.terminated.tolist() == [False, True, False, True]
    assert manager.get_term("fell").tolist() == [False, True, False, True]
    log = manager.reset(torch.tensor([1, 2, 3]))
    assert float(log["Episode_Termination/late"]) == 0.5
    keyed = mdp.is_terminated_term(None, env)
    env_manager, env.termination_manager = env.termination_manager, manager
    try:
        assert keyed(env, ["fell"]).tolist() == [0.0, 1.0, 0.0, 0.0]
    finally:
        env.termination_manager = env_manager


# -- observations ------------------------------------------------------------------------------


def test_observations_are_modified_disturbed_clipped_and_scaled_in_this_order(env):
    manager = ObservationManager(
        group(
            enable_corruption=True,
            plain=obs(),
            all=obs(
                modifiers=[ModifierCfg(func=bias, params={"value": 1.0})],
                noise=ConstantNoiseCfg(bias=2.0),
                clip=(0.0, 5.05),
                scale=(1.0, 10.0),
            ),
        ),
        env,
    )
    plain = ramp(None).numpy()
    expected = np.clip(plain + 1.0 + 2.0, 0.0, 5.05) * [1.0, 10.0]
    found = manager.compute()["policy"].numpy()
    np.testing.assert_allclose(found, np.hstack([plain, expected]), rtol=1e-6)
    assert manager.group_obs_dim == {"policy": (4,)}
    assert manager.group_obs_term_dim == {"policy": [(2,), (2,)]}
    quiet = ObservationManager(group(all=obs(noise=ConstantNoiseCfg(bias=2.0))), env)
    np.testing.assert_array_equal(quiet.compute()["policy"], plain)


def test_histories_and_delays_of_observations(env):
    count = [0]

    def clock(env):
        return torch.full((N, 1), float(count[0]))

    manager = ObservationManager(
        group(
            past=ObservationTermCfg(func=clock, history_length=3),
            late=ObservationTermCfg(func=clock, delay_min_lag=2, delay_max_lag=2),
        ),
        env,
    )
    rows = []
    for count[0] in range(1, 5):
        rows.append(manager.compute(update_history=True)["policy"][0].tolist())
    assert rows == [[1, 1, 1, 1], [1, 1, 2, 1], [1, 2, 3, 1], [2, 3, 4, 2]]
    manager.reset(torch.tensor([2]))
    count[0] = 9
    partial = manager.compute(True, env_ids=torch.tensor([2]))["policy"]
    assert partial[2].tolist() == [9, 9, 9, 9] and partial[0, :3].tolist() == [2, 3, 4]


def test_reading_observations_leaves_histories_and_delays(env):
    """Programs may ask for observations between decisions, as wrappers of learners do."""
    count = [0]
    term = ObservationTermCfg(
        func=lambda env: torch.full((N, 1), float(count[0])),
        history_length=2, delay_min_lag=1, delay_max_lag=1,
    )  # fmt: skip
    manager = ObservationManager(group(past=term), env)
    count[0] = 7
    assert manager.compute()["policy"][0].tolist() == [7, 7]  # nothing was taken yet
    for count[0] in (1, 2, 3):
        last = manager.compute(update_history=True)["policy"]
    assert last[0].tolist() == [1, 2]
    count[0] = 9
    for _ in range(2):
        assert manager.compute()["policy"][0].tolist() == [1, 2]
        assert manager.get_active_iterable_terms(0) == [("policy-past", [1, 2])]
    manager.reset(torch.tensor([1]))
    assert manager.compute()["policy"][:2].tolist() == [[1, 2], [9, 9]]
    assert manager.compute(update_history=True)["policy"][0].tolist() == [2, 3]


def test_naming_current_values_does_not_advance_what_remembers(env):
    term = ObservationTermCfg(func=lambda env: torch.ones(N, 1), modifiers=[IntegratorCfg(dt=2.0)])
    manager = ObservationManager(group(sum=term), env)
    manager.compute()
    assert manager.get_active_iterable_terms(0) == [("policy-sum", [1.0])]
    assert manager.compute()["policy"][0, 0] == 3.0


def test_delays_come_after_scales(env):
    """What is observed late is what was disturbed then: a sum that goes on meanwhile is not."""
    count = [0.0]
    term = ObservationTermCfg(
        func=lambda env: torch.full((N, 1), count[0]),
        modifiers=[IntegratorCfg(dt=1.0)], clip=(0.0, 4.0), scale=10.0,
        delay_min_lag=1, delay_max_lag=1,
    )  # fmt: skip
    manager = ObservationManager(group(late=term), env)
    found = []
    for count[0] in (1.0, 3.0, 5.0):
        found.append(float(manager.compute(update_history=True)["policy"][0, 0]))
    assert found == [5.0, 5.0, 25.0]  # of the trapezoids 0.5, 2.5 and 6.5


def test_delays_that_are_drawn_in_every_decision(env):
    count = [0]

    def late(hold: float) -> ObservationTermCfg:
        clock = lambda env: torch.full((N, 1), float(count[0]))  # noqa: E731
        return ObservationTermCfg(func=clock, delay_max_lag=3, delay_hold_prob=hold)

    manager = ObservationManager(group(kept=late(1.0), drawn=late(0.0)), env)
    manager.reset()
    lags = []
    for count[0] in range(40):
        lags.append(count[0] - manager.compute(update_history=True)["policy"])
    kept, drawn = torch.stack(lags[4:]).unbind(-1)
    assert (kept == kept[0]).all()
    assert sorted(set(drawn[:, 0].tolist())) == [0, 1, 2, 3]
    with pytest.raises(InvalidValueError, match="delay_hold_prob"):
        wrong = ObservationTermCfg(func=ramp, delay_max_lag=1, delay_hold_prob=1.5)
        ObservationManager(group(x=wrong), env)


def test_histories_in_order_of_terms_or_of_time(env):
    count = [0]
    wide = ObservationTermCfg(func=lambda env: torch.full((N, 2), float(count[0])))
    thin = ObservationTermCfg(func=lambda env: torch.full((N, 1), -float(count[0])))
    cfgs = [group(history_length=2, wide=wide, thin=thin) for _ in range(2)]
    cfgs[1]["policy"].history_order = "time"
    rows = []
    for manager in [ObservationManager(cfg, env) for cfg in cfgs]:
        for count[0] in (1, 2):
            found = manager.compute(update_history=True)["policy"]
        rows.append(found[0].tolist())
        assert manager.group_obs_dim == {"policy": (6,)}
    assert rows == [[1, 1, 2, 2, -1, -2], [1, 1, -1, 2, 2, -2]]
    cfgs[1]["policy"].history_order = "space"
    with pytest.raises(InvalidValueError, match="term or time"):
        ObservationManager(cfgs[1], env)


def test_groups_of_terms_apart_and_joined_along_an_axis(env):
    square = ObservationTermCfg(func=lambda env: torch.ones(N, 2, 3))
    apart = group(concatenate_terms=False, a=obs(), b=square)
    found = ObservationManager(apart, env)
    assert found.group_obs_dim == {"policy": [(2,), (2, 3)]}
    assert found.compute()["policy"]["b"].shape == (N, 2, 3)
    tall = ObservationManager(group(concatenate_dim=0, a=square, b=square), env)
    assert tall.group_obs_dim == {"policy": (4, 3)} and tall.compute()["policy"].shape == (N, 4, 3)
    long = ObservationManager(group(history_length=2, flatten_history_dim=False, a=obs()), env)
    assert long.group_obs_dim == {"policy": (2, 2)}
    with pytest.raises(InvalidValueError, match=r"'policy'.*concatenate_terms=False"):
        ObservationManager(group(a=obs(), b=square), env)


def test_observations_that_change_shape_or_fit_no_scale_are_named(env):
    columns = [2]
    term = ObservationTermCfg(func=lambda env: torch.zeros(N, columns[0]))
    manager = ObservationManager(group(wide=term), env)
    columns[0] = 3
    with pytest.raises(ShapeError, match=r"'policy.wide' has shape \(4, 3\); expected \(4, 2\)"):
        manager.compute()
    with pytest.raises(ShapeError, match=r"scale of observation term 'policy.x'"):
        ObservationManager(group(x=obs(scale=(1.0, 2.0, 3.0))), env)
    with pytest.raises(InvalidValueError, match=r"clip of observation term 'policy.x'"):
        ObservationManager(group(x=obs(clip=(1.0, 0.0))), env)
    with pytest.raises(InvalidValueError, match=r"at least one"):
        ObservationManager(group(), env)


def test_parameters_of_modifiers_are_checked_at_once(env):
    wrong = ModifierCfg(func=bias, params={"size": 1.0})
    with pytest.raises(InvalidValueError, match=r"modifier 0 .*size"):
        ObservationManager(group(x=obs(modifiers=[wrong])), env)


def test_modifiers_that_remember_are_reset(env):
    term = ObservationTermCfg(func=lambda env: torch.ones(N, 1), modifiers=[IntegratorCfg(dt=2.0)])
    manager = ObservationManager(group(sum=term), env)
    manager.compute()
    manager.reset(torch.tensor([0]))
    assert manager.compute()["policy"][:, 0].tolist() == [1.0, 3.0, 3.0, 3.0]


def test_observations_are_no_windows_on_the_state(env):
    first = env.observation_manager.compute()["policy"]
    kept = first.clone()
    env.step(torch.ones(N, 1))
    assert torch.equal(first, kept)


# -- actions -----------------------------------------------------------------------------------


def action(**changes):
    return mdp.JointEffortActionCfg(asset_name="robot", joint_names=[".*"], **changes)


def test_actions_are_scaled_offset_and_clipped_by_joint(env):
    cfg = action(scale={"rail.*": 2.0}, offset={"cart.*": 0.5}, clip={"rail_to_cart": (-1.0, 1.0)})
    manager = ActionManager(terms(first=cfg, second=action(scale=-1.0)), env)
    assert manager.total_action_dim == 4 and manager.action_term_dim == [2, 2]
    given = torch.tensor([[0.3, 1.0, 2.0, 3.0]]).repeat(N, 1)
    manager.process_action(given)
    term = manager.get_term("first")
    np.testing.assert_allclose(term.processed_actions[0], [0.6, 1.5], rtol=1e-6)
    np.testing.assert_allclose(manager.get_term("second").processed_actions[0], [-2.0, -3.0])
    manager.process_action(3 * given)
    np.testing.assert_allclose(term.processed_actions[0], [1.0, 3.5], rtol=1e-6)
    np.testing.assert_allclose(manager.prev_action, given)
    np.testing.assert_allclose(manager.action, 3 * given)
    manager.reset(torch.tensor([1]))
    assert not manager.action[1].any() and not manager.prev_action[1].any()
    assert torch.equal(manager.action[0], 3 * given[0])
    manager.apply_action()
    targets = env.scene["robot"].data.joint_effort_target.numpy()
    np.testing.assert_allclose(targets[0], [-6.0, -9.0])


def test_actions_arrive_late_where_configured(env):
    manager = ActionManager(terms(late=action(delay_min_lag=1, delay_max_lag=1)), env)
    for step in range(3):
        manager.process_action(torch.full((N, 2), float(step)))
    assert manager.get_term("late").processed_actions[0, 0] == 1.0
    assert manager.action[0, 0] == 2.0


def test_actions_that_do_not_fit_are_refused(env):
    with pytest.raises(
        ShapeError, match=r"action has shape \(4, 3\); expected \(4, 1\) \(force: 1"
    ):
        env.step(torch.zeros(N, 3))
    bad = torch.zeros(N, 1)
    bad[3] = math.nan
    with pytest.raises(SimulationError, match=r"action\[0\] of environment 3 is nan"):
        env.step(bad)
    with pytest.raises(InvalidValueError, match=r"'x'.asset_name is 'arm'.*robot"):
        ActionManager(terms(x=action().replace(asset_name="arm")), env)


# -- events ------------------------------------------------------------------------------------


def test_events_happen_in_their_mode(env):
    seen: list[tuple[str, list[int]]] = []

    def note(env, env_ids, name):
        seen.append((name, env_ids.tolist()))

    manager = EventManager(
        terms(
            a=EventTermCfg(func=note, mode="startup", params={"name": "a"}),
            b=EventTermCfg(func=note, mode="reset", params={"name": "b"}),
            c=EventTermCfg(
                func=note, mode="reset", params={"name": "c"}, min_step_count_between_reset=5
            ),
        ),
        env,
    )
    assert manager.available_modes == ["startup", "reset"]
    assert manager.active_terms == {"startup": ["a"], "reset": ["b", "c"]}
    manager.apply("startup")
    manager.apply("reset", env_ids=torch.tensor([2]), global_env_step_count=3)
    manager.apply("reset", env_ids=torch.tensor([1, 2]), global_env_step_count=6)
    manager.apply("reset", env_ids=torch.tensor([2]), global_env_step_count=8)
    assert seen == [
        ("a", [0, 1, 2, 3]), ("b", [2]), ("c", [2]), ("b", [1, 2]), ("c", [1]), ("b", [2]),
        ("c", [2]),
    ]  # fmt: skip


def test_intervals_are_those_that_were_drawn(env):
    times: dict[int, list[int]] = {i: [] for i in range(N)}
    everyone: list[int] = []
    step = [0]

    def own(env, env_ids):
        for i in env_ids.tolist():
            times[i].append(step[0])

    def shared(env, env_ids):
        assert env_ids.tolist() == [0, 1, 2, 3]
        everyone.append(step[0])

    manager = EventManager(
        terms(
            own=EventTermCfg(func=own, mode="interval", interval_range_s=(0.3, 0.5)),
            shared=EventTermCfg(
                func=shared, mode="interval", interval_range_s=(0.4, 0.4), is_global_time=True
            ),
        ),
        env,
    )
    for step[0] in range(1, 51):
        manager.apply("interval", dt=0.1)
    assert everyone == [4 * i for i in range(1, 13)]
    gaps = np.concatenate([np.diff([0, *times[i]]) for i in range(N)])
    assert gaps.min() >= 3 and gaps.max() <= 5 and len({*gaps}) > 1
    assert len({tuple(times[i]) for i in range(N)}) > 1
    with pytest.raises(InvalidValueError, match=r"'x'.interval_range_s"):
        EventManager(terms(x=EventTermCfg(func=own, mode="interval")), env)


# -- commands and curricula --------------------------------------------------------------------


def position_command(env, **changes):
    cfg = mdp.UniformPositionCommandCfg(
        asset_name="robot",
        resampling_time_range=(0.5, 0.5),
        ranges=mdp.UniformPositionCommandCfg.Ranges((-1, 1), (2, 3), (0, 0)),
        **changes,
    )
    return CommandManager(terms(goal=cfg), env)


def test_commands_are_drawn_at_resets_and_times(env):
    manager = position_command(env)
    manager.reset()
    first = manager.get_command("goal").clone()
    places = first - torch.as_tensor(env.scene.env_origins.numpy())
    assert bool((places[:, 0].abs() <= 1).all()) and bool((places[:, 1] >= 2).all())
    manager.compute(0.3)
    assert torch.equal(manager.get_command("goal"), first)
    manager.reset(torch.tensor([0]))
    manager.compute(0.25)
    changed = (manager.get_command("goal") != first).any(1)
    assert changed.tolist() == [True, True, True, True]
    assert manager.get_term("goal").command_counter.tolist() == [1, 2, 2, 2]
    assert "Metrics/goal/position_error" in manager.reset()
    with pytest.raises(UnknownNameError, match=r"'gaol'.*goal"):
        manager.get_command("gaol")


def test_curricula_change_the_task_and_are_logged(env):
    manager = CurriculumManager(
        terms(
            weight=CurriculumTermCfg(
                func=mdp.modify_reward_weight,
                params={"term_name": "alive", "weight": 3.0, "num_steps": 10**6},
            ),
            length=CurriculumTermCfg(
                func=mdp.modify_env_param,
                params={
                    "address": "cfg.episode_length_s",
                    "modify_fn": lambda env, ids, old, by: old + by * len(ids),
                    "modify_params": {"by": 0.5},
                },
            ),
            bounds=CurriculumTermCfg(
                func=mdp.modify_term_cfg,
                params={
                    "address": "rewards.alive.params",
                    "modify_fn": lambda env, ids, old: mdp.modify_env_param.NO_CHANGE,
                },
            ),
        ),
        env,
    )
    manager.compute(torch.tensor([1, 2]))
    try:
        log = manager.reset()
        assert log == {"Curriculum/weight": 1.0, "Curriculum/length": 2.0}
        assert env.max_episode_length_s == 2.0
    finally:
        env.cfg.episode_length_s = 1.0


def test_curricula_tell_their_last_numbers(env):
    def told(value):
        return CurriculumTermCfg(func=lambda env, ids: value)

    several = {"low": torch.tensor(1.0), "high": 2.0}
    manager = CurriculumManager(terms(one=told(3.0), none=told(None), more=told(several)), env)
    assert manager.get_active_iterable_terms(0) == []
    manager.compute()
    assert manager.get_active_iterable_terms(0) == [("one", [3.0]), ("more", [1.0, 2.0])]


def test_curricula_change_terms_of_observations(env):
    manager = ObservationManager(group(seen=obs(params={"factor": 1.0})), env)
    holder = SimpleNamespace(observation_manager=manager, num_envs=N, device="cpu")
    cfg = CurriculumTermCfg(
        func=mdp.modify_term_cfg,
        params={
            "address": "observations.policy.seen.params.factor",
            "modify_fn": lambda env, ids, old: 3.0 * old,
        },
    )
    before = manager.compute()["policy"].clone()
    mdp.modify_term_cfg(cfg, holder)(holder, None, **cfg.params)
    np.testing.assert_allclose(manager.compute()["policy"], 3.0 * before)
    with pytest.raises(UnknownNameError, match="'pose'"):
        manager.get_term_cfg("policy", "pose")
    with pytest.raises(UnknownNameError, match="'critic'"):
        manager.get_term_cfg("critic", "seen")
    cfg.params["address"] = "observations.policy.seen"
    with pytest.raises(InvalidValueError, match="address"):
        mdp.modify_term_cfg(cfg, holder)(holder, None, **cfg.params)


def test_terms_apart_have_the_limits_that_clips_and_scales_leave(env):
    limited = group(
        concatenate_terms=False,
        a=obs(clip=(-1.0, 2.0)),
        b=obs(clip=(-1.0, 2.0), scale=-2.0),
        c=obs(),
    )
    manager = ObservationManager(limited, env)
    expected = [(-1.0, 2.0), (-4.0, 2.0), (-math.inf, math.inf)]
    assert manager.group_obs_term_limits == {"policy": expected}
    found = _observation_space(manager)["policy"]
    assert [(float(found[n].low[0]), float(found[n].high[0])) for n in "abc"] == expected


# -- images ------------------------------------------------------------------------------------


def test_pictures_are_normalised_by_what_they_show(env, monkeypatch):
    outputs = {
        "rgb": torch.tensor([0, 255], dtype=torch.uint8).reshape(1, 1, 2, 1),
        "semantic_segmentation": torch.tensor([0, 255], dtype=torch.uint8).reshape(1, 1, 2, 1),
        "depth": torch.tensor([torch.inf, 2.0]).reshape(1, 1, 2, 1),
        "distance_to_camera": torch.full((1, 3, 3, 1), 5.0),
        "normals": torch.tensor([-1.0, 1.0]).reshape(1, 1, 2, 1),
    }
    lens = torch.tensor([[[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]])
    data = SimpleNamespace(output=outputs, intrinsic_matrices=lens)
    monkeypatch.setattr("usdsim.envs.mdp.observations.data_of", lambda *_: data)

    def seen(kind, **more):
        return mdp.image(env, data_type=kind, **more).flatten().tolist()

    assert seen("rgb") == [-0.5, 0.5]
    assert seen("semantic_segmentation") == [0, 255], "labels are no colours"
    assert seen("depth") == [0.0, 2.0]
    assert seen("normals") == [0.0, 1.0]
    assert seen("normals", normalize=False) == [-1.0, 1.0]
    # Pixels are a focal length apart: along the axis, corners at sqrt(3) of it are nearer.
    axial = mdp.image(env, data_type="distance_to_camera", convert_perspective_to_orthogonal=True)
    assert axial[0, 1, 1, 0] == pytest.approx(5.0)
    assert axial[0, 0, 0, 0] == pytest.approx(5.0 / 3.0**0.5, rel=1e-5)


def test_pictures_are_stacked_oldest_first_from_the_first_of_the_episode_on(env, monkeypatch):
    frames = iter(range(1, 9))

    def picture(*_):
        return torch.full((env.num_envs, 2, 3, 1), float(next(frames)))

    monkeypatch.setattr("usdsim.envs.mdp.images.image", picture)
    term = mdp.stacked_image(ObservationTermCfg(params={"frame_stack": 3}), env)
    assert term(env)[0, 0, 0].tolist() == [1.0, 1.0, 1.0]
    assert term(env)[0, 1, 2].tolist() == [1.0, 1.0, 2.0]
    term.reset(torch.tensor([1]))
    stacked = term(env)
    assert stacked.shape == (env.num_envs, 2, 3, 3)
    assert stacked[:2, 0, 0].tolist() == [[1.0, 2.0, 3.0], [3.0, 3.0, 3.0]]
    with pytest.raises(InvalidValueError, match="frame_stack"):
        mdp.stacked_image(ObservationTermCfg(params={"frame_stack": 0}), env)


def test_features_are_what_a_network_of_the_zoo_finds(env, monkeypatch):
    monkeypatch.setattr(
        "usdsim.envs.mdp.images.image", lambda *_, **__: torch.ones(env.num_envs, 4, 5, 3)
    )
    forgotten = []
    zoo = {
        "mean": {
            "model": lambda: 2.0,
            "inference": lambda model, pictures: model * pictures.mean((1, 2)),
            "reset": lambda model, ids: forgotten.append(ids),
        }
    }
    params = {"model_zoo_cfg": zoo, "model_name": "mean"}
    term = mdp.image_features(ObservationTermCfg(params=params), env)
    assert term(env, **params).tolist() == [[2.0, 2.0, 2.0]] * env.num_envs
    term.reset([0])
    assert forgotten == [[0]]
    with pytest.raises(UnknownNameError, match="'other'"):
        mdp.image_features(ObservationTermCfg(params=params | {"model_name": "other"}), env)
    with pytest.raises(UnknownNameError, match="resnet18"):
        mdp.image_features(ObservationTermCfg(params={"model_name": "other"}), env)


def test_terms_describe_themselves_in_plain_values(env):
    class Named(ManagerTermBase):
        def __call__(self, env) -> torch.Tensor:
            return torch.zeros(N)

        def serialize(self) -> dict[str, int]:
            return {"version": 3}

    cfg = group(a=ObservationTermCfg(func=Named), b=obs(scale=2.0, params={"columns": 1}))
    told = ObservationManager(cfg, env).serialize()
    assert told["policy"]["a"] == {"version": 3}
    assert told["policy"]["b"]["cfg"]["params"] == {"columns": 1}
    assert told["policy"]["b"]["cfg"]["func"].endswith(":ramp")
    effort = mdp.JointEffortActionCfg(asset_name="robot", joint_names=["rail_to_cart"], scale=2.0)
    push = ActionManager(terms(push=effort), env).serialize()["push"]["cfg"]
    assert (push["scale"], push["joint_names"]) == (2.0, ["rail_to_cart"])
    assert push["class_type"].endswith(":JointEffortAction")


def test_a_group_that_is_not_joined_may_be_empty(env):
    manager = ObservationManager(group(concatenate_terms=False), env)
    assert manager.compute() == {"policy": {}} and manager.group_obs_dim == {"policy": []}
    with pytest.raises(InvalidValueError, match="at least one"):
        ObservationManager(group(), env)


def test_velocity_commands_tell_mean_errors_of_episodes_and_who_follows(env):
    """Errors of 0.8 and 0.1 m/s are 0.45 in the mean: a success; 1 m/s and 0.5 rad/s are none."""
    ranges = mdp.UniformVelocityCommandCfg.Ranges(
        lin_vel_x=(1.0, 1.0), lin_vel_y=(0.0, 0.0), ang_vel_z=(0.0, 0.0)
    )
    cfg = mdp.UniformVelocityCommandCfg(
        asset_name="robot", resampling_time_range=(5.0, 5.0), ranges=ranges
    )
    manager = CommandManager(terms(walk=cfg), env)
    manager.reset()
    forward, turning = torch.zeros(env.num_envs, 3), torch.zeros(env.num_envs, 3)
    turning[2, 2] = 0.5
    manager.get_term("walk").robot = SimpleNamespace(
        data=SimpleNamespace(root_lin_vel_b=forward, root_ang_vel_b=turning)
    )
    for speed in (0.2, 0.9):
        forward[:, 0] = speed
        forward[1, 0] = 0.0
        manager.compute(0.02)
    logs = manager.reset(torch.tensor([0, 1, 2]))
    errors = [logs[f"Metrics/walk/error_vel_{axis}"] for axis in ("xy", "yaw")]
    np.testing.assert_allclose(errors, [(0.45 + 1.0 + 0.45) / 3.0, 0.5 / 3.0], rtol=1e-5)
    np.testing.assert_allclose(logs["Metrics/success_rate"], 1.0 / 3.0, rtol=1e-6)
    manager.compute(0.02)  # a new episode begins anew
    logs = manager.reset(torch.tensor([0, 3]))
    expected = (0.1 + (0.8 + 0.1 + 0.1) / 3.0) / 2.0
    np.testing.assert_allclose(logs["Metrics/walk/error_vel_xy"], expected, rtol=1e-5)
