"""Import names of other eras, and programs written with them, run in a process of their own."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import usdsim.assets
import usdsim.schemas
import usdsim.sim
import usdsim.spawners
from usdsim.compat import __main__ as runner
from usdsim.compat import uninstall
from usdsim.scene import load_mjcf_str
from usdsim.scene.process import contact_counts, unknown_names, urdf_options

pytest.importorskip("torch")

PROGRAM = """
import argparse
from {root}.app import AppLauncher

parser = argparse.ArgumentParser()
AppLauncher.add_app_launcher_args(parser)
app = AppLauncher(parser.parse_args()).app

import torch
import {root}.sim as sim_utils
import {root}.utils.math as math_utils
from {root}.assets import AssetBaseCfg, RigidObjectCfg
from {root}.scene import InteractiveScene, InteractiveSceneCfg
from {root}.utils import configclass


@configclass
class SceneCfg(InteractiveSceneCfg):
    ground = AssetBaseCfg(prim_path="/World/ground", spawn=sim_utils.GroundPlaneCfg())
    ball: RigidObjectCfg = RigidObjectCfg(
        prim_path="{{ENV_REGEX_NS}}/Ball",
        spawn=sim_utils.SphereCfg(
            radius=0.1,
            rigid_props=sim_utils.RigidBodyPropertiesCfg(),
            mass_props=sim_utils.MassPropertiesCfg(mass=1.0),
            collision_props=sim_utils.CollisionPropertiesCfg(),
        ),
        init_state=RigidObjectCfg.InitialStateCfg(pos=(0.0, 0.0, 1.0)),
    )


sim = sim_utils.SimulationContext(sim_utils.SimulationCfg(dt=0.01, device="cpu"))
sim.set_camera_view([1.0, 1.0, 1.0], [0.0, 0.0, 0.0])
scene = InteractiveScene(SceneCfg(num_envs=2, env_spacing=2.0))
sim.reset()
ball, turns = scene["ball"], 0
pose = ball.data.default_root_pose.torch.clone()
pose[:, :3] += scene.env_origins
pose[:, 2] += torch.tensor([0.0, 1.0])
ball.write_root_pose_to_sim(pose)
while app.is_running():
    scene.write_data_to_sim()
    sim.step()
    scene.update(sim.get_physics_dt())
    turns += 1
print(turns, *(f"{{z:.4f}}" for z in ball.data.root_pos_w[:, 2].tolist()))
"""


def test_names_are_the_same_objects_in_all_eras(installed):
    for root in ("isaaclab", "omni.isaac.lab"):
        assets = importlib.import_module(f"{root}.assets")
        deeper = importlib.import_module(f"{root}.assets.articulation")
        assert assets.Articulation is deeper.Articulation is usdsim.assets.Articulation
        sim = importlib.import_module(f"{root}.sim")
        assert sim.SimulationContext is usdsim.sim.SimulationContext
        assert sim.CuboidCfg is usdsim.spawners.CuboidCfg
        utils = importlib.import_module(f"{root}.utils")
        importlib.import_module(f"{root}.utils.configclass")
        assert callable(utils.configclass)


def test_modules_are_not_those_that_what_is_here_imports(installed):
    """The mathematics of `isaaclab.utils` is not that of Python, which its modules use."""
    from usdsim.math.tensors import quat_mul

    for name in [name for name in sys.modules if name.startswith("isaaclab.utils")]:
        del sys.modules[name]
    utils = importlib.import_module("isaaclab.utils")
    assert utils.math.quat_mul is quat_mul
    for borrowed in ("logging", "re", "np", "wp"):
        assert not hasattr(utils, borrowed)


def test_what_is_not_there_is_an_import_error(installed):
    with pytest.raises(ImportError, match="NoSuchAsset"):
        exec("from isaaclab.assets import NoSuchAsset")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("isaaclab.no_such_module")
    uninstall()
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("isaaclab.assets")


def test_programs_for_motrixsim_get_what_they_expect(installed, monkeypatch):
    # Another test may have imported the simulator itself.
    for name in [name for name in sys.modules if name.partition(".")[0] == "motrixsim"]:
        monkeypatch.delitem(sys.modules, name)

    def expected():
        empty = load_mjcf_str("<mujoco/>").options.integrator
        return unknown_names(), contact_counts(), urdf_options("urdf"), empty

    before = ("raise", "each", {}, "euler")
    assert expected() == before
    importlib.import_module("motrixsim")
    urdf = {"free_root": True, "joint_motors": True}
    assert expected() == ("none", "once", urdf, "implicitfast")
    uninstall()
    assert expected() == before


def test_names_that_are_not_there_are_told_with_what_helps(installed, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "motrixsim"]:
        monkeypatch.delitem(sys.modules, name)
    there = importlib.import_module("motrixsim")
    page = (Path(__file__).parents[2] / "docs/howto/motrixsim_names.md").read_text()
    with pytest.raises(AttributeError, match="says what does the same") as found:
        _ = there.msd.GaussianCloudSpec
    title = str(found.value).split("'")[1]
    assert page.startswith(f"# {title}\n") and "`GaussianCloudSpec`" in page


@pytest.mark.parametrize("root", ["isaaclab", "isaaclab_physx", "motrixsim"])
def test_programs_run_here_where_the_simulator_is_installed_too(tmp_path: Path, root: str):
    package = tmp_path / root
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('the installed one')")
    script = tmp_path / "program.py"
    script.write_text(f"import {root}\nprint({root}.__spec__.loader.__module__)")
    command = [sys.executable, "-m", "usdsim.compat", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["usdsim.compat.importing"], done.stderr


@pytest.mark.parametrize("root", ["isaaclab", "omni.isaac.lab"])
def test_a_program_runs_as_it_is(tmp_path: Path, root: str):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM.format(root=root))
    command = [sys.executable, "-m", "usdsim.compat", str(script), "--frames", "20", "--headless"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    turns, *heights = done.stdout.split("\n")[-2].split()
    fallen = 9.81 * 0.01**2 * 20 * 21 / 2  # semi-implicit Euler
    assert turns == "20"
    assert [float(z) for z in heights] == pytest.approx([1.0 - fallen, 2.0 - fallen], abs=2e-4)


def test_a_module_runs_as_a_program(tmp_path: Path):
    package = tmp_path / "training"
    package.mkdir()
    (package / "run.py").write_text(
        "import sys, isaaclab\nprint(__name__, isaaclab.__spec__.loader.__module__, sys.argv[1:])"
    )
    command = [sys.executable, "-m", "usdsim.compat", "-m", "training.run", "--help"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["__main__", "usdsim.compat.importing", "['--help']"], done.stderr


def test_the_runner_ends_loops_of_programs_without_options(tmp_path: Path):
    (tmp_path / "run.py").write_text(
        "import sys\nfrom isaacsim import SimulationApp\napp, turns = SimulationApp({}), 0\n"
        "while app.is_running():\n    turns += 1\nprint(turns, sys.argv[1:])"
    )
    command = [sys.executable, "-m", "usdsim.compat", "--frames", "7", "run.py", "--fast"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "7 ['--fast']", done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        ([], 2, "usage: "),
        (["--help"], 0, "usage: "),
        (["-m"], 2, "no program '-m'"),
        (["absent.py"], 2, "no program 'absent.py'"),
        (["--frames"], 2, "number of turns"),
        (["--frames", "few", "absent.py"], 2, "number of turns"),
        (["--frames", "3"], 2, "usage: "),
    ],
)
def test_the_runner_says_how_it_is_used(arguments, code, told, capsys):
    assert runner.main(arguments) == code
    assert told in "".join(capsys.readouterr())


def test_names_of_the_newest_release_are_those_of_classes_that_are_here(installed):
    pairs = {
        "isaaclab.assets": {"BaseArticulation": "Articulation", "BaseRigidObject": "RigidObject"},
        "isaaclab.sensors": {"BasePva": "Pva", "MultiMeshRayCasterData": "RayCasterData"},
    }
    for module, names in pairs.items():
        found = importlib.import_module(module)
        for name, same in names.items():
            assert getattr(found, name) is getattr(found, same), name
    formerly = {
        "isaaclab.envs": {"RLTaskEnv": "ManagerBasedRLEnv", "BaseEnvCfg": "ManagerBasedEnvCfg"},
        "omni.isaac.lab.managers": {"RandomizationTermCfg": "EventTermCfg"},
        "omni.isaac.lab.utils.assets": {"ISAAC_ORBIT_NUCLEUS_DIR": "ISAACLAB_NUCLEUS_DIR"},
    }
    for module, names in formerly.items():
        found = importlib.import_module(module)
        for name, same in names.items():
            assert getattr(found, name) is getattr(found, same), name
    base = importlib.import_module("omni.isaac.lab.envs.base_env")
    assert base.BaseEnv is importlib.import_module("isaaclab.envs").ManagerBasedEnv
    # Environments with a step of their own ask whether one of the engine is one of the task.
    assert not importlib.import_module("isaaclab.envs").DirectRLEnv._physics_handles_decimation
    assert importlib.import_module("isaaclab.controllers.pink_ik_cfg").PinkIKControllerCfg
    given = {
        "isaaclab.cloner": "random",
        "isaaclab.envs.mdp": "pva_orientation",
        "isaacsim.core.utils.torch": "set_seed",
        "isaaclab_assets": "ISAACLAB_ASSETS_DATA_DIR",
        "isaaclab.sensors.camera.utils": "convert_orientation_convention",
        "isaaclab.markers": "CONTACT_SENSOR_MARKER_CFG",
        "isaaclab.sensors": "create_pointcloud_from_depth",
        "isaaclab.sim": "spawn_from_urdf",
        "isaaclab.utils": "LinearInterpolation",
    }
    for module, name in given.items():
        assert hasattr(importlib.import_module(module), name), name


def test_sensors_tell_poses_as_one_array(installed):
    sensors = importlib.import_module("isaaclab.sensors")
    sim_utils = importlib.import_module("isaaclab.sim")
    assets = importlib.import_module("isaaclab.assets")
    sim = sim_utils.SimulationContext(sim_utils.SimulationCfg(dt=0.01, device="cpu"))
    ball = sim_utils.SphereCfg(
        radius=0.1,
        rigid_props=usdsim.schemas.RigidBodyBaseCfg(),
        mass_props=sim_utils.MassPropertiesCfg(mass=1.0),
    )
    place = assets.RigidObjectCfg.InitialStateCfg(pos=(1.0, 2.0, 3.0))
    assets.RigidObject(assets.RigidObjectCfg(prim_path="/Ball", spawn=ball, init_state=place))
    target = sensors.FrameTransformerCfg.FrameCfg(prim_path="/Ball")
    frames = sensors.FrameTransformer(
        sensors.FrameTransformerCfg(prim_path="/Ball", target_frames=[target])
    )
    sim.reset()
    assert frames.data.source_pose_w.torch.tolist() == [[1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0]]
    assert tuple(frames.data.target_pose_w.torch.shape) == (1, 1, 7)


def test_rays_follow_yaw_with_their_starts_alone(installed):
    caster = importlib.import_module("isaaclab.sensors").RayCaster
    assert not caster.yaw_turns_directions and not caster.offset_turns_starts


def test_installed_tasks_are_the_same_under_their_former_name(installed, tmp_path, monkeypatch):
    for folder in ("", "arm"):
        (tmp_path / "isaaclab_tasks" / folder).mkdir()
        (tmp_path / "isaaclab_tasks" / folder / "__init__.py").write_text("class Cfg:\n    pass\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    try:
        former = importlib.import_module("omni.isaac.lab_tasks.arm")
        assert former is importlib.import_module("isaaclab_tasks.arm")
        assert sys.modules["omni.isaac.lab_tasks"].Cfg is sys.modules["isaaclab_tasks"].Cfg
        # What moved to another package since is there, too.
        wrappers = importlib.import_module("omni.isaac.lab_tasks.utils.wrappers.rsl_rl")
        assert wrappers.RslRlVecEnvWrapper is not None
    finally:
        uninstall()
        assert "omni.isaac.lab_tasks.arm" not in sys.modules
        for name in [name for name in sys.modules if name.startswith("isaaclab_tasks")]:
            del sys.modules[name]


def test_all_names_of_a_simulator_are_imported_at_once(installed, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "motrixsim"]:
        monkeypatch.delitem(sys.modules, name)
    names: dict = {}
    exec("from motrixsim import *", names)
    assert names["load_model"] is importlib.import_module("usdsim").load_model
    assert names["__version__"] == importlib.import_module("motrixsim").__version__


def test_misspelt_names_are_told_with_those_that_were_meant(installed):
    spawners = importlib.import_module("isaaclab.sim")
    with pytest.raises(AttributeError, match=r"no counterpart in usdsim. Did you mean 'CuboidCfg'"):
        _ = spawners.CubiodCfg
