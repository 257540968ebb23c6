"""Events: what they draw acts on the values of the first call, in the environments they are for."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from cart_env import NUM_ENVS, CartScene, cart_env  # noqa: E402

import usdsim.envs.mdp as mdp  # noqa: E402
from usdsim.assets import ArticulationCfg, AssetBaseCfg, RigidObjectCfg  # noqa: E402
from usdsim.converters import UrdfFileCfg  # noqa: E402
from usdsim.core.errors import (  # noqa: E402
    InvalidValueError,
    StageError,
    UnknownNameError,
    UnsupportedError,
)
from usdsim.envs.managers import EventManager, EventTermCfg, SceneEntityCfg  # noqa: E402
from usdsim.render import write_png  # noqa: E402
from usdsim.render.worlds.looks import world_looks  # noqa: E402
from usdsim.schemas import (  # noqa: E402
    CollisionBaseCfg,
    MassPropertiesCfg,
    RigidBodyBaseCfg,
)
from usdsim.sensors import CameraCfg  # noqa: E402
from usdsim.sim import SimulationCfg  # noqa: E402
from usdsim.spawners import CuboidCfg, PinholeCameraCfg  # noqa: E402

SOME = torch.tensor([1, 3])
MOMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
CART = SceneEntityCfg("robot", joint_names=["rail_to_cart"], body_names=["cart"])


def event(env, func, **params):
    return EventManager({"x": EventTermCfg(func=func, mode="own", params=params)}, env)


def test_masses_and_inertias_scale_together_and_do_not_drift(env):
    data = env.scene["robot"].data
    mass, inertia = data.body_mass.numpy().copy(), data.body_inertia.numpy().copy()
    manager = event(
        env, mdp.randomize_rigid_body_mass, asset_cfg=CART, operation="scale",
        mass_distribution_params=(2.0, 3.0),
    )  # fmt: skip
    for _ in range(3):
        manager.apply("own", env_ids=SOME)
    factor = data.body_mass.numpy() / mass
    assert (factor[[0, 2]] == 1.0).all() and (factor[:, 1] == 1.0).all()
    assert factor[[1, 3], 0].min() >= 2.0 and factor[[1, 3], 0].max() <= 3.0
    scaled = data.body_inertia.numpy()[:, 0, 0] / inertia[:, 0, 0]
    np.testing.assert_allclose(scaled, factor[:, 0], rtol=1e-4)


def test_events_act_on_what_those_before_them_made(env):
    """The inertia of a body that gained 0.5 and whose mass is doubled then is twice the sum."""
    data = env.scene["robot"].data
    before = data.body_inertia.numpy().copy()
    params = {"asset_cfg": CART, "inertia_distribution_params": (0.5, 0.5)}
    event(env, mdp.randomize_rigid_body_inertia, **params).apply("own")
    manager = event(
        env, mdp.randomize_rigid_body_mass, asset_cfg=CART, operation="scale",
        mass_distribution_params=(2.0, 2.0),
    )  # fmt: skip
    manager.apply("own")
    manager.apply("own")
    found = data.body_inertia.numpy()[:, 0, [0, 4, 8]]
    np.testing.assert_allclose(found, 2.0 * (before[:, 0, [0, 4, 8]] + 0.5), rtol=1e-4)


@pytest.mark.parametrize("operation", ["add", "scale", "abs"])
def test_inertias_change_on_the_diagonal_alone_unless_told_otherwise(env, operation):
    robot = env.scene["robot"]
    tensor = np.array([2.0, 0.1, 0.0, 0.1, 2.0, 0.2, 0.0, 0.2, 2.0], np.float32)
    robot.set_inertias(tensor, body_ids=[0])
    expected = {"add": tensor + 0.5, "scale": tensor * 0.5, "abs": np.full(9, 0.5)}[operation]
    params = {"asset_cfg": CART, "inertia_distribution_params": (0.5, 0.5), "operation": operation}
    event(env, mdp.randomize_rigid_body_inertia, **params).apply("own", env_ids=SOME)
    diagonal = np.array([0, 4, 8])
    wanted = tensor.copy()
    wanted[diagonal] = expected[diagonal]
    found = robot.data.body_inertia.numpy()[:, 0]
    np.testing.assert_allclose(found, [tensor, wanted, tensor, wanted], atol=1e-4)
    if operation == "scale":
        robot.set_inertias(tensor, body_ids=[0])
        params["diagonal_only"] = False
        event(env, mdp.randomize_rigid_body_inertia, **params).apply("own")
        np.testing.assert_allclose(robot.data.body_inertia.numpy()[:, 0], [expected] * 4, atol=1e-4)


def test_links_that_only_mark_a_place_have_no_inertia_to_scale(tmp_path):
    moments = " ".join(f'{name}="{int(name[1] == name[2])}"' for name in MOMENTS)
    inertial = f'<inertial><mass value="2"/><inertia {moments}/></inertial>'
    (tmp_path / "arm.urdf").write_text(
        f'<robot name="arm"><link name="base">{inertial}</link><link name="hand">{inertial}</link>'
        '<link name="tip"/><joint name="turn" type="continuous"><parent link="base"/>'
        '<child link="hand"/></joint><joint name="mark" type="fixed"><parent link="hand"/>'
        '<child link="tip"/></joint></robot>'
    )
    scene = CartScene(num_envs=NUM_ENVS, env_spacing=4.0)
    spawn = UrdfFileCfg(asset_path=str(tmp_path / "arm.urdf"), usd_dir=str(tmp_path))
    scene.arm = ArticulationCfg(prim_path="{ENV_REGEX_NS}/Arm", spawn=spawn)
    with cart_env(scene=scene) as env:
        arm = env.scene["arm"]
        event(
            env, mdp.randomize_rigid_body_mass, asset_cfg=SceneEntityCfg("arm", body_names=".*"),
            operation="scale", mass_distribution_params=(3.0, 3.0),
        ).apply("own")  # fmt: skip
        inertia = arm.data.body_inertia.numpy()[:, :, 0]
        expected = [0.0 if name == "tip" else 3.0 for name in arm.body_names]
        np.testing.assert_allclose(inertia, [expected] * NUM_ENVS, rtol=1e-5)


def test_centres_of_mass_are_shifted_from_the_start(env):
    data = env.scene["robot"].data
    start = data.body_com_pose_b.numpy().copy()
    ranges = {"x": (0.1, 0.1), "z": (-0.2, -0.2)}
    manager = event(env, mdp.randomize_rigid_body_com, asset_cfg=CART, com_range=ranges)
    manager.apply("own")
    manager.apply("own")
    shift = data.body_com_pose_b.numpy()[..., :3] - start[..., :3]
    np.testing.assert_allclose(shift[:, 0], [[0.1, 0.0, -0.2]] * 4, atol=1e-5)
    np.testing.assert_allclose(shift[:, 1], 0.0, atol=1e-5)
    with pytest.raises(UnknownNameError, match="'w'"):
        event(env, mdp.randomize_rigid_body_com, asset_cfg=CART, com_range={"w": (0, 0)}).apply(
            "own"
        )


def test_gravity_differs_between_environments(env):
    limits = ((0.0, 0.0, -5.0), (0.0, 0.0, -5.0))
    manager = event(
        env, mdp.randomize_physics_scene_gravity, gravity_distribution_params=limits,
        operation="abs",
    )  # fmt: skip
    manager.apply("own", env_ids=SOME)
    gravity = np.broadcast_to(env.sim.engine.param("opt.gravity"), (4, 3))
    np.testing.assert_allclose(gravity[:, 2], [-9.81, -5.0, -9.81, -5.0], rtol=1e-6)


def test_joint_parameters_and_gains(env):
    robot = env.scene["robot"]
    event(
        env, mdp.randomize_joint_parameters, asset_cfg=CART, operation="abs",
        armature_distribution_params=(0.5, 0.5), friction_distribution_params=(0.25, 0.25),
    ).apply("own", env_ids=SOME)  # fmt: skip
    armature = robot.data.joint_armature.numpy().copy()
    np.testing.assert_allclose(armature[:, 0], [0.0, 0.5, 0.0, 0.5], atol=1e-6)
    np.testing.assert_allclose(armature[:, 1], 0.0)
    friction = robot.data.joint_friction_coeff.numpy()
    np.testing.assert_allclose(friction[:, 0], [0.0, 0.25, 0.0, 0.25], atol=1e-6)
    with pytest.raises(InvalidValueError, match="limits of joint positions"):
        event(
            env, mdp.randomize_joint_parameters, asset_cfg=CART, operation="abs",
            lower_limit_distribution_params=(1.0, 1.0), upper_limit_distribution_params=(0.0, 0.5),
            armature_distribution_params=(0.75, 0.75),
        ).apply("own", env_ids=SOME)  # fmt: skip
    np.testing.assert_array_equal(robot.data.joint_armature.numpy(), armature)


def test_all_kinds_of_joint_friction_are_drawn(env):
    """Viscous friction too, and dynamic friction not above the static one."""
    data = env.scene["robot"].data
    event(
        env, mdp.randomize_joint_parameters, asset_cfg=CART, operation="abs",
        friction_distribution_params=(0.1, 0.9),
    ).apply("own", env_ids=SOME)  # fmt: skip
    static, dynamic, viscous = (
        getattr(data, f"joint_{kind}friction_coeff").numpy()[:, 0]
        for kind in ("", "dynamic_", "viscous_")
    )
    for values in (static, dynamic, viscous):
        assert (values[[0, 2]] == 0.0).all() and (values[[1, 3]] >= 0.1).all()
    assert (dynamic <= static).all()
    assert len({*static[[1, 3]], *viscous[[1, 3]]}) == 4


def test_roots_turn_about_their_own_axes(env):
    """Yaw, of a root that lies on its side, is about the axis that points to the side."""
    robot = env.scene["robot"]
    half = float(np.sqrt(0.5))
    robot.data.default_root_state.torch[:, 3:7] = torch.tensor([half, 0.0, 0.0, half])
    ranges = {"x": (0.5, 0.5), "yaw": (np.pi / 2, np.pi / 2)}
    event(env, mdp.reset_root_state_uniform, pose_range=ranges, velocity_range={}).apply("own")
    found = robot.data.root_link_pose_w.numpy()
    np.testing.assert_allclose(found[:, 3:], [[0.5, -0.5, 0.5, 0.5]] * 4, atol=1e-5)


def test_roots_on_patches_keep_their_default_offset_and_no_default_turn(env):
    robot, origin = env.scene["robot"], np.array([3.0, -2.0, 0.5])
    robot.write_joint_position_to_sim(np.zeros((NUM_ENVS, 2), np.float32))
    robot.data.default_root_state.torch[:] = torch.tensor([0.1, 0.2, 0.3, 1.0, *[0.0] * 9])
    env.scene.terrain = SimpleNamespace(
        flat_patches={"init_pos": torch.tensor(origin, dtype=torch.float32).reshape(1, 1, 1, 3)},
        terrain_levels=torch.zeros(NUM_ENVS, dtype=torch.int64),
        terrain_types=torch.zeros(NUM_ENVS, dtype=torch.int64),
    )
    event(env, mdp.reset_root_state_from_terrain, pose_range={}, velocity_range={}).apply("own")
    found = robot.data.root_link_pose_w.numpy()
    place = np.add(origin, [0.1, 0.2, 0.3])
    np.testing.assert_allclose(found[:, :3], [place] * 4, atol=1e-5)
    np.testing.assert_allclose(found[:, 3:], [[0.0, 0.0, 0.0, 1.0]] * 4, atol=1e-6)


def test_forces_within_nothing_leave_what_acts(env):
    robot = env.scene["robot"]
    robot.set_external_force_and_torque(torch.full((4, 1, 3), 2.0), torch.zeros(4, 1, 3), [0])
    event(
        env, mdp.apply_external_force_torque, asset_cfg=CART, force_range=(0.0, 0.0),
        torque_range=(0.0, 0.0),
    ).apply("own")  # fmt: skip
    force = robot.permanent_wrench_composer.composed_force.numpy()
    np.testing.assert_allclose(force[:, 0], 2.0)


def test_surfaces_are_those_of_the_bodies_alone():
    ranges = {f"{kind}_friction_range": (0.1, 0.2) for kind in ("static", "dynamic")}
    drawn = EventTermCfg(
        func=mdp.randomize_rigid_body_material,
        mode="startup",
        params={
            "asset_cfg": SceneEntityCfg("robot", body_names=["pole"]),
            "restitution_range": (0.0, 0.0),
            "num_buckets": 8,
            **ranges,
        },
    )
    with cart_env(events={"surfaces": drawn}) as env:
        robot = env.scene["robot"]
        layout, model = robot.root_view.layout, robot.root_view.engine.compiled.mj
        pole = layout.bodies[0][robot.body_names.index("pole")]
        own = model.geom_bodyid[layout.geoms[0]] == pole
        assert own.any() and not own.all()
        friction = robot.data.material_properties.numpy()[..., 1]
        assert (friction[:, own] <= 0.2).all() and (friction[:, ~own] > 0.2).all()


def test_states_of_joints_stay_within_limits_and_are_those_of_the_environments(env):
    data = env.scene["robot"].data
    before = data.joint_pos.numpy().copy()
    event(
        env, mdp.reset_joints_by_offset, asset_cfg=CART, position_range=(9.0, 9.0),
        velocity_range=(0.5, 0.5),
    ).apply("own", env_ids=SOME)  # fmt: skip
    position = data.joint_pos.numpy()
    np.testing.assert_allclose(position[[1, 3], 0], 2.4, atol=1e-5)
    np.testing.assert_array_equal(position[[0, 2]], before[[0, 2]])
    np.testing.assert_array_equal(position[:, 1], before[:, 1])
    np.testing.assert_allclose(data.joint_vel.numpy()[[1, 3], 0], 0.5)


def test_what_cannot_be_drawn_is_refused(env):
    def mass(limits, **more):
        return event(
            env, mdp.randomize_rigid_body_mass, asset_cfg=CART,
            mass_distribution_params=limits, **more,
        )  # fmt: skip

    with pytest.raises(InvalidValueError, match="smaller, larger"):
        mass((2.0, 1.0), operation="scale").apply("own")
    with pytest.raises(InvalidValueError, match="operation is 'times'"):
        mass((1.0, 2.0), operation="times").apply("own")
    with pytest.raises(InvalidValueError, match="numbers above 0"):
        mass((0.0, 2.0), operation="scale", distribution="log_uniform").apply("own")
    with pytest.raises(StageError, match="flat patches"):
        event(env, mdp.reset_root_state_from_terrain, pose_range={}, velocity_range={}).apply("own")


@pytest.fixture
def seen(tmp_path):
    """Carts with cameras beside them, and two textures."""
    files = []
    for name, colour in (("green", (0, 255, 0)), ("blue", (0, 0, 255))):
        files.append(write_png(tmp_path / f"{name}.png", np.full((2, 2, 3), colour, np.uint8)))
    scene = CartScene(num_envs=NUM_ENVS, env_spacing=6.0)
    scene.eye = CameraCfg(
        prim_path="{ENV_REGEX_NS}/eye", width=16, height=12, data_types=["rgb", "depth"],
        spawn=PinholeCameraCfg(clipping_range=(0.05, 50.0)),
        offset=CameraCfg.OffsetCfg(pos=(4, 0, 0), rot=(0, 0, 1, 0), convention="world"),
    )  # fmt: skip
    with cart_env(scene=scene) as env:
        yield env, files


def looks_of(env, files):
    """All that can be randomised about looks."""
    robot, eye = SceneEntityCfg("robot"), SceneEntityCfg("eye")
    own = {"r": (0.1, 1.0), "g": (0.1, 1.0), "b": (0.1, 1.0)}
    return EventManager(
        {
            name: EventTermCfg(func=getattr(mdp, f"randomize_{name}"), mode="own", params=params)
            for name, params in (
                ("visual_color", {"asset_cfg": robot, "colors": own}),
                ("visual_texture_material", {"asset_cfg": robot, "texture_paths": files}),
                ("light", {"elevation_range": (0.2, 1.5), "sun_range": own, "ambient_range": own,
                           "brightness_range": (0.5, 1.0)}),
                ("camera_pose", {"sensor_cfg": eye, "pose_range": {"z": (-0.5, 0.5)}}),
                ("camera_intrinsics", {"sensor_cfg": eye, "focal_range": (0.8, 1.2),
                                       "centre_range": (-1.0, 1.0)}),
            )
        },
        env,
    )  # fmt: skip


def test_looks_differ_between_environments_and_repeat_with_the_seed(seen):
    env, files = seen
    output = env.scene["eye"].data.output
    first = output["rgb"].numpy().copy()
    taken = []
    for _ in range(2):
        env.reset(seed=5)
        manager = looks_of(env, files)
        manager.apply("own")
        env.scene["eye"].reset()
        data = env.scene["eye"].data
        taken.append([data.output[kind].numpy().copy() for kind in ("rgb", "depth")])
        taken[-1].append(data.intrinsic_matrices.numpy().copy())
    for one, two in zip(*taken, strict=True):
        np.testing.assert_array_equal(one, two)
        assert len(np.unique(one.reshape(NUM_ENVS, -1), axis=0)) == NUM_ENVS
    assert (taken[0][0] != first).any()
    # Parts that are green or blue: textures multiply colours, so that red is gone.
    rgb, depth, _ = taken[0]
    near = np.isfinite(depth[..., 0])
    assert near.any() and not rgb[near][:, 0].any()
    manager.apply("own", env_ids=SOME)
    env.scene["eye"].reset()
    after = env.scene["eye"].data.output["rgb"].numpy()
    np.testing.assert_array_equal(after[[0, 2]], taken[0][0][[0, 2]])
    assert (after[[1, 3]] != taken[0][0][[1, 3]]).any()


def test_looks_that_cannot_be_are_refused(seen):
    env, _ = seen
    robot = SceneEntityCfg("robot")
    with pytest.raises(UnknownNameError, match="'robot'"):
        event(env, mdp.randomize_camera_pose, sensor_cfg=robot, pose_range={}).apply("own")
    with pytest.raises(InvalidValueError, match="texture_rotation"):
        event(
            env, mdp.randomize_visual_texture_material, asset_cfg=robot, texture_paths=["a.png"],
            texture_rotation=(0.0, 1.0),
        ).apply("own")  # fmt: skip
    with pytest.raises(InvalidValueError, match="nothing"):
        event(
            env, mdp.randomize_visual_color, asset_cfg=robot, colors=[(1, 0, 0)],
            mesh_name="nothing",
        ).apply("own")  # fmt: skip


def cube_scene(replicated: bool = False, where: str = "{ENV_REGEX_NS}") -> CartScene:
    class Scene(CartScene):
        cube = RigidObjectCfg(
            prim_path=f"{where}/Cube",
            spawn=CuboidCfg(
                size=(0.2, 0.2, 0.2), rigid_props=RigidBodyBaseCfg(),
                collision_props=CollisionBaseCfg(), mass_props=MassPropertiesCfg(density=1000.0),
            ),
            init_state=RigidObjectCfg.InitialStateCfg(pos=(0.0, 2.0, 1.0)),
        )  # fmt: skip

    return Scene(num_envs=NUM_ENVS, env_spacing=4.0, replicate_physics=replicated)


def scaling(name: str = "cube", mode: str = "prestartup", **ranges: tuple[float, float]):
    params = {"scale_range": ranges, "asset_cfg": SceneEntityCfg(name)}
    return {"size": EventTermCfg(func=mdp.randomize_rigid_body_scale, mode=mode, params=params)}


def test_rigid_bodies_have_another_size_and_a_colour_in_each_environment(closing):
    events = scaling(x=(0.5, 1.5), z=(2.0, 2.0))
    colour = {"colors": [(1.0, 0.0, 0.0)], "asset_cfg": SceneEntityCfg("cube")}
    events["colour"] = EventTermCfg(
        func=mdp.randomize_visual_color, mode="prestartup", params=colour
    )
    with cart_env(scene=cube_scene(), events=events) as env:
        assert world_looks(env.sim.stage, env.sim.engine).version == 1
        paths = [f"{path}/Cube" for path in env.scene.env_prim_paths]
        prims = [env.sim.stage.GetPrimAtPath(path) for path in paths]
        scales = np.array([prim.GetAttribute("xformOp:scale").Get() for prim in prims])
        assert len({*scales[:, 0]}) == NUM_ENVS and 0.5 <= scales[:, 0].min() <= 1.5
        np.testing.assert_array_equal(scales[:, 1:], [[1.0, 2.0]] * NUM_ENVS)
        mass = env.scene["cube"].data.body_mass.numpy()[:, 0]
        np.testing.assert_allclose(mass, 8.0 * scales.prod(axis=1), rtol=1e-4)


@pytest.mark.parametrize(
    ("scene", "events", "error", "message"),
    [
        (cube_scene(), scaling("robot"), UnsupportedError, "no rigid object"),
        (cube_scene(), scaling(x=(1.0, 0.5)), InvalidValueError, "in order"),
        (cube_scene(), scaling(mode="startup"), StageError, "prestartup"),
        (cube_scene(replicated=True), scaling(), UnsupportedError, "replicate_physics"),
        (cube_scene(where="/World"), scaling(), UnsupportedError, "outside the environments"),
    ],
)
def test_scales_that_cannot_be_are_refused(closing, scene, events, error, message):
    with pytest.raises(error, match=message):
        cart_env(scene=scene, events=events)


def test_surfaces_of_large_scenes_differ_where_an_event_says_so():
    """A box that slides over one of forty tiles is slowed by the friction that the event drew."""
    scene = CartScene(num_envs=NUM_ENVS, env_spacing=60.0)
    for i in range(40):
        tile = CuboidCfg(size=(4.0, 4.0, 0.2), collision_props=CollisionBaseCfg())
        place = AssetBaseCfg.InitialStateCfg(pos=(0.0, 4.0 * i, -2.1))
        setattr(scene, f"tile_{i}", AssetBaseCfg(
            prim_path=f"{{ENV_REGEX_NS}}/Tile_{i}", spawn=tile, init_state=place
        ))  # fmt: skip
    scene.box = RigidObjectCfg(
        prim_path="{ENV_REGEX_NS}/Box",
        spawn=CuboidCfg(
            size=(0.4, 0.4, 0.1),
            rigid_props=RigidBodyBaseCfg(),
            mass_props=MassPropertiesCfg(mass=1.0),
            collision_props=CollisionBaseCfg(),
        ),
        init_state=RigidObjectCfg.InitialStateCfg(pos=(0.0, 0.0, -1.95)),
    )
    drawn = EventTermCfg(
        func=mdp.randomize_rigid_body_material,
        mode="startup",
        params={
            "asset_cfg": SceneEntityCfg("box"),
            "static_friction_range": (0.1, 0.9),
            "dynamic_friction_range": (0.1, 0.9),
            "restitution_range": (0.0, 0.0),
            "num_buckets": 64,
            "make_consistent": True,
        },
    )
    with cart_env(scene=scene, events={"surfaces": drawn}, sim=SimulationCfg(dt=0.001)) as env:
        box = env.scene["box"]
        assert not scene.box.randomize_materials
        friction = box.data.material_properties.numpy()[:, 0, 1].astype(float)
        assert len({*friction}) == NUM_ENVS
        env.scene.simulate(100)  # it comes to rest
        start = np.zeros((NUM_ENVS, 6), np.float32)
        start[:, 0] = 0.5
        box.write_root_velocity_to_sim(start)
        steps, dt = 40, env.physics_dt
        env.scene.simulate(steps)
        speeds = box.data.root_lin_vel_w.numpy()[:, 0]
        np.testing.assert_array_equal(np.argsort(speeds), np.argsort(-friction))
        assert np.ptp(speeds) > 0.25 * np.ptp(friction) * 9.81 * steps * dt
