"""Soft bodies.

A soft cube in every environment is thrown onto the ground from a pose and with a spin of its own:
its state is where its vertices are and how fast they move. The cubes are squeezed, bounce and come
to rest. Then targets lift the upper vertices of every other cube, and the rest of it hangs on them.

Positions, velocities, rotations and stresses are arrays of all environments, at every moment those
of the present state.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from usdsim.assets import AssetBaseCfg, DeformableObjectCfg
from usdsim.core.errors import UnsupportedError
from usdsim.schemas import PhysxDeformableBodyPropertiesCfg
from usdsim.sim import (
    InteractiveScene,
    InteractiveSceneCfg,
    SimulationCfg,
    SimulationContext,
    render_picture,
    write_png,
)
from usdsim.spawners import (
    DeformableBodyMaterialCfg,
    GroundPlaneCfg,
    MeshCuboidCfg,
    PreviewSurfaceCfg,
)

OUT = Path("out/examples")
SIZE, MASS = 0.2, 2.0  # of a cube [m, kg]


class SceneCfg(InteractiveSceneCfg):
    """A soft cube in every environment."""

    ground = AssetBaseCfg(prim_path="/World/ground", spawn=GroundPlaneCfg(color=(0.5, 0.5, 0.5)))
    cube = DeformableObjectCfg(
        prim_path="{ENV_REGEX_NS}/Cube",
        spawn=MeshCuboidCfg(
            size=(SIZE, SIZE, SIZE),
            deformable_props=PhysxDeformableBodyPropertiesCfg(
                simulation_hexahedral_resolution=2, mass=MASS
            ),
            physics_material=DeformableBodyMaterialCfg(
                youngs_modulus=5e4, poissons_ratio=0.4, elasticity_damping=0.01
            ),
            visual_material=PreviewSurfaceCfg(diffuse_color=(0.9, 0.45, 0.2)),
        ),
        init_state=DeformableObjectCfg.InitialStateCfg(pos=(0.0, 0.0, 0.5)),
    )


def main(num_envs: int = 64) -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    with SimulationContext(SimulationCfg(dt=0.004)) as sim:
        scene = InteractiveScene(SceneCfg(num_envs=num_envs, env_spacing=1.0))
        sim.reset()
        cube = scene["cube"]
        print(
            f"{cube.num_instances} cubes of {cube.max_sim_vertices_per_body} vertices and "
            f"{cube.max_sim_elements_per_body} tetrahedra"
        )

        # Any pose and spin: vertices turn about their mean, and move as a rigid body would.
        turns = rng.normal(size=(num_envs, 4))
        turns /= np.linalg.norm(turns, axis=1, keepdims=True)
        shifts = rng.uniform(-0.15, 0.15, (num_envs, 3))
        points = cube.transform_nodal_pos(cube.data.nodal_pos_w.numpy(), shifts, turns)
        spins = rng.uniform(-3.0, 3.0, (num_envs, 1, 3))
        arms = points - points.mean(axis=1, keepdims=True)
        state = np.concatenate([points, np.cross(spins, arms)], axis=-1)
        cube.write_nodal_state_to_sim(state)

        def advance(seconds: float) -> float:
            """Step; returns the lowest height that the centre of a cube came down to [m]."""
            lowest = np.inf
            for _ in range(round(seconds / sim.physics_dt)):
                scene.write_data_to_sim()
                sim.step()
                scene.update(sim.physics_dt)
                recorder.record()
                lowest = min(lowest, float(cube.data.root_pos_w.numpy()[:, 2].min()))
            return lowest

        with sim.recorder(OUT / "soft_cubes.usd") as recorder:
            lowest = advance(1.6)
            height = cube.data.root_pos_w.numpy()[:, 2]
            print(f"centres came down to {lowest:.3f} m, and rest at {np.median(height):.3f} m")
            # What holds a body against gravity is, on the mean, weight times height by volume.
            stress = cube.data.sim_element_stress_w.numpy()[..., 2, 2].mean(axis=1)
            expected = -MASS * 9.81 * height / SIZE**3
            print(f"vertical stress at rest {np.median(stress):.0f} Pa", end=", ")
            print(f"by weight and height {np.median(expected):.0f} Pa")

            lifted = np.arange(0, num_envs, 2)
            targets = cube.data.nodal_kinematic_target.numpy()[lifted]
            height = targets[..., 2]
            upper = height > np.quantile(height, 0.8, axis=1, keepdims=True)
            targets[..., 3] = np.where(upper, 0.0, 1.0)  # 0.0: held at its target, 1.0: free
            for _ in range(75):
                targets[upper, 2] += 0.003
                cube.write_nodal_kinematic_target_to_sim(targets, env_ids=lifted)
                advance(sim.physics_dt)
            advance(0.4)

        found = cube.data.nodal_pos_w.numpy()[lifted]
        error = np.abs(found - targets[..., :3])[upper].max()
        print(f"{len(lifted)} cubes hang on vertices that are {1e6 * error:.1f} um from targets")
        print(f"recorded {OUT / 'soft_cubes.usd'}")
        try:
            write_png(OUT / "soft_cubes.png", render_picture(sim, world=range(min(num_envs, 16))))
            print(f"picture {OUT / 'soft_cubes.png'}")
        except UnsupportedError as error_text:
            print(error_text)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
