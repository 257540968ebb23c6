"""Pick and place.

An arm of seven axes takes a cube off the ground and puts it down elsewhere, in every environment at
another place. Inverse kinematics gives joint positions for the hand above and at both places, all
environments at once; drives follow them with what gravity takes as feed-forward, and the fingers
hold the cube by friction alone.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import usdsim
from usdsim.assets import AssetBaseCfg, RigidObjectCfg
from usdsim.robots import ARM7_CFG
from usdsim.scene import InverseKinematics
from usdsim.schemas import CollisionBaseCfg, MassPropertiesCfg, RigidBodyBaseCfg
from usdsim.sim import InteractiveScene, InteractiveSceneCfg, SimulationCfg, SimulationContext
from usdsim.spawners import CuboidCfg, GroundPlaneCfg, PreviewSurfaceCfg, RigidBodyMaterialCfg

OUT = Path("out/examples")
CUBE = 0.05  # length of its sides [m]
GRASP = 0.095  # from the hand's frame to between the fingertips [m]
OPEN, CLOSED = 0.04, 0.0  # of a finger [m]
DOWN = [0.70710678, 0.70710678, 0.0, 0.0]  # the hand points at the ground, (x, y, z, w)


class SceneCfg(InteractiveSceneCfg):
    """An arm on flat ground, and a cube in front of it."""

    ground = AssetBaseCfg(prim_path="/World/ground", spawn=GroundPlaneCfg())
    arm = ARM7_CFG.replace(prim_path="{ENV_REGEX_NS}/Arm")
    cube = RigidObjectCfg(
        prim_path="{ENV_REGEX_NS}/Cube",
        spawn=CuboidCfg(
            size=(CUBE, CUBE, CUBE),
            rigid_props=RigidBodyBaseCfg(),
            mass_props=MassPropertiesCfg(mass=0.1),
            collision_props=CollisionBaseCfg(),
            physics_material=RigidBodyMaterialCfg(static_friction=1.0, dynamic_friction=1.0),
            visual_material=PreviewSurfaceCfg(diffuse_color=(0.85, 0.35, 0.1)),
        ),
        init_state=RigidObjectCfg.InitialStateCfg(pos=(0.5, 0.0, CUBE / 2)),
    )


def joint_positions(places: np.ndarray, height: float) -> np.ndarray:
    """Positions of the arm's joints with the fingertips so far above places, a row for each."""
    model = usdsim.load_model(usdsim.example_asset("arm7/arm7.xml"))
    data = usdsim.SceneData(model, batch=(len(places),))
    model.get_keyframe("ready").apply(data)
    offset = [0.0, 0.0, GRASP, 0.0, 0.0, 0.0, 1.0]
    solver = InverseKinematics(model, model.get_link("hand"), offset=offset)
    target = np.tile([0.0, 0.0, height, *DOWN], (len(places), 1))
    target[:, :2] = places
    found = solver.solve(data, target)
    if not found.converged.all():
        raise SystemExit(f"{(~found.converged).sum()} places are out of reach")
    return found.dof_pos


def main(num_envs: int = 16) -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    start = np.stack([rng.uniform(0.4, 0.6, num_envs), rng.uniform(-0.25, -0.1, num_envs)], axis=1)
    goal = np.stack([rng.uniform(0.4, 0.6, num_envs), rng.uniform(0.1, 0.25, num_envs)], axis=1)
    low, high = CUBE / 2, 0.2
    way = [  # where, how high, how far open, and for how long [s]
        (start, high, OPEN, 2.0), (start, low, OPEN, 2.0), (start, low, CLOSED, 0.5),
        (start, high, CLOSED, 2.0), (goal, high, CLOSED, 2.5), (goal, low, CLOSED, 2.0),
        (goal, low, OPEN, 0.5), (goal, high, OPEN, 2.0),
    ]  # fmt: skip
    with SimulationContext(SimulationCfg(dt=0.005)) as sim:
        scene = InteractiveScene(SceneCfg(num_envs=num_envs, env_spacing=2.0))
        sim.reset()
        arm, cube, origins = scene["arm"], scene["cube"], scene.env_origins.numpy()
        pose = np.zeros((num_envs, 7))
        pose[:, :3], pose[:, 6] = origins, 1.0
        pose[:, :2] += start
        pose[:, 2] += CUBE / 2
        cube.write_root_pose_to_sim(pose)
        joints, fingers = arm.find_joints("joint.*")[0], arm.find_joints("finger_.*")[0]
        before = arm.data.joint_pos.numpy()[:, joints].copy()
        highest = np.zeros(num_envs)
        with sim.recorder(OUT / "pick_and_place.usd") as recorder:
            for places, height, grip, seconds in way:
                after = joint_positions(places, height)
                count = round(seconds / sim.physics_dt)
                for step in range(count):
                    # There in half of the time, and at rest for the other.
                    part = min(1.0, 2.0 * (step + 1) / count)
                    arm.set_joint_position_target(
                        before + part * (after - before), joint_ids=joints
                    )
                    arm.set_joint_position_target(grip, joint_ids=fingers)
                    arm.set_joint_effort_target(arm.data.gravity_compensation_forces)
                    scene.write_data_to_sim()
                    sim.step()
                    scene.update(sim.physics_dt)
                    recorder.record()
                before = after
                highest = np.maximum(highest, (cube.data.root_pos_w.numpy() - origins)[:, 2])
        away = np.linalg.norm((cube.data.root_pos_w.numpy() - origins)[:, :2] - goal, axis=1)
    print(f"{(highest > 0.15).sum()} of {num_envs} cubes were lifted")
    print(f"{(away < 0.02).sum()} of {num_envs} lie within 2 cm of their place")
    print(f"recorded {OUT / 'pick_and_place.usd'}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
