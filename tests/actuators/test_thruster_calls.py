"""What a thruster takes and gives back, and what it refuses."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
import warp as wp
from thruster_models import (
    ARRAYS,
    RANGES,
    make,
    make_cfg,
    run,
    snapshot,
)

from usdsim.actuators.thrusters.actions import MultiRotorActions
from usdsim.actuators.thrusters.cfg import ThrusterCfg
from usdsim.actuators.thrusters.thruster import Thruster
from usdsim.core.errors import InvalidValueError, ShapeError

pytestmark = pytest.mark.usefixtures("memory")

# Commands and results


def test_commands_of_every_kind_mean_the_same():
    command = np.random.default_rng(1).uniform(0, 9, (2, 4)).astype(np.float32)
    wide = wp.array(np.repeat(command, 2, axis=1), dtype=wp.float32, device="cpu")
    kinds = [
        command,
        command.astype(np.float64),
        command.tolist(),
        wp.array(command, dtype=wp.float32, device="cpu"),
        wp.array(command.astype(np.float64), dtype=wp.float64, device="cpu"),
        wide[:, ::2],
    ]
    results = []
    for kind in kinds:
        thruster = make(rps=80.0)
        for _ in range(3):
            thruster.compute(MultiRotorActions(kind))
        results.append(thruster.applied_thrust.numpy().copy())
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])


def test_torch_commands():
    torch = pytest.importorskip("torch")
    command = torch.full((2, 4), 4.0, requires_grad=True)
    first, second = make(), make()
    run(first, command, 2)
    run(second, 4.0, 2)
    np.testing.assert_array_equal(first.applied_thrust.numpy(), second.applied_thrust.numpy())


def test_changing_between_command_arrays():
    thruster, reference = make(), make()
    arrays = [wp.full((2, 4), value, dtype=wp.float32, device="cpu") for value in (2.0, 7.0)]
    for i in (0, 1, 1, 0):
        thruster.compute(MultiRotorActions(arrays[i]))
        reference.compute(MultiRotorActions([2.0, 7.0][i]))
    np.testing.assert_array_equal(thruster.curr_thrust.numpy(), reference.curr_thrust.numpy())
    arrays[0].fill_(9.0)  # read in place
    assert run(thruster, arrays[0])[0] == run(reference, 9.0)[0]


def test_result_is_the_applied_thrust_and_the_action_is_left_alone():
    thruster = make()
    command = np.full((2, 4), 50.0, dtype=np.float32)
    action = MultiRotorActions(thrusts=command, thruster_indices=[0, 1, 2, 3])
    result = thruster.compute(action)
    assert result.thrusts is thruster.applied_thrust
    assert result.thruster_indices == [0, 1, 2, 3]
    assert action.thrusts is command and (command == 50.0).all()


def test_compute_is_captured_in_a_graph():
    thruster, reference = make(), make()
    command = wp.full((2, 4), 6.0, dtype=wp.float32, device="cpu")
    action = MultiRotorActions(command)
    run(thruster, command)
    with wp.ScopedCapture(device="cpu") as capture:
        thruster.compute(action)
    wp.capture_launch(capture.graph)
    wp.capture_launch(capture.graph)
    run(reference, 6.0, 3)
    np.testing.assert_array_equal(thruster.curr_thrust.numpy(), reference.curr_thrust.numpy())


def test_what_is_known_of_the_group():
    thruster = make(ids=[2, 0, 5, 1])
    assert thruster.num_thrusters == 4 and thruster.num_envs == 2
    assert thruster.thruster_names == ["rotor_0", "rotor_1", "rotor_2", "rotor_3"]
    assert thruster.thruster_indices == [2, 0, 5, 1]
    assert thruster.device == "cpu"
    for name in ARRAYS:
        array = getattr(thruster, name)
        assert array.shape == (2, 4) and array.dtype is wp.float32


def test_configuration_is_kept_and_not_changed():
    cfg = make_cfg(**RANGES)
    copied = copy.deepcopy(cfg)
    thruster = cfg.class_type(cfg, ["a"], slice(None), 1, "cpu", 10.0)
    thruster.compute(MultiRotorActions(1.0))
    assert isinstance(thruster, Thruster)
    assert cfg == copied == thruster.cfg and thruster.cfg is not cfg


def test_defaults_carry_a_kilogram_on_four_rotors_at_103_per_second():
    cfg = ThrusterCfg(
        thruster_names_expr=["rotor_[0-3]"],
        thrust_range=(0.0, 10.0),
        rise_time_constant=0.1,
        fall_time_constant=0.2,
        dt=0.01,
    )
    thruster = Thruster(cfg, ["a", "b", "c", "d"], slice(None), 1, "cpu", 103.0)
    assert thruster.applied_thrust.numpy().sum() == pytest.approx(9.81, rel=0.01)


# Refusals


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"dt": None}, "dt is None"),
        ({"dt": 0.0}, "dt is 0.0"),
        ({"dt": math.inf}, "dt is inf"),
        ({"dt": "fast"}, "dt is 'fast'"),
        ({"thrust_range": (3.0, 1.0)}, "thrust_range"),
        ({"thrust_range": (0.0, math.inf)}, "thrust_range"),
        ({"thrust_range": 5.0}, "thrust_range"),
        ({"thrust_range": (0.0, 1.0, 2.0)}, "thrust_range"),
        ({"thrust_range": ("a", "b")}, "thrust_range"),
        ({"thrust_const_range": (0.0, 1e-4)}, "thrust_const_range .* above 0"),
        ({"thrust_const_range": (math.nan, 1e-4)}, "thrust_const_range"),
        ({"tau_inc_range": (-0.1, 0.1)}, "tau_inc_range .* >= 0"),
        ({"tau_dec_range": (0.2, 0.1)}, "tau_dec_range"),
        ({"rise_time_constant": None}, "rise_time_constant is None: give one of the two"),
        ({"tau_dec_range": (0.1, 0.1), "fall_time_constant": 0.1}, "give one of the two"),
        ({"fall_time_constant": -1.0}, "tau_dec_range"),
        ({"max_thrust_rate": 0.0}, "max_thrust_rate"),
        ({"max_thrust_rate": math.nan}, "max_thrust_rate"),
        ({"torque_to_thrust_ratio": -0.1}, "torque_to_thrust_ratio"),
        ({"integration_scheme": "rk2"}, "'rk2'.*rk4"),
        ({"rate_limit": "torque"}, "rate_limit"),
        ({"seed": 1.5}, "seed"),
        ({"integration_scheme": "rk4", "rise_time_constant": 0.0}, "tau_inc_range.* above 0"),
        ({"integration_scheme": "rk4", "dt": 0.15}, "diverges.*'exact'"),
        (
            {"integration_scheme": "euler", "use_discrete_approximation": False, "dt": 0.11},
            "at most 2 times the shortest time constant, 0.1 s",
        ),
    ],
)
def test_a_wrong_configuration_is_refused(changes, words):
    with pytest.raises(InvalidValueError, match=words):
        make(**changes)


def test_no_limit_of_the_rate_is_allowed():
    assert run(make(max_thrust_rate=math.inf, rise_time_constant=0.0), 9.0)[0] == pytest.approx(9.0)


def test_implicit_euler_stands_any_time_step():
    thruster = make(integration_scheme="euler", dt=10.0)
    assert (run(thruster, 5.0, 20) <= 5.0 + 1e-5).all()
    assert run(thruster, 5.0)[0] == pytest.approx(5.0, rel=1e-5)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"rps": [1.0, 2.0]}, ShapeError, "init_thruster_rps"),
        ({"rps": math.nan}, InvalidValueError, "init_thruster_rps"),
        ({"rps": -1.0}, InvalidValueError, "init_thruster_rps is -1.0.*no negative thrust"),
        ({"rps": "fast"}, InvalidValueError, "real numbers"),
        ({"envs": 0}, InvalidValueError, "num_envs"),
        ({"rotors": 0}, InvalidValueError, "thruster_names"),
        ({"ids": [0, 1]}, ShapeError, "one per thruster name"),
        ({"ids": slice(0, 2)}, ShapeError, "one per thruster name"),
        ({"ids": [0, 1, 2, -3]}, InvalidValueError, "thruster_ids"),
        ({"ids": [0.5, 1, 2, 3]}, InvalidValueError, "thruster_ids"),
        ({"ids": [[0, 1, 2, 3]]}, ShapeError, "thruster_ids"),
        ({"ids": [0, 1, 1, 2]}, InvalidValueError, "thruster_ids"),
    ],
)
def test_wrong_arguments_are_refused(arguments, error, words):
    with pytest.raises(error, match=words):
        make(**arguments)


def test_an_unknown_device_is_refused():
    with pytest.raises(InvalidValueError, match="device"):
        Thruster(make_cfg(), ["a"], slice(None), 1, "abacus", 0.0)


@pytest.mark.parametrize(
    ("thrusts", "error"),
    [
        (None, InvalidValueError),
        ("full", InvalidValueError),
        ([[1.0, math.nan, 0.0, 0.0]], InvalidValueError),
        ([1.0, 2.0], ShapeError),
        (np.zeros((3, 4)), ShapeError),
        (wp.zeros((2, 3), dtype=wp.float32, device="cpu"), ShapeError),
    ],
)
def test_wrong_commands_are_refused_and_change_nothing(thrusts, error):
    thruster = make(rps=100.0)
    run(thruster, 3.0)
    before = snapshot(thruster)
    with pytest.raises(error, match=r"control_action\.thrusts"):
        thruster.compute(MultiRotorActions(thrusts))
    assert all((before[name] == snapshot(thruster)[name]).all() for name in ARRAYS)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"env_ids": [2]}, InvalidValueError, "env_ids"),
        ({"env_ids": [0.5]}, InvalidValueError, "env_ids"),
        ({"env_ids": [1, 1]}, InvalidValueError, "env_ids"),
        ({"env_mask": [True]}, ShapeError, "env_mask"),
        ({"env_mask": [1, 0]}, InvalidValueError, "env_mask"),
        ({"env_mask": wp.zeros(3, dtype=wp.bool, device="cpu")}, ShapeError, "env_mask"),
        ({"env_ids": [0], "env_mask": [True, False]}, InvalidValueError, "env_mask"),
    ],
)
def test_wrong_selections_are_refused_and_change_nothing(arguments, error, words):
    thruster = make(**RANGES)
    run(thruster, 3.0)
    before = snapshot(thruster)
    with pytest.raises(error, match=words):
        thruster.reset(**arguments)
    assert all((before[name] == snapshot(thruster)[name]).all() for name in ARRAYS)
