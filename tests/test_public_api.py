"""What users may import: it exists, is documented, and costs nothing before it is used."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import usdsim

MODULES = sorted(
    info.name
    for info in pkgutil.walk_packages(usdsim.__path__, "usdsim.")
    if not info.name.endswith("__main__")
)
HEAVY = ("warp", "mujoco", "mujoco_warp", "trimesh", "collada", "torch", "matplotlib")


def _modules() -> Iterator[tuple[str, ModuleType]]:
    """Every module with code; a folder that only holds modules has nothing of its own to list."""
    for name in ("usdsim", *MODULES):
        module = importlib.import_module(name)
        assert module.__doc__, f"{name} has no docstring"
        if hasattr(module, "__path__") and not hasattr(module, "__all__"):
            code = ast.parse(Path(str(module.__file__)).read_text()).body
            assert len(code) == 1, f"{name} has code, but no __all__"
            continue
        yield name, module


def test_all_is_present_and_resolves():
    wrong = []
    for name, module in _modules():
        listed = list(module.__all__)
        wrong += [f"{name} lists {entry} twice" for entry in set(listed) if listed.count(entry) > 1]
        wrong += [f"{name} has no {entry}" for entry in listed if not hasattr(module, entry)]
    assert not wrong, "\n".join(wrong)


def _undocumented(name: str, module: ModuleType) -> Iterator[str]:
    for entry in module.__all__:
        value = getattr(module, entry)
        if not (inspect.isfunction(value) or inspect.isclass(value)):
            continue
        if not inspect.getdoc(value):
            yield f"{name}.{entry}"
        if inspect.isclass(value) and value.__module__ == name:
            yield from (
                f"{name}.{entry}.{key}"
                for key, member in vars(value).items()
                if not key.startswith("_")
                and (inspect.isfunction(member) or isinstance(member, property))
                and not inspect.getdoc(getattr(value, key))
            )


def test_everything_public_is_documented():
    undocumented = [entry for pair in _modules() for entry in _undocumented(*pair)]
    assert not undocumented, "\n".join(undocumented)


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


def test_the_version_is_the_projects():
    project = Path(__file__).parents[1] / "pyproject.toml"
    assert usdsim.__version__ == tomllib.loads(project.read_text())["project"]["version"]


def test_help_loads_nothing_heavy():
    statement = "from usdsim.cli.main import main\ntry: main(['--help'])\nexcept SystemExit: pass"
    assert _loaded_by(statement) == []


def test_loading_and_stepping_on_the_cpu_start_no_warp():
    loaded = _loaded_by(
        "import usdsim\n"
        "model = usdsim.load_model(usdsim.example_asset('finger/finger.xml'), cache=False)\n"
        "model.step(usdsim.SceneData(model))"
    )
    assert set(loaded) == {"mujoco", "pxr"}


@pytest.mark.parametrize("package", ["core", "math", "usd", "schemas", "spawners", "parser"])
def test_authoring_and_parsing_need_no_engine(package: str):
    loaded = _loaded_by(f"import usdsim.{package}")
    assert set(loaded) <= {"pxr"}
