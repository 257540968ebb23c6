"""Delayed commands against a queue, over random resets."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from actuator_models import NAMES, arrays, compute, make, numbers
from hypothesis import given, settings
from hypothesis import strategies as st

from usdsim.actuators import (
    ActuatorCollection,
    DelayedImplicitActuatorCfg,
    DelayedPDActuatorCfg,
    RemotizedPDActuatorCfg,
)
from usdsim.core.errors import InvalidValueError

pytestmark = pytest.mark.usefixtures("memory")

ALL = {"joint_names_expr": [".*"]}
NUM_ENVS = 4
ZERO = np.zeros((NUM_ENVS, 3), dtype=np.float32)
steps = st.lists(
    st.one_of(
        st.just("push"), st.sets(st.integers(0, NUM_ENVS - 1), min_size=1).map(sorted), st.none()
    ),
    min_size=1, max_size=40,
)  # fmt: skip


class Queues:
    """The commands of each world since its reset, newest last."""

    def __init__(self):
        self.past = [deque() for _ in range(NUM_ENVS)]

    def reset(self, env_ids):
        for i in range(NUM_ENVS) if env_ids is None else env_ids:
            self.past[i].clear()

    def push(self, command, lags):
        for queue, row in zip(self.past, command, strict=True):
            queue.append(row)
        return np.array(
            [q[max(len(q) - 1 - lag, 0)] for q, lag in zip(self.past, lags, strict=True)]
        )


@settings(max_examples=60)
@given(steps, st.integers(0, 2), st.integers(0, 4), st.integers(0, 2**16))
def test_delay_is_a_queue(actions, least, spread, seed):
    cfg = DelayedImplicitActuatorCfg(min_delay=least, max_delay=least + spread, **ALL)
    model = make(cfg, num_envs=NUM_ENVS)
    queues, rng = Queues(), np.random.default_rng(seed)
    np.testing.assert_array_equal(model.time_lags, 0)
    for action in actions:
        if action != "push":
            before = model.time_lags
            model.reset(action)
            queues.reset(action)
            kept = [i for i in range(NUM_ENVS) if action is not None and i not in action]
            np.testing.assert_array_equal(model.time_lags[kept], before[kept])
            continue
        p, v, f = numbers(3, NUM_ENVS, 3, rng=rng)
        out = compute(model, ZERO, ZERO, p, v, f)[2]
        expected = queues.push(np.stack([p, v, f], axis=1), model.time_lags)
        np.testing.assert_array_equal(out.joint_positions.numpy(), expected[:, 0])
        np.testing.assert_array_equal(out.joint_velocities.numpy(), expected[:, 1])
        np.testing.assert_array_equal(out.joint_efforts.numpy(), expected[:, 2])
    lags = model.time_lags
    assert lags.min() >= 0 and lags.max() <= least + spread


@pytest.mark.parametrize("cfg_type", [DelayedPDActuatorCfg, RemotizedPDActuatorCfg])
def test_delayed_pd_uses_old_commands_and_the_current_state(cfg_type):
    extra = {}
    if cfg_type is RemotizedPDActuatorCfg:
        extra["joint_parameter_lookup"] = [[-9.0, 1.0, 3.0], [9.0, 1.0, 5.0]]
    cfg = cfg_type(stiffness=2.0, damping=0.5, min_delay=2, max_delay=2, **extra, **ALL)
    model = make(cfg, num_envs=NUM_ENVS)
    model.reset()
    targets = numbers(6, NUM_ENVS, 3)
    for i, target in enumerate(targets):
        q, v = numbers(NUM_ENVS, 3), numbers(NUM_ENVS, 3)
        computed, applied, _ = compute(model, q, v, target, 0.3, 0.1)
        expected = 2.0 * (targets[max(i - 2, 0)] - q) + 0.5 * (0.3 - v) + 0.1
        np.testing.assert_allclose(computed, expected, rtol=1e-5, atol=1e-5)
        limit = np.interp(q, [-9, 9], [3, 5]) if extra else np.inf
        np.testing.assert_allclose(applied, np.clip(expected, -limit, limit), rtol=1e-5, atol=1e-5)


def test_delays_are_drawn_evenly_and_by_seed():
    cfg = DelayedPDActuatorCfg(min_delay=1, max_delay=4, **ALL)
    lags = []
    for _ in range(2):
        collection = ActuatorCollection.from_cfgs({"a": cfg}, NAMES, 4000, "cpu", seed=5)
        collection.reset()
        lags.append(collection["a"].time_lags)
    np.testing.assert_array_equal(*lags)
    values, counts = np.unique(lags[0], return_counts=True)
    np.testing.assert_array_equal(values, [1, 2, 3, 4])
    # 1000 each; the standard deviation of a count is 27.
    assert np.abs(counts - 1000).max() < 150
    collection.seed(5)
    collection.reset()
    np.testing.assert_array_equal(collection["a"].time_lags, lags[0])
    collection.reset()
    assert (collection["a"].time_lags != lags[0]).any()
    collection.seed(5)
    collection["a"].reset()  # a group by itself draws from the same numbers
    np.testing.assert_array_equal(collection["a"].time_lags, lags[0])


def test_groups_with_different_delays_in_one_collection():
    cfgs = {
        "slow": DelayedImplicitActuatorCfg(joint_names_expr=["ankle"], min_delay=3, max_delay=3),
        "fast": DelayedImplicitActuatorCfg(joint_names_expr=["hip"], min_delay=1, max_delay=1),
    }
    collection = ActuatorCollection.from_cfgs(cfgs, NAMES, 2, "cpu")
    collection.reset()
    given_targets = numbers(6, 2, 3)
    for i, target in enumerate(given_targets):
        buffers = arrays(2, 3, pos_target=target)
        collection.compute(*buffers.values())
        sent = buffers["pos_cmd_out"].numpy()
        np.testing.assert_array_equal(sent[:, 0], given_targets[max(i - 1, 0)][:, 0])
        np.testing.assert_array_equal(sent[:, 1], target[:, 1])
        np.testing.assert_array_equal(sent[:, 2], given_targets[max(i - 3, 0)][:, 2])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"min_delay": -1}, "min_delay of DelayedPDActuatorCfg is -1"),
        ({"max_delay": 1.5}, "whole number"),
        ({"min_delay": 3, "max_delay": 2}, "up to max_delay, which is 2"),
    ],
)
def test_bad_delays_are_refused(values, message):
    with pytest.raises(InvalidValueError, match=message):
        make(DelayedPDActuatorCfg(**values, **ALL))
