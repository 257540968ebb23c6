"""Tasks by import path: configurations, classes of environments, and functions that make one."""

from __future__ import annotations

import json
import sys

import pytest

pytest.importorskip("torch")

from usdsim.cli.main import main
from usdsim.core.errors import InvalidValueError
from usdsim.tasks import OwnTask, find_task, make_env
from usdsim.tasks.agents import PpoCfg
from usdsim.tasks.cartpole import CartpoleEnvCfg
from usdsim.tasks.cartpole_direct import CartpoleDirectEnvCfg, CartpoleEnv

AGENT = PpoCfg(hidden_dims=(8,), iterations=2, num_steps_per_env=4)
HERE = __name__


class ShortPoleCfg(CartpoleEnvCfg):
    """A pole that has little time."""

    episode_length_s = 0.2


def pole(num_envs: int, **others):
    return make_env("cartpole", num_envs=num_envs, episode_length_s=0.3, **others)


class ShortDirectCfg(CartpoleDirectEnvCfg):
    episode_length_s = 0.4


class DirectPole(CartpoleEnv):
    cfg: ShortDirectCfg


class BuiltPole(CartpoleEnv):
    def __init__(self, cfg: ShortDirectCfg, render_mode: str | None = None):
        super().__init__(cfg, render_mode)


class Nothing:
    pass


NUMBER = 3


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        (f"{HERE}:ShortPoleCfg", 10),
        (f"{HERE}:pole", 15),
        (f"{HERE}:DirectPole", 20),
        (f"{HERE}:BuiltPole", 20),
    ],
)
def test_environments_are_made_of_what_a_path_names(name, steps):
    with make_env(name, num_envs=3, seed=1) as env:
        observed, _ = env.reset()
        assert observed["policy"].shape == (3, 4)
        assert (env.cfg.seed, env.max_episode_length) == (1, steps)


def test_agents_are_those_of_the_module():
    task = find_task(f"{HERE}:ShortPoleCfg")
    assert isinstance(task, OwnTask)
    assert task.summary == "A pole that has little time."
    assert task.agent_cfg().iterations == 2
    assert task.agent_cfg() is not AGENT
    assert find_task("usdsim.core.functions:find_function").agent_cfg().to_dict() == (
        PpoCfg().to_dict()
    )
    assert task.measures() == {}
    assert task.env_cfg(device="cpu").sim.device == "cpu"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (f"{HERE}:Nothing", "a class of environments with an annotation cfg"),
        (f"{HERE}:NUMBER", "the path of a function"),
        (f"{HERE}:Missing", "cannot be imported"),
        ("no_such_module:Cfg", "No module named 'no_such_module'"),
    ],
)
def test_what_is_no_task_is_refused(name, words):
    with pytest.raises(InvalidValueError, match=words):
        make_env(name, num_envs=1)


def test_functions_have_no_configuration():
    with pytest.raises(InvalidValueError, match="a configuration or a class"):
        find_task(f"{HERE}:pole").env_cfg()


def test_commands_take_modules_of_the_working_folder(tmp_path, monkeypatch, capsys):
    pytest.importorskip("rsl_rl")
    text = (
        "from usdsim.tasks.agents import PpoCfg\n"
        "from usdsim.tasks.cartpole import CartpoleEnvCfg\n"
        "AGENT = PpoCfg(hidden_dims=(8,), iterations=1, num_steps_per_env=4)\n"
        "class TinyPoleCfg(CartpoleEnvCfg):\n"
        "    episode_length_s = 0.2\n"
    )
    (tmp_path / "tiny_pole.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert main(["train", "tiny_pole:TinyPoleCfg", "--envs", "4", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    policy = tmp_path / "out/train/tiny_pole.TinyPoleCfg/policy.npz"
    assert policy.exists()
    assert result["evaluation"]["episodes"] == 4
    arguments = ["play", "tiny_pole:TinyPoleCfg", "--envs", "2", "--policy", str(policy), "--json"]
    assert main(arguments) == 0
    assert json.loads(capsys.readouterr().out)["mean_length"] == 10.0
