"""Response of rotors against closed forms and small steps."""

from __future__ import annotations

import math

import numpy as np
import pytest
import warp as wp
from thruster_models import (
    integrate,
    make,
    run,
    speed,
    thrust_of,
)

from usdsim.actuators.thrusters.actions import MultiRotorActions

pytestmark = pytest.mark.usefixtures("memory")

# Single precision: a rounding per step, none of which grows.
SINGLE = 2e-5


@pytest.mark.parametrize("tau", [0.005, 0.05, 0.4])
@pytest.mark.parametrize("dt", [0.0005, 0.01, 0.2])
@pytest.mark.parametrize(("start", "target"), [(0.0, 6.0), (2.0, 8.0), (8.0, 2.0), (5.0, 0.0)])
def test_step_response_is_the_exponential_of_the_speed(tau, dt, start, target):
    other = 7.0  # not to be taken
    rise, fall = (tau, other) if target > start else (other, tau)
    thruster = make(
        rise_time_constant=rise, fall_time_constant=fall, dt=dt, rps=speed(start), envs=1
    )
    steps = 40
    measured = run(thruster, target, steps)
    time = dt * np.arange(1, steps + 1)
    goal = speed(target)
    expected = thrust_of(goal + (speed(start) - goal) * np.exp(-time / tau))
    np.testing.assert_allclose(measured, expected, atol=SINGLE * 10.0)


def test_response_does_not_depend_on_the_time_step():
    coarse, fine = make(dt=0.08, rps=50.0), make(dt=0.001, rps=50.0)
    assert run(coarse, 7.0)[-1] == pytest.approx(run(fine, 7.0, 80)[-1], rel=1e-4)


def test_a_time_constant_of_zero_follows_at_once():
    thruster = make(rise_time_constant=0.0, fall_time_constant=0.0, rps=100.0)
    assert run(thruster, 7.0)[0] == pytest.approx(7.0, rel=1e-6)
    assert run(thruster, 0.5)[0] == pytest.approx(0.5, rel=1e-6)


@pytest.mark.parametrize("limit", [1.0e30, 2500.0, 700.0])
@pytest.mark.parametrize(
    ("start", "target"), [(0.0, 8.0), (8.0, 1.0), (5.0, -5.0), (-2.0, 8.0), (0.5, -8.0)]
)
@pytest.mark.parametrize("dt", [0.01, 0.15])
def test_limited_speed_and_turning_the_other_way_are_exact_too(start, target, limit, dt):
    thruster = make(
        thrust_range=(-10.0, 10.0),
        max_thrust_rate=limit,
        rate_limit="speed",
        dt=dt,
        rps=speed(start),
        envs=1,
        rotors=1,
    )
    run(thruster, target)
    expected = integrate(speed(start), speed(target), (0.05, 0.1), limit, dt)
    assert thruster.rps.numpy()[0, 0] == pytest.approx(expected, abs=0.05)


def test_thrust_rate_is_limited():
    rate, dt = 20.0, 0.01
    thruster = make(max_thrust_rate=rate, dt=dt, rise_time_constant=1e-3, fall_time_constant=1e-3)
    ramp = rate * dt * np.arange(1, 11)
    np.testing.assert_allclose(run(thruster, 9.0, 10), ramp, atol=1e-5)
    assert thruster.rps.numpy()[0, 0] == pytest.approx(speed(2.0), rel=1e-5)
    np.testing.assert_allclose(run(thruster, 0.0, 10), 2.0 - ramp, atol=1e-5)
    free = make(rise_time_constant=1e-3)
    assert run(free, 9.0)[0] > 8.0


# Schemes


def polynomial(x: float) -> float:
    """Share of the error gone after a step of a fourth-order Runge-Kutta scheme."""
    return x - x**2 / 2 + x**3 / 6 - x**4 / 24


@pytest.mark.parametrize(
    ("scheme", "discrete", "gain"),
    [
        ("exact", None, 1 - math.exp(-0.2)),
        ("euler", None, 0.2 / 1.2),
        ("euler", True, 0.2 / 1.2),
        ("euler", False, 0.2),
        ("rk4", None, polynomial(0.2)),
        ("rk4", True, polynomial(0.2 / 1.2)),
        ("rk4_reversed", False, -polynomial(-0.2)),
        ("rk4_reversed", True, -polynomial(-0.2 / 1.2)),
    ],
)
@pytest.mark.parametrize(("start", "target"), [(1.0, 6.0), (6.0, 1.0)])
def test_one_step_of_each_scheme(scheme, discrete, gain, start, target):
    thruster = make(
        integration_scheme=scheme,
        use_discrete_approximation=discrete,
        rise_time_constant=0.05,
        fall_time_constant=0.05,
        dt=0.01,
        rps=speed(start),
    )
    measured = run(thruster, target)[0]
    w = speed(start) + gain * (speed(target) - speed(start))
    assert measured == pytest.approx(thrust_of(w), rel=1e-5)


def test_reversed_stages_answer_too_fast():
    """The gains known of it: 0.2214 alone, 0.18136 with the step added to the time constant."""
    assert -polynomial(-0.2) == pytest.approx(0.2214, abs=1e-4)
    assert -polynomial(-0.2 / 1.2) == pytest.approx(0.18136, abs=1e-4)


@pytest.mark.parametrize("scheme", ["euler", "rk4", "rk4_reversed"])
def test_schemes_limit_the_speed(scheme):
    limit, dt = 300.0, 0.01
    thruster = make(
        integration_scheme=scheme, max_thrust_rate=limit, rate_limit="speed", dt=dt, rps=50.0
    )
    run(thruster, 10.0)
    assert thruster.rps.numpy()[0, 0] == pytest.approx(50.0 + limit * dt, rel=1e-5)


def test_slowing_down_takes_the_other_time_constant_in_every_scheme():
    for scheme in ("exact", "euler", "rk4", "rk4_reversed"):
        changes = {"integration_scheme": scheme, "rps": speed(5.0)}
        slow = make(rise_time_constant=0.05, fall_time_constant=0.4, **changes)
        fast = make(rise_time_constant=0.4, fall_time_constant=0.05, **changes)
        assert run(slow, 1.0)[0] > run(fast, 1.0)[0] + 0.3
        assert run(slow, 9.0)[-1] > run(fast, 9.0)[-1] + 0.3


# Limits of thrust


def test_commands_beyond_the_range_count_as_its_ends():
    targets = np.array([[50.0, np.inf, 0.1, -np.inf]], dtype=np.float32)
    thruster = make(thrust_range=(0.5, 6.0), rise_time_constant=1e-4, fall_time_constant=1e-4)
    command = wp.array(np.repeat(targets, 2, axis=0), dtype=wp.float32)
    for _ in range(5):
        thruster.compute(MultiRotorActions(command))
    np.testing.assert_allclose(thruster.applied_thrust.numpy()[1], [6.0, 6.0, 0.5, 0.5], rtol=1e-5)


def test_applied_thrust_stays_in_range_where_the_state_is_not():
    thruster = make(
        thrust_range=(1.0, 3.0), rps=[[0.0, 200.0]], rotors=2, torque_to_thrust_ratio=0.02
    )
    np.testing.assert_allclose(thruster.computed_thrust.numpy()[0], [0.0, 8.0], rtol=1e-6)
    np.testing.assert_allclose(thruster.applied_thrust.numpy()[0], [1.0, 3.0], rtol=1e-6)
    thruster.compute(MultiRotorActions(2.0))
    computed = thruster.computed_thrust.numpy()[0]
    assert 0.0 < computed[0] < 1.0 and 3.0 < computed[1] < 8.0
    np.testing.assert_array_equal(computed, thruster.curr_thrust.numpy()[0])
    np.testing.assert_allclose(thruster.applied_thrust.numpy()[0], [1.0, 3.0], rtol=1e-6)
    np.testing.assert_allclose(thruster.applied_torque.numpy()[0], [0.02, 0.06], rtol=1e-6)


def test_computed_thrust_is_no_alias_of_the_state():
    thruster = make(rps=100.0)
    run(thruster, 5.0)
    state = thruster.curr_thrust.numpy().copy()
    thruster.computed_thrust.zero_()
    np.testing.assert_array_equal(thruster.curr_thrust.numpy(), state)


@pytest.mark.parametrize("scheme", ["exact", "euler", "rk4", "rk4_reversed"])
def test_not_a_number_is_passed_on_until_reset(scheme):
    command = np.full((2, 4), 3.0, dtype=np.float32)
    command[0, 1] = np.nan
    thruster = make(integration_scheme=scheme, rps=100.0)
    thruster.compute(MultiRotorActions(wp.array(command, dtype=wp.float32)))
    for name in ("curr_thrust", "computed_thrust", "applied_thrust", "applied_torque"):
        bad = np.isnan(getattr(thruster, name).numpy())
        assert bad[0, 1] and bad.sum() == 1
    thruster.reset([0])
    assert run(thruster, 2.0)[0] == pytest.approx(2.0, abs=0.5)
    assert np.isfinite(thruster.applied_thrust.numpy()).all()
