"""Parameters of rotors are drawn at a reset, which leaves other environments alone."""

from __future__ import annotations

import math

import numpy as np
import pytest
import warp as wp
from thruster_models import (
    ARRAYS,
    RANGES,
    K,
    make,
    run,
    snapshot,
)

pytestmark = pytest.mark.usefixtures("memory")


def test_draws_fill_their_ranges():
    thruster = make(envs=500, **RANGES)
    for name, limits in zip(
        ("tau_inc_s", "tau_dec_s", "thrust_const"), RANGES.values(), strict=True
    ):
        drawn = getattr(thruster, name).numpy()
        low, high = limits
        assert drawn.min() >= np.float32(low) and drawn.max() <= np.float32(high)
        # Of 2000 uniform draws: mean within five standard errors, no two the same.
        assert abs(drawn.mean() - (low + high) / 2) < 5 * (high - low) / math.sqrt(12 * drawn.size)
        assert drawn.std() == pytest.approx((high - low) / math.sqrt(12), rel=0.1)
        assert len(np.unique(drawn)) > 0.99 * drawn.size
    correlation = np.corrcoef(
        thruster.tau_inc_s.numpy().ravel(), thruster.tau_dec_s.numpy().ravel()
    )
    assert abs(correlation[0, 1]) < 0.12


def test_draws_repeat_with_the_seed_and_change_with_every_reset():
    first, same, other = make(**RANGES), make(**RANGES), make(seed=1, **RANGES)
    before = snapshot(first)
    assert all((before[name] == snapshot(same)[name]).all() for name in ARRAYS)
    assert (before["tau_inc_s"] != other.tau_inc_s.numpy()).all()
    first.reset()
    same.reset_idx()
    assert (before["tau_inc_s"] != first.tau_inc_s.numpy()).all()
    assert all((snapshot(first)[name] == snapshot(same)[name]).all() for name in ARRAYS)


def test_draws_do_not_depend_on_groups_or_number_of_environments():
    whole = make(envs=5, rotors=4, **RANGES).tau_dec_s.numpy()
    part = make(envs=3, rotors=2, ids=[1, 3], **RANGES).tau_dec_s.numpy()
    sliced = make(envs=3, rotors=2, ids=slice(1, 4, 2), **RANGES).tau_dec_s.numpy()
    np.testing.assert_array_equal(part, whole[:3, [1, 3]])
    np.testing.assert_array_equal(sliced, part)


def test_negative_seeds_are_seeds():
    assert (make(seed=-1, **RANGES).tau_inc_s.numpy() != make(**RANGES).tau_inc_s.numpy()).all()


def test_start_is_the_thrust_of_the_initial_speed():
    rps = np.array([[100.0, 110.0, 120.0], [0.0, 50.0, 200.0]])
    thruster = make(rps=rps, rotors=3, **RANGES)
    expected = thruster.thrust_const.numpy() * rps**2
    np.testing.assert_allclose(thruster.curr_thrust.numpy(), expected, rtol=1e-6)
    np.testing.assert_array_equal(thruster.rps.numpy(), rps.astype(np.float32))
    run(thruster, 1.0, 3)
    thruster.reset()
    expected = thruster.thrust_const.numpy() * rps**2
    np.testing.assert_allclose(thruster.curr_thrust.numpy(), expected, rtol=1e-6)
    np.testing.assert_allclose(thruster.applied_thrust.numpy(), np.clip(expected, 0, 10), rtol=1e-6)


def test_backward_start_of_a_rotor_that_can_turn_backwards():
    thruster = make(rps=-100.0, thrust_range=(-5.0, 5.0))
    np.testing.assert_allclose(thruster.curr_thrust.numpy(), -K * 100.0**2, rtol=1e-6)
    np.testing.assert_allclose(thruster.applied_torque.numpy(), 0.013 * K * 100.0**2, rtol=1e-6)


SUBSETS = [
    {"env_ids": [1, 4]},
    {"env_ids": np.array([4, 1])},
    {"env_ids": wp.array([1, 4], dtype=wp.int32, device="cpu")},
    {"env_ids": slice(1, 5, 3)},
    {"env_mask": [False, True, False, False, True]},
    {"env_mask": wp.array([False, True, False, False, True], dtype=wp.bool, device="cpu")},
]


@pytest.mark.parametrize("subset", SUBSETS)
def test_reset_of_some_leaves_the_others_bit_identical(subset):
    thruster, untouched = make(envs=5, rps=90.0, **RANGES), make(envs=5, rps=90.0, **RANGES)
    command = np.random.default_rng(0).uniform(0, 9, (5, 4)).astype(np.float32)
    for each in (thruster, untouched):
        run(each, command, 3)
    thruster.reset(**subset)
    kept, changed = [0, 2, 3], [1, 4]
    before, after = snapshot(untouched), snapshot(thruster)
    for name in ARRAYS:
        np.testing.assert_array_equal(after[name][kept], before[name][kept])
        assert (after[name][changed] != before[name][changed]).all()
    # What is drawn next for the others does not depend on the resets between.
    thruster.reset([0, 2, 3])
    untouched.reset()
    np.testing.assert_array_equal(
        thruster.thrust_const.numpy()[kept], untouched.thrust_const.numpy()[kept]
    )


@pytest.mark.parametrize("nothing", [[], [False] * 2, slice(0, 0)])
def test_reset_of_none_changes_nothing(nothing):
    thruster = make(**RANGES)
    run(thruster, 3.0)
    before = snapshot(thruster)
    if nothing and not isinstance(nothing, slice):
        thruster.reset(env_mask=nothing)
    else:
        thruster.reset(nothing)
    assert all((before[name] == snapshot(thruster)[name]).all() for name in ARRAYS)
