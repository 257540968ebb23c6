"""Domain randomisation.

Three ways to make worlds differ, from the stage to the running simulation:

1. *Variants.* An asset with a variant set, and a spawner that selects another variant in every
   environment. What differs in numbers becomes parameters of the worlds; the model is compiled
   once.
2. *Opinions.* Any attribute authored on a prim of one environment counts in its world alone.
3. *Writers.* Masses, gains, frictions and limits written per environment while it runs.

Carts with light and heavy loads are pushed by the same force; F = m a predicts how far they get.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from pxr import Usd, UsdPhysics

from usdsim.assets import ArticulationCfg
from usdsim.sim import InteractiveScene, InteractiveSceneCfg, SimulationCfg, SimulationContext
from usdsim.spawners import MultiAssetSpawnerCfg, UsdFileCfg

ASSETS = Path(__file__).resolve().parent.parent / "assets"
OUT = Path("out/examples")
CARTS = OUT / "cart_variants.usda"

LOADS = {"light": 1.0, "middle": 2.0, "heavy": 4.0}  # mass of the cart [kg]
FORCE = 5.0  # [N]
SECONDS = 0.5


def author_variants() -> None:
    """The shipped cart, with a variant set that says how much it carries."""
    stage = Usd.Stage.CreateNew(str(CARTS))
    root = stage.DefinePrim("/Cartpole")
    root.GetReferences().AddReference(str(ASSETS / "cartpole" / "cartpole.usda"))
    loads = root.GetVariantSets().AddVariantSet("load")
    for name, mass in LOADS.items():
        loads.AddVariant(name)
        loads.SetVariantSelection(name)
        with loads.GetVariantEditContext():
            UsdPhysics.MassAPI(stage.GetPrimAtPath("/Cartpole/cart")).GetMassAttr().Set(mass)
    stage.SetDefaultPrim(root)
    stage.Save()


class SceneCfg(InteractiveSceneCfg):
    """Carts whose loads go round from environment to environment."""

    # The spawner chooses for every environment, instead of all environments referring to the first.
    replicate_physics = False
    cart = ArticulationCfg(
        prim_path="{ENV_REGEX_NS}/Cart",
        spawn=MultiAssetSpawnerCfg(
            assets_cfg=[UsdFileCfg(usd_path=CARTS, variants={"load": name}) for name in LOADS],
            random_choice=False,
        ),
    )


def main(num_envs: int = 12) -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    CARTS.unlink(missing_ok=True)
    author_variants()

    with SimulationContext(SimulationCfg(dt=0.002)) as sim:
        scene = InteractiveScene(SceneCfg(num_envs=num_envs, env_spacing=6.0))
        last = scene.env_prim_paths[-1]
        UsdPhysics.MassAPI(sim.stage.GetPrimAtPath(f"{last}/Cart/cart")).GetMassAttr().Set(9.0)
        sim.reset()

        cart = scene["cart"]
        print(f"carts as on the stage [kg]: {cart.data.body_mass.numpy()[:, 0]}")

        rng = np.random.default_rng(0)
        poles = rng.uniform(0.001, 0.01, (num_envs, 1))
        pole, _ = cart.find_bodies("pole")
        cart.set_masses(poles, body_ids=pole)
        inertia = cart.data.body_inertia.numpy()[:, pole] * (poles / 0.3)[..., None]
        cart.set_inertias(inertia, body_ids=pole)

        cart.set_joint_effort_target(FORCE, joint_ids=cart.find_joints("rail_to_cart")[0])
        with sim.recorder(OUT / "carts.usd") as recorder:
            for _ in range(round(SECONDS / sim.physics_dt)):
                scene.write_data_to_sim()
                sim.step()
                scene.update(sim.physics_dt)
                recorder.record()

        mass = cart.data.body_mass.numpy().sum(axis=1)
        expected = 0.5 * FORCE / mass * SECONDS**2
        pushed = cart.data.joint_pos.numpy()[:, 0]
        for env in range(min(num_envs, 4)):
            print(f"{mass[env]:.3f} kg went {pushed[env]:.4f} m, {expected[env]:.4f} m expected")
        print(f"largest difference {np.abs(pushed - expected).max():.4f} m")
        print(f"recorded {OUT / 'carts.usd'}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
