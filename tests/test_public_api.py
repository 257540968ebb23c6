"""What users may import: it exists, is documented, and costs nothing before it is used."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import subprocess
import sys

import pytest

import usdsim

MODULES = sorted(
    info.name
    for info in pkgutil.walk_packages(usdsim.__path__, "usdsim.")
    if not info.name.endswith("__main__")
)
HEAVY = ("warp", "mujoco", "mujoco_warp", "trimesh", "collada", "torch", "matplotlib")


@pytest.mark.parametrize("name", MODULES)
def test_all_is_present_sorted_and_resolves(name: str):
    module = importlib.import_module(name)
    listed = list(module.__all__)
    assert len(listed) == len(set(listed))
    missing = [entry for entry in listed if not hasattr(module, entry)]
    assert not missing


@pytest.mark.parametrize("name", ["usdsim", *MODULES])
def test_everything_public_is_documented(name: str):
    module = importlib.import_module(name)
    assert module.__doc__
    undocumented = []
    for entry in module.__all__:
        value = getattr(module, entry)
        if inspect.isfunction(value) or inspect.isclass(value):
            if not inspect.getdoc(value):
                undocumented.append(entry)
            if inspect.isclass(value) and value.__module__ == name:
                undocumented += [
                    f"{entry}.{key}"
                    for key, member in vars(value).items()
                    if not key.startswith("_")
                    and (inspect.isfunction(member) or isinstance(member, property))
                    and not inspect.getdoc(getattr(value, key))
                ]
    assert not undocumented


def test_top_level_names_resolve():
    for name in usdsim.__all__:
        assert getattr(usdsim, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'load_modle'"):
        _ = usdsim.load_modle


def test_top_level_packages_are_attributes():
    for name in ("assets", "converters", "engine", "parser", "scene", "sensors", "sim", "usd"):
        assert inspect.ismodule(getattr(usdsim, name))
        assert name in dir(usdsim)


def _loaded_by(statement: str) -> list[str]:
    code = f"{statement}\nimport sys\nprint([m for m in {(*HEAVY, 'pxr')!r} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return eval(result.stdout.strip().splitlines()[-1])


def test_import_loads_nothing_heavy():
    assert _loaded_by("import usdsim") == []


def test_help_loads_nothing_heavy():
    statement = "from usdsim.cli.main import main\ntry: main(['--help'])\nexcept SystemExit: pass"
    assert _loaded_by(statement) == []


@pytest.mark.parametrize("package", ["core", "math", "usd", "schemas", "spawners", "parser"])
def test_authoring_and_parsing_need_no_engine(package: str):
    loaded = _loaded_by(f"import usdsim.{package}")
    assert set(loaded) <= {"pxr"}
