"""What programs for Isaac Lab use besides assets: configurations, timers, frames, wrenches."""

from __future__ import annotations

import dataclasses
import logging

import numpy as np
import pytest
import warp as wp

pytest.importorskip("torch")
import torch

from usdsim.actuators import MultiRotorActions
from usdsim.assets import AssetBaseCfg
from usdsim.compat.classes.accepted_attributes import complete_cfg
from usdsim.compat.cloner import ClonePlan, iter_clone_plan_matches, make_clone_plan, sequential
from usdsim.compat.configclass import checked_apply, configclass
from usdsim.compat.prims.frames import FrameView
from usdsim.compat.prims.terrain_meshes import create_prim_from_mesh
from usdsim.compat.prims.terrain_pieces import make_plane
from usdsim.compat.refusals import MissingValuesError, NoMatchError, UnknownFieldError
from usdsim.compat.tables import resolve_matching_names, update_class_from_dict
from usdsim.compat.thrusters import Thruster
from usdsim.compat.timer import Timer, TimerError
from usdsim.compat.tools.files import dump_yaml, load_yaml
from usdsim.compat.tools.logs import RateLimitFilter
from usdsim.compat.tools.wrenches import MockRigidObjectCollection, WrenchComposer
from usdsim.envs.managers import CommandTermCfg
from usdsim.math.rotations import quat_apply
from usdsim.sim import (
    InteractiveScene,
    InteractiveSceneCfg,
    SimulationCfg,
    build_simulation_context,
)
from usdsim.spawners import CuboidCfg, MultiAssetSpawnerCfg, SphereCfg
from usdsim.usd.stage import create_stage, use_stage


def twice(x):
    return 2 * x


@configclass
class Inner:
    gains = (1.0, dataclasses.MISSING)
    law = twice


@configclass
class Outer:
    inner: Inner = Inner()
    kind: str = "{DIR}.cloner:sequential"
    count: int = dataclasses.MISSING


def test_configclass_names_every_value_that_was_never_set():
    with pytest.raises(MissingValuesError, match=r"(?s)inner\.gains\[1\].*count"):
        Outer().validate()
    with pytest.raises(MissingValuesError, match="annotation"):
        configclass(type("Bad", (), {"gain": dataclasses.MISSING}))


def test_configclass_text_names_what_it_is_called_as():
    Outer.__module__ = "usdsim.compat.example"
    cfg = Outer(count=1)
    assert cfg.kind.resolved is sequential
    assert Outer(count=1) == cfg != Outer(count=2)


def test_configurations_that_take_their_attributes_themselves_name_callables_too():
    Term = configclass(type("Term", (CommandTermCfg,), {"class_type": "{DIR}.cloner:sequential"}))
    Term.__module__ = "usdsim.compat.example"
    assert Term(resampling_time_range=(1.0, 1.0)).class_type.resolved is sequential


def test_update_class_from_dict_goes_into_what_is_held():
    cfg = Outer(count=1)
    update_class_from_dict(cfg, {"inner": {"law": "operator:neg", "gains": (2.0, 3.0)}})
    assert (cfg.inner.law(4), cfg.inner.gains) == (-4, (2.0, 3.0))
    with pytest.raises(KeyError, match="gain"):
        update_class_from_dict(cfg, {"inner": {"gain": 1.0}})
    with pytest.raises(ValueError, match=r"Outer.count is 'one'; allowed: int, as 1"):
        update_class_from_dict(cfg, {"count": "one"})
    assert issubclass(UnknownFieldError, KeyError)


def test_checked_apply_changes_all_or_nothing():
    @dataclasses.dataclass
    class Target:
        inner: object = None
        kind: str = "before"

    target = Target()
    with pytest.raises(AttributeError, match="count"):
        checked_apply(Outer(count=1), target)
    assert target.kind == "before"


def test_yaml_keeps_what_was_never_set(tmp_path):
    cfg = Outer()
    dump_yaml(str(tmp_path / "cfg"), cfg)
    assert load_yaml(str(tmp_path / "cfg.yaml"))["count"] is dataclasses.MISSING


def test_no_match_is_a_value_error_too():
    with pytest.raises(ValueError, match="'c'"):
        resolve_matching_names(["a", "c"], ["a", "b"])
    assert resolve_matching_names("c", ["a"], raise_when_no_match=False) == ([], [])
    assert issubclass(NoMatchError, LookupError)


def test_timer_gathers_mean_and_deviation_under_a_name():
    Timer.reset()
    for _ in range(3):
        with Timer(name="work"):
            pass
    info = Timer.get_timer_statistics("work")
    assert info["n"] == 3 and info["mean"] > 0.0 and info["std"] >= 0.0
    assert Timer.get_timer_info("work") == info["last"]
    with pytest.raises(TimerError, match="rest"):
        Timer.get_timer_info("rest")


def test_warnings_pass_once_and_errors_always():
    sieve = RateLimitFilter(interval_seconds=60)
    warning, error = (
        logging.LogRecord("x", level, "f.py", 1, "said %d", (1,), None)
        for level in (logging.WARNING, logging.ERROR)
    )
    assert [sieve.filter(warning), sieve.filter(warning)] == [True, False]
    assert [sieve.filter(error), sieve.filter(error)] == [True, True]


def test_frame_view_places_children_in_world():
    with use_stage(create_stage()) as stage:
        for i in range(3):
            parent = stage.DefinePrim(f"/World/P_{i}", "Xform")
            create_prim_from_mesh(f"/World/P_{i}/Child", make_plane((2.0, 4.0), 0.5))
            assert parent
        parents, children = FrameView("/World/P_.*"), FrameView("/World/P_.*/Child")
        turn = [0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)]
        parents.set_world_poses(
            positions=[[i, 0.0, 1.0] for i in range(3)], orientations=[turn] * 3
        )
        children.set_local_poses(translations=[[1.0, 0.0, 0.0]] * 3)
        world, quats = children.get_world_poses()
        expected = np.array([[i, 1.0, 1.0] for i in range(3)])
        np.testing.assert_allclose(world.numpy(), expected, atol=1e-6)
        np.testing.assert_allclose(quats.numpy(), [turn] * 3, atol=1e-6)
        children.set_world_poses(positions=[[5.0, 5.0, 5.0]], indices=[1])
        np.testing.assert_allclose(children.get_world_poses([1])[0].numpy(), [[5.0] * 3], atol=1e-6)
        np.testing.assert_allclose(parents.get_world_poses()[0].numpy()[1], [1.0, 0.0, 1.0])
        parents.set_visibility([False], indices=[2])
        assert children.get_visibility().numpy().tolist() == [True, True, False]


def test_wrench_composer_of_poses_turns_forces_of_the_world():
    bodies = MockRigidObjectCollection(1, 2)
    quat = np.array([0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)])
    bodies.data.set_body_link_pose_w(np.array([[[0, 0, 0, *quat], [1, 0, 0, *quat]]], np.float32))
    composer = WrenchComposer(bodies)
    force, point = np.array([0.0, 3.0, 0.0]), np.array([2.0, 0.0, 0.0])
    composer.add_forces_and_torques_index(
        forces=[[force, force]], positions=[[point, point]], is_global=True
    )
    inverse = quat * [-1.0, -1.0, -1.0, 1.0]
    np.testing.assert_allclose(
        composer.out_force_b.torch[0, 1], quat_apply(inverse, force), atol=1e-6
    )
    np.testing.assert_allclose(composer.out_torque_b.torch[0, :, 2], [6.0, 3.0], atol=1e-6)


def test_thruster_takes_any_object_with_its_attributes():
    cfg = type("Cfg", (), {})()
    vars(cfg).update(
        dt=0.01, num_motors=2, thrust_range=(0.0, 10.0), thrust_const_range=(0.0, 0.0),
        tau_inc_range=(0.01, 0.02), tau_dec_range=(0.01, 0.02), max_thrust_rate=100.0,
        torque_to_thrust_ratio=0.0, use_discrete_approximation=True, integration_scheme="euler",
    )  # fmt: skip
    rotors = Thruster(cfg, ["a", "b"], slice(None), 3, "cpu", np.ones((3, 2)))
    action = rotors.compute(MultiRotorActions(torch.full((3, 2), 20.0), slice(None)))
    assert isinstance(rotors.curr_thrust.clone(), torch.Tensor)
    assert (wp.to_torch(action.thrusts) <= 10.0).all()


def test_clone_plans_match_the_nearest_copies():
    sources, paths, mask = make_clone_plan(
        [["/World/envs/env_0/A", "/World/envs/env_1/A"]], ["/World/envs/env_{}/A"], 4, sequential
    )
    plan = ClonePlan((*sources, "/World/envs/env_0"), (*paths, "/World/envs/env_{}"),
                     torch.cat([mask, torch.ones((1, 4), dtype=torch.bool)]))  # fmt: skip
    found = list(iter_clone_plan_matches(plan, "/World/envs/env_.*/A/Body"))
    assert [(entry[2], entry[3]) for entry in found] == [
        ("/World/envs/env_0/A/Body", (0, 2)),
        ("/World/envs/env_1/A/Body", (1, 3)),
    ]


def test_scenes_tell_which_environments_have_which_content(installed):
    several = [SphereCfg(radius=0.1), CuboidCfg(size=(0.1, 0.1, 0.1))]
    spawn = MultiAssetSpawnerCfg(assets_cfg=several, random_choice=False)
    cfg = InteractiveSceneCfg(num_envs=3, env_spacing=1.0)
    cfg.thing = AssetBaseCfg(prim_path="{ENV_REGEX_NS}/Thing", spawn=spawn)
    with build_simulation_context(SimulationCfg()) as simulation:
        assert simulation.get_clone_plan() is None
        scene = InteractiveScene(cfg)
        plan = simulation.get_clone_plan()
        found = list(iter_clone_plan_matches(plan, "/World/envs/env_.*/Thing"))
        assert [(source, environments) for _, _, source, environments in found] == [
            ("/World/envs/env_0/Thing", (0, 2)),
            ("/World/envs/env_1/Thing", (1,)),
        ]
        said = ClonePlan(("/World/envs/env_0",), ("/World/envs/env_{}",), plan.clone_mask[:1])
        simulation.set_clone_plan(said)
        assert scene.clone_plan is said
        simulation.set_clone_plan(None)
        assert len(scene.clone_plan.sources) == 2


def test_configurations_of_plainer_classes_get_the_defaults_of_episodes():
    from usdsim.envs import ManagerBasedEnvCfg, ManagerBasedRLEnvCfg

    cfg = ManagerBasedEnvCfg()
    cfg.rewards, cfg.is_finite_horizon = "own", True
    complete_cfg(cfg, ManagerBasedRLEnvCfg)
    assert (cfg.rewards, cfg.is_finite_horizon, cfg.autoreset) == ("own", True, "same_step")
    assert cfg.commands is None and not hasattr(cfg, "terminations")


def test_environments_take_the_default_of_what_a_configuration_lets_choose(installed):
    from usdsim.envs import SimulatedEnv

    class PresetCfg:
        default = 3
        other = 4

    @configclass
    class Cfg:
        count: int = PresetCfg()

        def validate(self):
            raise LookupError(self.count)

    with pytest.raises(LookupError, match="3"):
        SimulatedEnv(Cfg())
