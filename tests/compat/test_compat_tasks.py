"""Tasks of packages under the layer: registrations, configurations, checkpoints, private names."""

from __future__ import annotations

import importlib
import sys
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
gymnasium = pytest.importorskip("gymnasium")

from usdsim.core.errors import UnknownNameError  # noqa: E402

PACKAGE = {
    "__init__.py": "",
    "reach/__init__.py": """
import gymnasium
gymnasium.register(
    "Own-Reach-v0",
    entry_point="usdsim.envs:ManagerBasedRLEnv",
    kwargs={
        "env_cfg_entry_point": f"{__name__}.cfg:EnvCfg",
        "agent_cfg_entry_point": f"{__name__}:agent.yaml",
    },
)
""",
    "reach/cfg.py": """
from types import SimpleNamespace
class EnvCfg:
    def __init__(self):
        self.sim, self.scene = SimpleNamespace(device="?", dt=0.1), SimpleNamespace(num_envs=1)
""",
    "reach/agent.yaml": "seed: 7\nnet: {layers: [32, 16]}\n",
    "mdp/__init__.py": "raise RuntimeError('left out')",
    "reach/play.py": "raise RuntimeError('no package')",
}


@pytest.fixture
def package(installed, tmp_path, monkeypatch):
    """A package with one task, and one that is not to be imported."""
    for name, text in PACKAGE.items():
        path = tmp_path / "own_tasks" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    utils = importlib.import_module("isaaclab_tasks.utils")
    utils.import_packages("own_tasks", ["mdp"])
    yield utils
    gymnasium.registry.pop("Own-Reach-v0")
    for name in [name for name in sys.modules if name.startswith("own_tasks")]:
        del sys.modules[name]


def test_tasks_of_a_package_are_registered_and_configured(package):
    cfg = package.parse_env_cfg("Own-Reach-v0", device="cpu", num_envs=5)
    assert (cfg.sim.device, cfg.sim.dt, cfg.scene.num_envs) == ("cpu", 0.1, 5)
    former = [
        package.parse_env_cfg("Own-Reach-v0", use_gpu=gpu).sim.device for gpu in (True, False)
    ]
    assert former == ["cuda:0", "cpu"]
    agent = package.load_cfg_from_registry("lab:Own-Reach-v0", "agent_cfg_entry_point")
    assert agent == {"seed": 7, "net": {"layers": [32, 16]}}
    with pytest.raises(UnknownNameError, match="agent_cfg_entry_point"):
        package.load_cfg_from_registry("Own-Reach-v0", "skrl_cfg_entry_point")


def test_arguments_change_the_configurations_of_a_task(package, monkeypatch):
    hydra = importlib.import_module("isaaclab_tasks.utils.hydra")
    monkeypatch.setattr(sys, "argv", ["train.py", "--headless", "env.sim.dt=0.02", "agent.seed=3"])

    @hydra.hydra_task_config("Own-Reach-v0", "agent_cfg_entry_point")
    def main(env_cfg, agent_cfg):
        return env_cfg.sim.dt, agent_cfg["seed"], agent_cfg["net"]["layers"]

    assert main() == (0.02, 3, [32, 16])


def test_terms_of_tasks_are_those_of_the_library(installed):
    """Where the tasks are not installed, as packages of one's own build on them."""
    velocity = importlib.import_module("isaaclab_tasks.manager_based.locomotion.velocity.mdp")
    library = importlib.import_module("usdsim.envs.mdp")
    for name in ("feet_air_time_positive_biped", "terrain_levels_vel", "UniformVelocityCommandCfg"):
        assert getattr(velocity, name) is getattr(library, name)
    with pytest.raises(ImportError):
        importlib.import_module("isaaclab_tasks.manager_based.locomotion.tracking")


def test_the_last_checkpoint_of_the_last_run(package, tmp_path):
    """Numbers in names count as numbers: `model_900` comes before `model_1000`."""
    for run in ("2026-01-01", "2026-02-01", "other"):
        for step in (50, 900, 1000):
            path = tmp_path / "logs" / run / "nn" / f"model_{step}.pt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    found = package.get_checkpoint_path(str(tmp_path / "logs"), "2026.*", "model_.*", ["nn"])
    assert found == str(tmp_path / "logs" / "2026-02-01" / "nn" / "model_1000.pt")
    with pytest.raises(ValueError, match="No checkpoint"):
        package.get_checkpoint_path(str(tmp_path / "logs"), ".*", "agent_.*", ["nn"])
    with pytest.raises(ValueError, match="No run"):
        package.get_checkpoint_path(str(tmp_path / "logs"), "1999.*")


def test_objects_are_written_and_read(installed, tmp_path):
    io = importlib.import_module("isaaclab.utils.io")
    io.dump_pickle(str(tmp_path / "params" / "env"), {"a": (1, 2)})
    assert io.load_pickle(str(tmp_path / "params" / "env.pkl")) == {"a": (1, 2)}


def test_descriptors_leave_terms_as_they_are(installed):
    io = importlib.import_module("isaaclab.envs.utils.io_descriptors")

    @io.generic_io_descriptor(units="m", on_inspect=[io.record_shape])
    def place(env):
        return 3

    assert place(None) == 3 == io.generic_io_descriptor(place)(None)


def test_environments_describe_what_policies_read_and_write(installed, tmp_path):
    io = importlib.import_module("isaaclab.envs.utils.io_descriptors")
    envs, mdp = (importlib.import_module(f"isaaclab.{name}") for name in ("envs", "envs.mdp"))
    managers = importlib.import_module("isaaclab.managers")
    robot = importlib.import_module("isaaclab_assets").CARTPOLE_CFG
    scene = importlib.import_module("isaaclab.scene").InteractiveSceneCfg

    @io.generic_io_descriptor(units="m", axes=["Z"], on_inspect=io.record_shape)
    def level(env):
        """Height."""
        return torch.ones(env.num_envs, 1)

    class Scene(scene):
        cart = robot.replace(prim_path="{ENV_REGEX_NS}/Robot")

    class Actions:
        push = mdp.JointEffortActionCfg(asset_name="cart", joint_names=["slider.*"], scale=5.0)

    class Observations:
        class Policy(managers.ObservationGroupCfg):
            pole = managers.ObservationTermCfg(
                func=mdp.joint_pos_rel,
                params={"asset_cfg": managers.SceneEntityCfg("cart", joint_names=["cart_to_pole"])},
                scale=2.0,
            )
            height = managers.ObservationTermCfg(func=level)

        policy = Policy()

    cfg = envs.ManagerBasedEnvCfg(
        scene=Scene(2, 4.0), actions=Actions(), observations=Observations(), decimation=2
    )
    cfg.export_io_descriptors, cfg.log_dir = True, str(tmp_path)
    env = envs.ManagerBasedEnv(cfg)
    try:
        told = env.get_IO_descriptors
    finally:
        env.close()
    pole, own = told["observations"]["policy"]
    assert (pole["joint_names"], pole["joint_pos_offsets"]) == (["cart_to_pole"], [0.0])
    assert (pole["shape"], pole["overloads"]["scale"]) == ([1], 2.0)
    assert (own["name"], own["extras"]["units"], own["extras"]["axes"]) == ("level", "m", ["Z"])
    assert own["extras"]["description"] == "Height."
    push = told["actions"][0]
    assert (push["name"], push["joint_names"], push["scale"]) == (
        *("joint_effort_action", ["slider_to_cart"], 5.0),
    )
    assert told["articulations"]["cart"]["joint_names"] == ["slider_to_cart", "cart_to_pole"]
    assert told["scene"]["dt"] == pytest.approx(2.0 * told["scene"]["physics_dt"])
    file = tmp_path / "io_descriptors" / "IO_descriptors.yaml"
    assert importlib.import_module("yaml").safe_load(file.read_text()) == told


def test_configurations_of_terms_act_while_the_environment_runs(installed):
    """A manager has a copy of its configuration, with the terms that it works on."""
    managers = importlib.import_module("isaaclab.managers")
    utils = importlib.import_module("isaaclab.utils")
    env = SimpleNamespace(num_envs=2, device="cpu", max_episode_length_s=1.0)

    class Twice(managers.ManagerTermBase):
        def __call__(self, env):
            return 2.0 * torch.ones(2)

    class Rewards:
        pass

    cfg = Rewards()
    cfg.up = managers.RewardTermCfg(func=Twice, weight=3.0)
    manager = managers.RewardManager(cfg, env)
    assert manager.get_term_cfg("up") is manager.cfg.up
    manager.cfg.up.weight, cfg.up.weight = 5.0, 7.0
    assert manager.compute(1.0).tolist() == [10.0, 10.0]
    assert manager.cfg.up.func.__name__.endswith("Twice")
    assert utils.class_to_dict(manager.cfg.up)["func"].endswith("Twice")
    # What was given can be used again, and written to a file.
    assert cfg.up.func is Twice
    events = SimpleNamespace(
        early=managers.EventTermCfg(func=print, mode="prestartup"),
        late=managers.EventTermCfg(func=print, mode="reset"),
    )
    manager = managers.EventManager({"late": events.late}, env)
    manager.keep(events)
    assert manager.cfg.late is manager.get_term_cfg("late") is not events.late
    assert manager.cfg.early.mode == "prestartup"


def test_configurations_have_the_attributes_that_only_windows_and_renderers_read(installed):
    mdp = importlib.import_module("isaaclab.envs.mdp")
    envs = importlib.import_module("isaaclab.envs")
    ranges = mdp.UniformVelocityCommandCfg.Ranges((0, 1), (0, 1), (0, 1))
    command = mdp.UniformVelocityCommandCfg(
        asset_name="robot",
        resampling_time_range=(1.0, 1.0),
        ranges=ranges,
        current_vel_visualizer_cfg=None,
    )
    command.goal_vel_visualizer_cfg.markers["arrow"].scale = (0.5, 0.5, 0.5)
    assert command.copy().goal_vel_visualizer_cfg.markers["arrow"].scale == (0.5, 0.5, 0.5)
    cfg = envs.ManagerBasedRLEnvCfg(wait_for_textures=False, num_rerenders_on_reset=2)
    assert (cfg.rerender_on_reset, cfg.wait_for_textures, cfg.log_dir) == (False, False, None)


def test_settings_of_renderers_are_none_of_engines(installed):
    """Arguments of programs choose among both by these classes."""
    physics = importlib.import_module("isaaclab.physics").PhysicsCfg
    renderer = importlib.import_module("isaaclab.renderers.renderer_cfg").RendererCfg
    warp = importlib.import_module("isaaclab_newton.renderers").NewtonWarpRendererCfg
    other = importlib.import_module("isaaclab_ov.renderers").OVRTXRendererCfg
    solver = importlib.import_module("isaaclab_newton.physics").MJWarpSolverCfg
    for kind in (warp, other):
        assert issubclass(kind, renderer) and not issubclass(kind, physics)
    assert issubclass(solver, physics) and not issubclass(solver, renderer)
    assert warp().renderer_type == "newton_warp"


def test_spaces_have_their_former_names_too(installed):
    envs = importlib.import_module("isaaclab.envs")

    class Cfg(envs.DirectRLEnvCfg):
        num_actions = 2
        num_observations = 3
        scene = importlib.import_module("isaaclab.scene").InteractiveSceneCfg(2, 1.0)
        episode_length_s = 1.0
        decimation = 1

    env = envs.DirectRLEnv(Cfg())
    try:
        assert env.single_action_space.shape == (2,)
        assert env.single_observation_space["policy"].shape == (3,)
    finally:
        env.close()


def test_private_names_of_managers_tell_what_public_ones_do(installed):
    managers = importlib.import_module("isaaclab.managers")
    env = SimpleNamespace(num_envs=2, device="cpu", max_episode_length_s=1.0)
    up = managers.RewardTermCfg(func=lambda env: torch.ones(2), weight=3.0)
    rewards = managers.RewardManager({"up": up}, env)
    rewards.compute(0.5)
    assert rewards._episode_sums["up"].tolist() == [1.5, 1.5]
    assert rewards._term_names == ["up"] and rewards._term_cfgs[0].weight == 3.0
    rewards._episode_sums["up"][0] = 0.0
    assert rewards.episode_sums["up"].tolist() == [0.0, 1.5]
    over = managers.TerminationTermCfg(func=lambda env: torch.tensor([True, False]))
    ends = managers.TerminationManager({"over": over}, env)
    ends.compute()
    column = ends._term_name_to_term_idx["over"]
    assert ends._term_dones[:, column].tolist() == [True, False]
    assert ends._last_episode_dones[:, column].tolist() == [True, False]


def test_actuators_of_programs_have_limits_and_names_of_their_own(installed):
    """A servo that keeps the velocity under a private name, and limits efforts by it."""
    actuators = importlib.import_module("isaaclab.actuators")

    class Servo(actuators.IdealPDActuator):
        def __init__(self, cfg, *args, **kwargs):
            super().__init__(cfg, *args, **kwargs)
            self._joint_vel = torch.zeros_like(self.computed_effort)
            self._largest = self._parse_joint_parameter({"left": 2.0}, 9.0)

        def compute(self, control_action, joint_pos, joint_vel):
            self._joint_vel[:] = joint_vel
            control_action = super().compute(control_action, joint_pos, joint_vel)
            self.applied_effort -= 0.5 * self._joint_vel
            control_action.joint_efforts = self.applied_effort
            return control_action

        def _clip_effort(self, effort):
            largest = torch.where(self._joint_vel.abs() > 1.0, 0.5, self._largest)
            return torch.clip(effort, -largest, largest)

    cfg = actuators.IdealPDActuatorCfg(
        class_type=Servo, joint_names_expr=[".*"], stiffness=10.0, damping=0.0
    )
    servo = Servo(cfg, ["left", "right"], slice(None), 1, "cpu")
    types = importlib.import_module("isaaclab.utils.types")
    for speed, expected in ((0.0, [2.0, 9.0]), (2.0, [-0.5, -0.5])):
        action = types.ArticulationActions(joint_positions=torch.ones(1, 2))
        made = servo.compute(action, torch.zeros(1, 2), torch.full((1, 2), speed))
        np.testing.assert_allclose(made.joint_efforts.numpy(), [expected])
        np.testing.assert_allclose(servo.computed_effort.numpy(), [[10.0, 10.0]])
