"""Commands about the installation: what they say is what is there."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from device_under_test import DEVICE

import usdsim
from usdsim._resources import resource_dir
from usdsim.cli.installation import doctor
from usdsim.cli.main import main
from usdsim.core.errors import UnknownNameError
from usdsim.core.extras import EXTRA_OF

ROOT = Path(__file__).resolve().parents[2]


def _json(capsys, *arguments):
    code = main([*arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_doctor_finds_a_working_installation(capsys):
    code, found = _json(capsys, "doctor")
    assert code == 0 and found["works"]
    assert found["versions"]["usdsim"] == usdsim.__version__
    assert found["checks"]["simulation"]["text"].startswith("a ball falls 1.2")


def test_doctor_names_what_is_broken_and_how_to_get_extras(capsys, monkeypatch):
    def broken():
        raise OSError("no space left")

    monkeypatch.setitem(doctor._CHECKS, "writing", broken)
    requires = ["numpy>=2", "no-such-distribution; extra == 'torch'", "numpy; extra == 'plot'"]
    monkeypatch.setattr(importlib.metadata, "requires", lambda name: requires)
    assert main(["doctor"]) == 1
    text = capsys.readouterr().out
    assert "fails: OSError: no space left" in text
    assert "missing: pip install 'usdsim[torch]'" in text
    assert re.search(r"plot +installed", text)


def test_doctor_diagnoses_a_checkout_that_was_not_installed(capsys, monkeypatch):
    def unknown(package):
        if package == "usdsim":
            raise importlib.metadata.PackageNotFoundError(package)
        return found(package)

    found = importlib.metadata.version
    monkeypatch.setattr(importlib.metadata, "version", unknown)
    monkeypatch.setattr(importlib.metadata, "requires", unknown)
    code, told = _json(capsys, "doctor")
    assert code == 0 and told["versions"]["usdsim"] == usdsim.__version__


def test_every_extra_for_users_is_diagnosed_and_on_the_page():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = {*project["optional-dependencies"]} - {"dev", "docs", "release", "test"}
    assert set(doctor.extras()) == extras
    page = (ROOT / "docs" / "install.md").read_text()
    assert set(re.findall(r"^\| `usdsim\[(\w+)\]`", page, re.MULTILINE)) == extras


def test_what_is_missing_is_in_the_extra_that_is_named():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    brought = importlib.metadata.packages_distributions()
    for module, extra in EXTRA_OF.items():
        lines = project["optional-dependencies"][extra]
        named = {re.split(r"[<>=\[]", line)[0].replace("_", "-").lower() for line in lines}
        # Of the distributions that are installed: one of them has the module.
        having = {name.replace("_", "-").lower() for name in brought.get(module, ())}
        assert not having or having & named, module


@pytest.mark.parametrize(
    ("command", "module", "extra"),
    [
        (["train", "cartpole"], "torch", "learn"),
        (["play", "cartpole"], "torch", "learn"),
        (["batch", "rollout", "job.toml"], "pyarrow", "datasets"),
        (["view", "{stage}"], "viser", "view"),
        (["simulate", "{stage}", "--video", "a.mp4"], "imageio_ffmpeg", "video"),
        (["simulate", "{stage}", "--plot", "a.png"], "matplotlib", "plot"),
        (["simulate", "{stage}", "--device", DEVICE], "mujoco_warp", "gpu"),
        (["convert", "rd:go2_description"], "robot_descriptions", "robots"),
        (["completion", "bash"], "shtab", "completion"),
    ],
)
def test_commands_name_the_extra_they_miss(command, module, extra, tmp_path):
    """In a process of its own, where the package cannot be imported."""
    stage = usdsim.example_asset("pendulum/pendulum.usda")
    (tmp_path / "job.toml").write_text(
        f'model = "{stage}"\npolicy = "a:b"\nout = "o"\nepisodes = 1\nsteps = 1\n'
    )
    (tmp_path / "a.py").write_text("def b(observation, time):\n    return observation[:, :0]\n")
    code = f"import sys; sys.modules[{module!r}] = None; sys.path.insert(0, '.')\n"
    code += "from usdsim.cli.main import main; sys.exit(main(sys.argv[1:]))"
    words = [word.format(stage=stage) for word in command]
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 1, done.stdout
    assert f"usdsim[{extra}]" in done.stderr and "defect" not in done.stderr, done.stderr
    assert {path.name for path in tmp_path.iterdir()} <= {"job.toml", "a.py"}


def test_version_as_json(capsys):
    code, found = _json(capsys, "--version")
    assert (code, found["usdsim"]) == (0, usdsim.__version__)
    assert {"python", "system", "usd-core", "warp-lang", "mujoco-core"} <= set(found)


def test_assets_are_copied_to_where_the_pages_have_them(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code, found = _json(capsys, "assets")
    assert code == 0 and found["folder"] is None and "arm/arm.urdf" in found["assets"]
    assert not [*tmp_path.iterdir()]
    assert main(["info", "assets/arm/arm.urdf"]) == 1
    assert "usdsim assets --copy" in capsys.readouterr().err
    for _ in range(2):  # What is there already stays.
        assert main(["assets", "--copy"]) == 0
    assert main(["info", "assets/arm/arm.urdf"]) == 0
    shipped = resource_dir("assets")
    for path in shipped.rglob("*"):
        copied = tmp_path / "assets" / path.relative_to(shipped)
        assert path.is_dir() or copied.read_bytes() == path.read_bytes()


def test_assets_replace_no_file_of_others(tmp_path, capsys):
    (tmp_path / "arm").mkdir()
    (tmp_path / "arm" / "arm.urdf").write_text("mine")
    assert main(["assets", "--copy", str(tmp_path)]) == 1
    assert "is another file" in capsys.readouterr().err
    assert [path.name for path in tmp_path.rglob("*")] == ["arm", "arm.urdf"]


def test_schemas_are_found_by_a_program_without_usdsim(tmp_path, capsys):
    code, found = _json(capsys, "schemas", "--install", str(tmp_path / "schemas"))
    assert code == 0 and {"newton", "mjcPhysics", "physxSchema"} <= set(found["plugins"])
    program = (
        "from pxr import Usd\nimport sys\n"
        "names = ['MjcJointAPI', 'PhysxRigidBodyAPI', 'NewtonMimicAPI']\n"
        "registry = Usd.SchemaRegistry()\n"
        "assert all(registry.FindAppliedAPIPrimDefinition(name) for name in names)\n"
        "assert 'usdsim' not in sys.modules\n"
    )
    environment = os.environ | {found["variable"]: found["folder"]}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)
    houdini = json.loads((tmp_path / "schemas" / "houdini.json").read_text())
    assert houdini["env"][0][found["variable"]]["value"] == found["folder"]


def test_schemas_are_not_mixed_with_other_files(tmp_path, capsys):
    (tmp_path / "mine.txt").write_text("mine")
    assert main(["schemas", "--install", str(tmp_path)]) == 1
    assert "holds something else" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    for _ in range(2):  # The second copy replaces the first.
        assert main(["schemas", "--install", str(tmp_path / "new")]) == 0


def test_rules_run_in_openusds_validation(tmp_path):
    assert main(["schemas", "--install", str(tmp_path / "schemas"), "--validators"]) == 0
    program = """
from pxr import Usd, UsdPhysics, UsdValidation
stage = Usd.Stage.CreateInMemory()
joint = UsdPhysics.RevoluteJoint.Define(stage, "/joint")
joint.CreateLowerLimitAttr(3.0)
joint.CreateUpperLimitAttr(-3.0)
registry = UsdValidation.ValidationRegistry()
rule = registry.GetOrLoadValidatorByName("usdsim.schemas.validators:JointLimits")
(error,) = UsdValidation.ValidationContext([rule]).Validate(stage)
assert error.GetType() == UsdValidation.ValidationErrorType.Error
assert [str(site.GetPrim().GetPath()) for site in error.GetSites()] == ["/joint"]
assert "lower limit 3 is above the upper limit -3" in error.GetMessage()
"""
    environment = os.environ | {"PXR_PLUGINPATH_NAME": str(tmp_path / "schemas")}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_completion_knows_every_command(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for word in ("convert", "simulate", "doctor", "--envs"):
        assert word in script


def test_completion_without_its_package_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["completion", "bash"]) == 1
    assert "pip install 'usdsim[completion]'" in capsys.readouterr().err


def test_shipped_assets_are_found_by_name():
    path = usdsim.example_asset("quadruped/scene.xml")
    assert path.is_file()
    with pytest.raises(UnknownNameError, match=r"Did you mean 'quadruped/scene\.xml'"):
        usdsim.example_asset("quadruped/scen.xml")
    with pytest.raises(UnknownNameError):
        usdsim.example_asset("../pyproject.toml")


@pytest.mark.parametrize("command", ["convert", "simulate", "info"])
def test_assets_of_a_checkout_are_named_where_they_are(command, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    target = ["arm.usda"] if command == "convert" else []
    assert main([command, "assets/arm/arm.urdf", *target]) == 1
    shown = capsys.readouterr().err
    assert str(usdsim.example_asset("arm/arm.urdf")) in shown
    assert main([command, "assets/arm/leg.urdf", *target]) == 1
    assert "shipped" not in capsys.readouterr().err
