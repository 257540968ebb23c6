"""What spawn functions have in common: one signature, and one account of their arguments."""

import inspect

import pytest

from usdsim import spawners
from usdsim.converters.spawn import spawn_from_mjcf, spawn_from_urdf
from usdsim.core.errors import InvalidValueError
from usdsim.spawners.spawner import spawner
from usdsim.usd import create_stage

NAMES = ("spawn_sphere", "spawn_mesh_square", "spawn_light", "spawn_camera", "spawn_from_usd")
FUNCTIONS = [*(getattr(spawners, name) for name in NAMES), spawn_from_mjcf, spawn_from_urdf]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_spawn_functions_take_the_same_arguments_and_document_them(function):
    parameters = inspect.signature(function).parameters
    assert [*parameters] == ["prim_path", "cfg", "translation", "orientation", "stage"]
    assert parameters["stage"].kind is inspect.Parameter.KEYWORD_ONLY
    assert parameters["cfg"].annotation == inspect.unwrap(function).__annotations__["cfg"]
    for name in parameters:
        assert f"\n    {name}: " in function.__doc__


def test_errors_of_a_spawn_function_stand_behind_those_of_all():
    raised = spawners.spawn_from_usd.__doc__.partition("Raises:\n")[2].split()
    assert raised.index("ValueError:") < raised.index("FileNotFoundError:")


def test_keywords_of_a_functions_own_reach_it_and_others_are_refused():
    @spawner
    def spawn_group(at, cfg, *, kind="Xform"):
        """Spawn a prim of some type."""
        return at.define(kind)

    stage = create_stage()
    prim = spawn_group("/group", spawners.SpawnerCfg(), stage=stage, kind="Scope")
    assert prim.GetTypeName() == "Scope"
    with pytest.raises(TypeError, match=r"spawn_sphere.*'size'"):
        spawners.spawn_sphere("/ball", spawners.SphereCfg(radius=1.0), stage=stage, size=2.0)
    assert not stage.GetPrimAtPath("/ball")


def test_orientations_are_rotations():
    cfg = spawners.CuboidCfg(size=(1.0, 1.0, 1.0))
    stage = create_stage()
    with pytest.raises(InvalidValueError, match=r"orientation of /World/Box is .*not all zero"):
        cfg.func("/World/Box", cfg, orientation=(0.0, 0.0, 0.0, 0.0), stage=stage)
    assert not stage.GetPrimAtPath("/World/Box")
