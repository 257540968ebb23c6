"""Shipped tasks: they run with random and with no actions, and end for the reasons they should."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import usdsim.envs.mdp as mdp  # noqa: E402
from usdsim._resources import resource_dir  # noqa: E402
from usdsim.core.errors import InvalidValueError, UnknownNameError  # noqa: E402
from usdsim.learning import load_policy  # noqa: E402
from usdsim.tasks import TASKS, find_task, make_env  # noqa: E402

pytestmark = pytest.mark.usefixtures("simulation_ends")


@pytest.mark.parametrize("name", TASKS)
def test_random_actions_keep_everything_finite(name):
    with make_env(name, num_envs=3, seed=0) as env:
        observations, _ = env.reset()
        shape = (3, *env.single_action_space.shape)
        assert observations["policy"].shape[1:] == env.single_observation_space["policy"].shape
        for step in range(15):
            actions = torch.zeros(shape) if step < 5 else env.streams.uniform(-1, 1, shape[1:])
            observations, reward, *_ = env.step(actions)
            assert bool(torch.isfinite(observations["policy"]).all())
            assert bool(torch.isfinite(reward).all())


def test_both_carts_are_the_same_task():
    runs = []
    for name in ("cartpole", "cartpole-direct"):
        with make_env(name, num_envs=4, seed=0) as env:
            env.reset()
            state = torch.tensor([[0.5, 0.2], [-1.0, 0.1], [0.0, 0.0], [2.1, 0.3]])
            env.scene["robot"].write_joint_state_to_sim(state, torch.zeros_like(state))
            rows = []
            for _ in range(20):
                observations, reward, terminated, *_ = env.step(torch.full((4, 1), 0.5))
                rows.append((observations["policy"].clone(), reward.clone(), terminated.clone()))
                if bool(terminated.any()):
                    break
        runs.append(rows)
    assert len(runs[0]) == len(runs[1]) > 1
    for managed, direct in zip(*runs, strict=True):
        running = ~managed[2]
        assert torch.equal(managed[2], direct[2])
        np.testing.assert_allclose(managed[0][running], direct[0][running], atol=1e-6)
        np.testing.assert_allclose(managed[1], direct[1], atol=1e-6)


def test_a_drone_without_actions_hovers_about_where_it_is():
    with make_env("drone-hover", num_envs=2, seed=0, events=None) as env:
        env.reset()
        height = env.scene["robot"].data.root_pos_w.numpy()[:, 2].copy()
        for _ in range(50):
            env.step(torch.zeros(2, 4))
        away = env.scene["robot"].data.root_pos_w.numpy()[:, 2] - height
        np.testing.assert_allclose(away, 0.0, atol=0.05)


@pytest.mark.parametrize(
    ("name", "steps", "away"),
    [
        ("drone-hover", 400, 0.1),
        ("arm-lift", 230, 0.06),
        ("arm-reach", 100, 0.04),
        ("cloth-pull", 145, 0.03),
    ],
)
def test_shipped_policies_hold_their_place(name, steps, away):
    task = find_task(name)
    policy = load_policy(resource_dir("assets") / task.policy)
    (distance,) = task.measures().values()
    with task.make(num_envs=8, seed=3) as env:
        seen, _ = env.reset()
        for _ in range(steps):
            seen, _, terminated, *_ = env.step(torch.as_tensor(policy(seen["policy"])))
            assert not terminated.any()
        assert float(distance(env).max()) < away


def test_the_shipped_policy_runs():
    task = find_task("ant")
    policy = load_policy(resource_dir("assets") / task.policy)
    (speed,) = task.measures().values()
    with task.make(num_envs=8, seed=3) as env:
        seen, _ = env.reset()
        for _ in range(100):
            seen, *_ = env.step(torch.as_tensor(policy(seen["policy"])))
        assert float(speed(env).median()) > 3.0


def test_the_shipped_policy_flies_from_point_to_point():
    task = find_task("drone-waypoint")
    policy = load_policy(resource_dir("assets") / task.policy)
    with task.make(num_envs=8, seed=3) as env:
        seen, _ = env.reset()
        goals = [env.command_manager.get_command("goal").clone()]
        for _ in range(300):
            seen, _, terminated, *_ = env.step(torch.as_tensor(policy(seen["policy"])))
            assert not terminated.any()
            goals.append(env.command_manager.get_command("goal").clone())
    changed = (torch.stack(goals).diff(dim=0) != 0.0).any(dim=2).sum(dim=0)
    assert changed.min() >= 2  # Time alone brings one new point in these 6 s.


def test_reaching_a_waypoint_earns_more_than_waiting_beside_it():
    with make_env("drone-waypoint", num_envs=2, seed=0, events=None) as env:
        env.reset()
        goals = env.command_manager.get_command("goal")[:, :3].clone()
        state = env.scene["robot"].data.default_root_state.torch.clone()
        state[:, :3] = goals
        state[1, 0] += 0.3
        env.scene["robot"].write_root_state_to_sim(state)
        _, reward, *_ = env.step(torch.zeros(2, 4))
        assert reward[0] > reward[1] + 4.0
        again = env.command_manager.get_command("goal")[:, :3]
        assert (again[0] != goals[0]).any() and (again[1] == goals[1]).all()


def test_a_quadruped_without_actions_stands():
    with make_env("quadruped-flat", num_envs=2, seed=0) as env:
        env.reset()
        for _ in range(50):
            *_, terminated, _, _ = env.step(torch.zeros(2, 12))
            assert not terminated.any()
        data = env.scene["robot"].data
        height = data.root_pos_w.numpy()[:, 2]
        assert height.min() > 0.25 and height.max() < 0.4
        assert float(data.projected_gravity_b[:, 2].max()) < -0.98


def without_actions(env, steps=60):
    env.reset()
    shape = (env.num_envs, *env.single_action_space.shape)
    for _ in range(steps):
        seen, _, terminated, *_ = env.step(torch.zeros(shape))
        assert not terminated.any()
    return seen["policy"]


def test_a_quadruped_without_actions_stands_on_its_piece_of_rough_ground():
    with make_env("quadruped-rough", num_envs=8, seed=0) as env:
        seen = without_actions(env)
        terrain = env.scene.terrain
        assert terrain.terrain_types.numpy().tolist() == list(range(8))
        assert terrain.terrain_levels.numpy().max() <= 1, "nobody has walked yet"
        above = env.scene["robot"].data.root_pos_w.numpy() - env.scene.env_origins.numpy()
        np.testing.assert_allclose(above[:, :2], 0.0, atol=0.35)
        assert above[:, 2].min() > 0.25 and above[:, 2].max() < 0.4
        scan = seen[:, -77:]
        level = [0, 1, 4, 5, 6, 7]  # All but rough ground have a platform about the start.
        assert float(scan[level].abs().max()) < 0.02
        assert float(scan.abs().max()) < 0.1


def test_rough_ground_gets_harder_for_those_who_walk_far():
    with make_env("quadruped-rough", num_envs=4, seed=0) as env:
        without_actions(env, 2)
        terrain, robot = env.scene.terrain, env.scene["robot"]
        before = terrain.terrain_levels.numpy().copy()
        pose = robot.data.root_pose_w.numpy().copy()
        pose[:2, 0] += 3.1
        robot.write_root_pose_to_sim(pose)
        env.command_manager.get_term("base_velocity").vel_command_b[:] = 0.6
        origins = env.scene.env_origins.numpy().copy()
        mean = mdp.terrain_levels_vel(env, torch.arange(4))
        after = terrain.terrain_levels.numpy()
        assert after.tolist() == [*(before[:2] + 1), *np.maximum(before[2:] - 1, 0)]
        assert float(mean) == after.mean()
        assert (np.abs(env.scene.env_origins.numpy() - origins).max(axis=1) > 0)[:2].all()


def test_an_ant_without_actions_stays_on_its_feet():
    with make_env("ant", num_envs=2, seed=0) as env:
        without_actions(env)
        speed = env.scene["robot"].data.root_lin_vel_w.numpy()
        from usdsim.tasks.ant import forward_speed

        np.testing.assert_array_equal(forward_speed(env).numpy(), speed[:, 0])


@pytest.mark.parametrize("name", ["arm-reach", "arm-lift"])
def test_an_arm_without_actions_keeps_its_pose(name):
    with make_env(name, num_envs=2, seed=0) as env:
        without_actions(env)
        data = env.scene["robot"].data
        away = (data.joint_pos.torch - data.default_joint_pos.torch).abs()
        assert float(away.max()) < 0.08  # Gravity against drives of 400 N m/rad.
        if name == "arm-lift":
            cube = env.scene["object"].data.root_pos_w.numpy()[:, 2]
            np.testing.assert_allclose(cube, 0.025, atol=1e-3)
            earned = env.reward_manager.get_active_iterable_terms(0)
            assert dict(earned)["lifted"] == [0.0]


# Joints of the arm with the hand pointing down above (0.5, 0), by height of the hand [m].
HAND_AT = {
    0.25: (0.0, 0.1591, 0.0, -2.3988, 0.0, 2.5579, 0.7854),
    0.112: (0.0, 0.5198, 0.0, -2.3475, 0.0, 2.8673, 0.7854),
    0.4: (0.0, -0.1061, 0.0, -2.2775, 0.0, 2.1714, 0.7854),
}


def test_a_cube_that_is_grasped_by_a_plan_is_lifted():
    """The physics of the task: fingers close at their tool centre and friction holds the cube."""
    from usdsim.tasks.arm import CUBE, FINGERS, LIFTED, TOOL

    with make_env("arm-lift", num_envs=2, seed=0) as env:
        env.reset()
        robot, cube = env.scene["robot"], env.scene["object"]
        pose = cube.data.root_pose_w.numpy().copy()
        pose[:, :2] = env.scene.env_origins.numpy()[:, :2] + (0.5, 0.0)
        pose[:, 3:] = (0.0, 0.0, 0.0, 1.0)
        cube.write_root_pose_to_sim(pose)
        first, wanted = robot.data.default_joint_pos.torch[0, :7], torch.zeros(2, 7)
        for height, grip, steps in ((0.25, 1, 40), (0.112, 1, 50), (0.112, -1, 25), (0.4, -1, 60)):
            if height == 0.4:
                tool = mdp.object_position_from_bodies(
                    env, FINGERS.replace(body_ids=[-2, -1]), TOOL
                )
                assert float(tool.norm(dim=1).max()) < 0.02
            goal = torch.tensor(HAND_AT[height])
            for _ in range(steps):
                wanted += 0.08 * (goal - robot.data.joint_pos.torch[:, :7])  # Against gravity.
                targets = (goal + wanted.clamp(-0.3, 0.3) - first) / 0.3
                _, reward, *_ = env.step(torch.cat([targets, torch.full((2, 1), grip)], dim=1))
        height = cube.data.root_pos_w.numpy()[:, 2]
        np.testing.assert_allclose(height, 0.4 - 0.112 + CUBE / 2, atol=0.03)
        assert height.min() > LIFTED and float(reward.min()) > 15.0 * env.step_dt
        gap = robot.data.joint_pos.numpy()[:, 7:].sum(axis=1) + 0.001
        np.testing.assert_allclose(gap, CUBE, atol=0.01)


def test_a_cube_counts_as_lifted_in_the_hand_alone():
    from usdsim.tasks.arm import CUBE, FINGERS, TOOL, cube_carried, cube_distance, cube_raised

    with make_env("arm-lift", num_envs=3, seed=0) as env:
        env.reset()
        fingers = FINGERS.replace(body_ids=[-2, -1])
        hand = env.scene["robot"].data.body_pos_w.torch[:, -2:].mean(dim=1)
        cube = env.scene["object"]
        place = cube.data.root_pos_w.torch - mdp.object_position_from_bodies(env, fingers, TOOL)
        assert float((place - hand).norm(dim=1).max()) < 0.06
        pose = cube.data.root_pose_w.torch.clone()
        pose[:, :3] = place + torch.tensor([[0.0, 0.0, 0.03], [0.05, 0.0, 0.0], [0.0, 0.0, 0.2]])
        cube.write_root_pose_to_sim(pose)
        assert float(pose[:, 2].min()) > 0.5 * CUBE + 0.06
        assert cube_raised(env, fingers, TOOL).tolist() == [1.0, 0.0, 0.0]
        near = 1.0 - torch.tanh(cube_distance(env) / 0.3)
        near[1:] = 0.0
        torch.testing.assert_close(cube_carried(env, 0.3, fingers, TOOL), near)


def test_a_cloth_without_actions_stays_where_it_is():
    with make_env("cloth-pull", num_envs=2, seed=0) as env:
        env.reset()
        before = env.scene["cloth"].data.nodal_pos_w.torch.clone()
        for _ in range(25):
            env.step(torch.zeros(2, 3))
        after = env.scene["cloth"].data.nodal_pos_w.torch
        np.testing.assert_allclose(after[..., :2], before[..., :2], atol=2e-3)
        assert float(after[..., 2].min()) > 0.0, "it lies on the ground"


def test_a_cloth_that_is_pulled_towards_its_goal_gets_there():
    from usdsim.tasks.cloth import EDGE, cloth_distance, goal_b

    with make_env("cloth-pull", num_envs=4, seed=0) as env:
        env.reset()
        first = cloth_distance(env).clone()
        held = env.scene["cloth"].data.nodal_pos_w.torch[:, list(EDGE)].clone()
        action = torch.cat([4.0 * goal_b(env), torch.zeros(4, 1)], dim=1)
        env.step(action)
        moved = env.scene["cloth"].data.nodal_pos_w.torch[:, list(EDGE)] - held
        speed = (0.5 * action).clamp(-0.5, 0.5) * env.step_dt
        np.testing.assert_allclose(moved[..., :2], speed[:, None, :2].expand(4, 4, 2), atol=1e-5)
        for _ in range(100):
            *_, reward, _, _, _ = env.step(torch.cat([4.0 * goal_b(env), torch.zeros(4, 1)], dim=1))
        assert float(cloth_distance(env).max()) < 0.02 < float(first.min())
        assert float(reward.min()) > 1.2 * env.step_dt


def test_holds_of_vertices_name_what_is_wrong():
    from usdsim.tasks.cloth import ClothPullEnvCfg

    cfg = ClothPullEnvCfg()
    cfg.actions.hold.vertices = (0, 16)
    with pytest.raises(
        InvalidValueError, match=r"vertices is \[0, 16\]; allowed: indices below 16"
    ):
        make_env("cloth-pull", num_envs=1, actions=cfg.actions)


def test_unknown_tasks_and_values():
    with pytest.raises(UnknownNameError, match=r"'cartpol'.*cartpole"):
        find_task("cartpol")
    with pytest.raises(UnknownNameError, match="'episode_length'"):
        make_env("cartpole", episode_length=3.0)
