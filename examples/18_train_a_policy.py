"""Train a policy.

Proximal policy optimisation of rsl_rl learns to keep the shipped cart's pole up: a task has its
environment and its agent, `train` gives a policy, `evaluate` says how good it is before and after,
and the policy goes into a file that needs NumPy alone. One episode of what was learned is recorded.
Needs PyTorch, rsl_rl and Gymnasium; without them the example says so.

`python 18_train_a_policy.py 256 60` takes another number of environments and of iterations.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

OUT = Path("out/examples")


def main(num_envs: int = 256, iterations: int = 30) -> None:
    if any(importlib.util.find_spec(name) is None for name in ("torch", "gymnasium", "rsl_rl")):
        print("This example needs PyTorch, rsl_rl and Gymnasium: pip install 'usdsim[learn]'")
        return
    from usdsim.learning import evaluate, load_policy, save_policy, train
    from usdsim.tasks import find_task

    OUT.mkdir(parents=True, exist_ok=True)
    task = find_task("cartpole")
    agent = task.agent_cfg()
    agent.iterations = iterations

    def show(progress) -> None:
        if progress.iteration % 10 == 0:
            print(f"iteration {progress.iteration}, {progress.seconds_left:.0f} s left")

    with task.make(num_envs=num_envs, seed=0) as env:
        idle = evaluate(env, lambda seen: 0.0 * seen[:, :1], seed=1)
        policy = train(env, agent, seed=0, report=show)
        save_policy(OUT / "cartpole_policy.npz", policy)
    print(f"without control episodes last {idle.mean_length:.0f} decisions")

    # As it would be used elsewhere: from the file, in an environment of its own.
    loaded = load_policy(OUT / "cartpole_policy.npz")
    with task.make(num_envs=num_envs, seed=2) as env:
        with env.sim.recorder(OUT / "trained.usd") as recorder:
            learned = evaluate(env, loaded, seed=2, each=recorder.record)
        most = env.max_episode_length
    print(f"with the policy {learned.mean_length:.0f} of {most}, {learned.lasted:.0%} to the end")
    print(f"recorded {OUT / 'trained.usd'}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
