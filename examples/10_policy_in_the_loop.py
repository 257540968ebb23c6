"""Policy in the loop.

A PyTorch policy acts on Warp arrays of the simulation without a copy between the two libraries:
`wp.to_torch` gives tensors over the same memory. Every environment tries another policy, all
together are a population, and a few generations of the cross-entropy method balance the pole on the
shipped cart. The best policy is recorded. PyTorch is optional; without it the example says so.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import warp as wp

from usdsim.assets import ArticulationCfg
from usdsim.sim import InteractiveScene, InteractiveSceneCfg, SimulationCfg, SimulationContext
from usdsim.spawners import UsdFileCfg

ASSETS = Path(__file__).resolve().parent.parent / "assets"
OUT = Path("out/examples")

GENERATIONS = 8
STEPS = 200  # decisions per trial, at 50 Hz
FORCE = 20.0  # [N]


class SceneCfg(InteractiveSceneCfg):
    """A cart with a pole in every environment."""

    cart = ArticulationCfg(
        prim_path="{ENV_REGEX_NS}/Cart",
        spawn=UsdFileCfg(usd_path=ASSETS / "cartpole" / "cartpole.usda"),
    )


def main(num_envs: int = 256) -> None:
    if importlib.util.find_spec("torch") is None:
        print("This example needs PyTorch: pip install 'usdsim[torch]'")
        return
    import torch

    OUT.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    with SimulationContext(SimulationCfg(dt=0.01)) as sim:
        scene = InteractiveScene(SceneCfg(num_envs=num_envs, env_spacing=6.0))
        sim.reset()
        cart = scene["cart"]
        slide = cart.find_joints("rail_to_cart")[0]

        def trial(weights: torch.Tensor, recorder=None) -> torch.Tensor:
            """How long each environment's policy keeps its pole up and its cart in the middle."""
            start = 0.1 * torch.randn(num_envs, 2)
            cart.write_joint_state_to_sim(start, torch.zeros_like(start))
            score = torch.zeros(num_envs)
            alive = torch.ones(num_envs, dtype=torch.bool)
            for _ in range(STEPS):
                position = wp.to_torch(cart.data.joint_pos)
                velocity = wp.to_torch(cart.data.joint_vel)
                observation = torch.cat([position, velocity], dim=1)
                action = torch.tanh((weights * observation).sum(dim=1, keepdim=True))
                cart.set_joint_effort_target(FORCE * action, joint_ids=slide)
                for _ in range(2):
                    scene.write_data_to_sim()
                    sim.step()
                    scene.update(sim.physics_dt)
                    if recorder is not None:
                        recorder.record()
                position = wp.to_torch(cart.data.joint_pos)
                alive &= (position[:, 1].abs() < 0.5) & (position[:, 0].abs() < 2.0)
                score += alive * (1.0 - 0.2 * position[:, 0].abs())
            return score

        mean, spread = torch.zeros(4), 3.0 * torch.ones(4)
        for generation in range(GENERATIONS):
            weights = mean + spread * torch.randn(num_envs, 4)
            score = trial(weights)
            best = weights[score.topk(max(2, num_envs // 10)).indices]
            mean, spread = best.mean(dim=0), best.std(dim=0) + 0.1
            print(f"generation {generation}: best {score.max():5.1f}, mean {score.mean():5.1f}")

        with sim.recorder(OUT / "cartpole.usd") as recorder:
            score = trial(mean.expand(num_envs, 4), recorder)
        print(f"the mean policy keeps {(score > 0.9 * STEPS).sum()} of {num_envs} poles up")
        print(f"recorded {OUT / 'cartpole.usd'}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
