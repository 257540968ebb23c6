"""The list of names that are not here is what another package has and this one has not."""

import re
from pathlib import Path

import pytest

import usdsim
import usdsim.core.errors
from usdsim.scene.load import load_mjcf_str

PAGE = Path(__file__).parents[2] / "docs/howto/motrixsim_names.md"
MODULES = ("msd", "low", "viewer")


def _rows():
    """Module, names and counterparts of each row of the page."""
    module = ""
    for line in PAGE.read_text().splitlines():
        if line.startswith("## "):
            module = line.split("motrixsim.")[1].rstrip("`")
        cells = [re.findall(r"`([^`]+)`", cell) for cell in line.split("|")[1:3]]
        if len(cells) == 2 and cells[0]:
            yield module, *cells


def _world():
    world = usdsim.msd.from_str('<mujoco><worldbody><body name="b"/></worldbody></mujoco>')
    return world, world.spec, world.spec.body("b")


def test_nothing_of_the_list_is_here():
    listed = [f"{module}.{name}" for module, names, _ in _rows() for name in names]
    assert len(listed) == len(set(listed)) == 60
    world, *_ = _world()
    for name in listed:
        module, _, rest = name.partition(".")
        owner, _, member = rest.rpartition(".")
        assert not hasattr(world if owner else getattr(usdsim, module), member or rest), name


def test_what_stands_beside_the_names_exists():
    world, spec, body = _world()
    model = load_mjcf_str("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>")
    here = {"world": world, "spec": spec, "body": body, "model": model, "low": model.low}
    here["usdsim"] = usdsim
    for _, names, counterparts in _rows():
        for text in counterparts:
            value = None if text.startswith("<") else here[text.split(".")[0]]
            for part in text.split(".")[1:]:
                value = getattr(value, part)
            assert text.startswith("<") or value is not None, names


@pytest.mark.parametrize("module", MODULES)
def test_the_list_is_whole(module):
    theirs = getattr(pytest.importorskip("motrixsim"), module)
    ours = getattr(usdsim, module)
    missing = {n for n in dir(theirs) if not n.startswith("_") and not hasattr(ours, n)}
    if module == "msd":
        world, *_ = _world()
        members = (n for n in dir(theirs.World) if not n.startswith("_"))
        missing |= {f"World.{name}" for name in members if not hasattr(world, name)}
    assert {name for place, names, _ in _rows() if place == module for name in names} == missing
