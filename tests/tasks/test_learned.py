"""Tasks are learned: after minutes a policy does what zero actions do not."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("rsl_rl")
from usdsim.learning import evaluate, train  # noqa: E402
from usdsim.tasks import find_task  # noqa: E402

pytestmark = pytest.mark.usefixtures("simulation_ends")

# Task, environments, iterations; the measure in the last tenth of episodes, of zero actions at
# least and of the policy at most [m].
LEARNED = [
    ("cloth-pull", 32, 40, 0.2, 0.03),
    ("arm-reach", 64, 100, 0.15, 0.08),
]


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "count", "iterations", "idle", "learned"), LEARNED)
def test_policies_do_what_zero_actions_do_not(name, count, iterations, idle, learned):
    task = find_task(name)
    agent = task.agent_cfg().replace(iterations=iterations)
    (measure,) = task.measures()
    with task.make(num_envs=count, seed=0) as env:
        actions = torch.zeros(count, *env.single_action_space.shape)
        before = evaluate(env, lambda seen: actions, seed=7, measures=task.measures())
        policy = train(env, agent, seed=0)
        after = evaluate(env, policy, seed=7, measures=task.measures())
    assert before.measures[measure].last > idle
    assert after.measures[measure].last < learned and after.lasted == 1.0
    assert after.mean_return > before.mean_return


@pytest.mark.nightly
def test_an_ant_learns_to_run():
    task = find_task("ant")
    with task.make(num_envs=64, seed=0) as env:
        policy = train(env, task.agent_cfg().replace(iterations=80), seed=0)
        after = evaluate(env, policy, seed=7, measures=task.measures())
    assert after.measures["forward_speed"].mean > 0.15  # Of zero actions: 0.00.
