"""Presets of configurations under the layer: alternatives that names and command lines choose."""

from __future__ import annotations

import argparse
import importlib
import sys

import pytest

torch = pytest.importorskip("torch")
gymnasium = pytest.importorskip("gymnasium")

from usdsim.compat.configclass import configclass  # noqa: E402
from usdsim.compat.settings import (  # noqa: E402
    NewtonCfg,
    NewtonWarpRendererCfg,
    PhysxCfg,
)
from usdsim.compat.tasks.presets import (  # noqa: E402
    PresetCfg,
    PresetSelection,
    PresetTarget,
    collect_presets,
    preset,
    resolve_cfg_presets,
    resolve_presets,
)
from usdsim.core.errors import InvalidValueError, UnknownNameError  # noqa: E402
from usdsim.envs.cfg import EnvCfg  # noqa: E402
from usdsim.sim import InteractiveSceneCfg  # noqa: E402


@configclass
class Engine(PresetCfg):
    default: PhysxCfg = PhysxCfg()
    physx: PhysxCfg = PhysxCfg()
    newton_mjwarp: NewtonCfg = NewtonCfg(substeps=preset(default=1, fine=4))


@configclass
class Lens:
    width: int = 64


@configclass
class Lenses(PresetCfg):
    default = None
    small: Lens = Lens(width=8)
    large: Lens = Lens(width=256)


PART = {
    "engine": Engine(),
    "lens": Lenses(),
    "gains": {"legs": preset(default=0.0, newton_mjwarp=0.01), "arms": 3.0},
    "kinds": [preset(default="rgb", depth="depth"), "last"],
}
Part = configclass(type("Part", (), PART))


@configclass
class Task:
    part = Part()
    sim: Lens = Lens()

    def validate_config(self):
        if self.sim.width < 1:
            raise ValueError("no width")


def resolved(*names):
    return resolve_presets(Task(), names)


def test_defaults_take_the_place_of_all_presets():
    part = resolved().part
    assert type(part.engine) is PhysxCfg
    assert (part.lens, part.gains, part.kinds) == (
        None,
        {"legs": 0.0, "arms": 3.0},
        ["rgb", "last"],
    )


def test_a_chosen_name_is_taken_wherever_it_is_an_alternative():
    part = resolved("newton_mjwarp", "large", "depth").part
    assert type(part.engine) is NewtonCfg and part.engine.substeps == 1
    assert (part.lens.width, part.gains["legs"], part.kinds[0]) == (256, 0.01, "depth")
    assert resolved("newton_mjwarp", "fine").part.engine.substeps == 4


def test_objects_share_no_alternative():
    first, second = resolved("small"), resolved("small")
    first.part.lens.width = 1
    assert second.part.lens.width == 8


def test_presets_of_a_place_go_before_those_of_everywhere():
    selection = PresetSelection(["large"], {"env.part.lens": "small", "env.sim.width": "7"})
    assert selection.apply(Task(), "env").part.lens.width == 8
    assert selection.used == {"env.part.lens"}
    with pytest.raises(UnknownNameError, match=r"huge.*env\.part\.lens.*small, large"):
        PresetSelection((), {"env.part.lens": "huge"}).apply(Task(), "env")


def test_names_that_choose_different_alternatives_of_one_place_are_refused():
    with pytest.raises(InvalidValueError, match=r"part\.lens.*small.*large"):
        resolved("small", "large")
    assert resolve_presets(preset(default=1, some=2, other=2), ["some", "other"]) == 2


def test_presets_need_a_default():
    with pytest.raises(ValueError, match="default"):
        preset(a=1)
    lone = configclass(type("Lone", (PresetCfg,), {"only": 2}))
    assert resolve_presets(lone(), ["only"]) == 2
    with pytest.raises(UnknownNameError, match="default"):
        resolve_presets(lone())


def test_names_of_earlier_releases_are_what_they_are_now():
    with pytest.warns(FutureWarning, match="newton_mjwarp"):
        assert type(resolved("newton").part.engine) is NewtonCfg
    with pytest.warns(FutureWarning, match="newton_mjwarp"):
        assert type(Engine().newton) is NewtonCfg
    assert not hasattr(Engine(), "kamino") and preset(default=1, newton=2).newton == 2


def test_alternatives_of_a_class_can_be_set_after_objects_were_made():
    late = configclass(type("Late", (PresetCfg,), {"default": 1, "other": 2}))
    made = late()
    late.default, late.third = 5, 3
    assert resolve_presets(made) == 5 and resolve_presets(late(), ["third"]) == 3


def test_presets_are_listed_by_path_with_those_within_alternatives():
    found = collect_presets(Task(), "env")
    assert found["env.part.lens"].keys() == {"default", "small", "large"}
    assert found["env.part.engine.substeps"] == {"default": 1, "fine": 4}
    assert found["env.part.kinds.0"] == {"default": "rgb", "depth": "depth"}


def test_presets_of_other_classes_become_their_defaults():
    """Packages of tasks that are installed bring a ``PresetCfg`` of their own."""
    base = configclass(type("PresetCfg", (), {"default": Lens(width=3)}))
    chosen = configclass(type("Chosen", (base,), {"newton": Lens()}))
    older = configclass(type("Older", (), {"presets": {"default": Lens(width=4)}}))
    task = configclass(type("Other", (), {"new": chosen(), "old": older(), "rest": 1}))
    nest = configclass(type("Nest", (), {"task": task()}))
    cfg = nest()
    assert resolve_cfg_presets(cfg) is cfg and cfg.task.rest == 1
    assert (cfg.task.new.width, cfg.task.old.width) == (3, 4)
    assert resolve_cfg_presets(5) == 5


def test_configurations_check_more_once_all_values_are_set():
    cfg = resolved()
    cfg.validate()
    cfg.sim.width = 0
    with pytest.raises(ValueError, match="no width"):
        cfg.validate()


def test_environments_check_more_once_all_values_are_set():
    class Checked(EnvCfg):
        def validate_config(self):
            if self.decimation > 4:
                raise ValueError("too slow")

    with pytest.raises(InvalidValueError, match="decimation"):
        Checked(scene=InteractiveSceneCfg(num_envs=1, env_spacing=1.0)).validate()
    Checked(decimation=4, scene=InteractiveSceneCfg(num_envs=1, env_spacing=1.0)).validate()
    with pytest.raises(ValueError, match="too slow"):
        Checked(decimation=5, scene=InteractiveSceneCfg(num_envs=1, env_spacing=1.0)).validate()


@pytest.fixture
def task(installed, monkeypatch):
    """Name of a registered task, and a function that sets the command line."""
    name = "Presets-v0"
    entries = {"env_cfg_entry_point": Task, "agent_cfg_entry_point": lambda: {"seed": 7}}
    gymnasium.register(name, entry_point="usdsim.envs:ManagerBasedRLEnv", kwargs=entries)
    yield name, lambda *given: monkeypatch.setattr(sys, "argv", ["train.py", *given])
    gymnasium.registry.pop(name)


def test_the_command_line_chooses_presets_and_changes_values(task):
    utils = importlib.import_module("isaaclab_tasks.utils")
    name, line = task
    line("--headless", "physics=newton_mjwarp", "presets=fine,depth", "env.part.lens=small")
    env, agent = utils.resolve_task_config(name, "agent_cfg_entry_point")
    assert (env.part.engine.substeps, env.part.kinds[0], env.part.lens.width) == (4, "depth", 8)
    assert agent == {"seed": 7}
    line("presets=large", "env.part.lens.width=5", "agent.seed=3", "--agent=x")
    env, agent = utils.resolve_task_config(name, "agent_cfg_entry_point")
    assert (env.part.lens.width, agent["seed"]) == (5, 3)

    @utils.hydra_task_config(name, None)
    def main(env_cfg, agent_cfg, more):
        return env_cfg.part.lens.width, agent_cfg, more

    assert main(2) == (5, None, 2)


@pytest.mark.parametrize(
    ("argument", "known"),
    [
        ("presets=nowhere", "depth"),
        ("physics=large", "newton_mjwarp"),
        ("renderer=newton_mjwarp", "none"),
        ("env.part.engine=large", "physx"),
    ],
)
def test_presets_that_are_none_or_of_another_kind_are_refused(task, argument, known):
    utils = importlib.import_module("isaaclab_tasks.utils")
    name, line = task
    line(argument)
    with pytest.raises(UnknownNameError, match=known):
        utils.resolve_task_config(name, None)


def test_a_preset_within_an_alternative_that_is_not_taken_has_no_say(task):
    utils = importlib.import_module("isaaclab_tasks.utils")
    name, line = task
    line("presets=fine")
    assert type(utils.resolve_task_config(name, None)[0].part.engine) is PhysxCfg


def test_help_names_the_presets_of_a_task(task, capsys):
    cli = importlib.import_module("isaaclab_tasks.utils.preset_cli")
    name, _ = task
    names = cli.enumerate_task_presets(name)
    assert names[PresetTarget.PHYSICS] == ["newton_mjwarp", "physx"]
    assert names[PresetTarget.RENDERER] == []
    assert {"large", "small", "depth", "fine"} <= {*names[PresetTarget.DOMAIN]}
    assert cli.enumerate_task_presets("No-Such-v0") is None
    parser = argparse.ArgumentParser()
    parser.add_argument("--task")
    args, rest = cli.setup_preset_cli(parser, ["--task", name, "presets=small", "--other"])
    assert (args.task, rest) == (name, ["presets=small", "--other"])
    with pytest.raises(SystemExit):
        cli.setup_preset_cli(parser, ["--task", name, "--help"])
    assert "newton_mjwarp" in capsys.readouterr().out


def test_tasks_run_on_the_device_of_the_launch(installed, monkeypatch):
    utils = importlib.import_module("isaaclab_tasks.utils")
    parser = argparse.ArgumentParser()
    utils.add_launcher_args(parser)
    env = argparse.Namespace(sim=argparse.Namespace(device="?"))
    with utils.launch_simulation(env, parser.parse_args(["--device", "cuda:0"])):
        assert env.sim.device == "cuda:0"
    monkeypatch.setenv("LOCAL_RANK", "1")
    with utils.launch_simulation(env, {"distributed": True, "device": "cuda"}):
        assert env.sim.device == "cuda:1"
    with utils.launch_simulation(env):
        assert env.sim.device == "cuda:1"


def test_renderers_of_a_camera_are_a_preset(installed):
    presets = importlib.import_module("isaaclab_tasks.utils.presets")
    cfg = presets.MultiBackendRendererCfg()
    assert type(resolve_presets(cfg, ["newton_renderer"])) is NewtonWarpRendererCfg
    assert resolve_presets(cfg).renderer_type == "isaac_rtx"
