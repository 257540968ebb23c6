"""Numbers and words for the viewer against rubbish: errors of usdsim, or a page that goes on."""

from __future__ import annotations

import inspect
import socket

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rubbish import indices, values
from test_rubbish import MJCF, RARELY, accepted, given_to

import usdsim
from usdsim.core.errors import InvalidValueError
from usdsim.viewer import Viewer
from usdsim.viewer.worlds import ShownWorlds

NOT_CALLED = {"run", "ask", "close", "save_edits", "choose", "show_data", "show_poses"}
"""They take time, a function, a file or objects of ours, or are for programs that draw."""
KNOWN = ["", "/", "/base", "physics:mass", "nan", "[]", "contacts", "\0"]
WORDS = st.one_of(st.sampled_from(KNOWN), st.text(max_size=5))


@pytest.fixture(scope="module")
def viewer():
    pytest.importorskip("viser")
    model = usdsim.load_mjcf_str(MJCF)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with Viewer(model, usdsim.SceneData(model, batch=3, threads=1), port=port) as viewer:
        yield viewer


@pytest.fixture(scope="module")
def calls(viewer):
    names = [name for name in dir(type(viewer)) if not name.startswith("_")]
    found = [getattr(type(viewer), name) for name in names]
    return [
        getattr(viewer, name)
        for name, member in zip(names, found, strict=True)
        if callable(member) and name not in NOT_CALLED
    ]


def texts(call):
    """Names of the parameters of a method that are texts."""
    parameters = inspect.signature(call).parameters.values()
    return [parameter.name for parameter in parameters if parameter.annotation == "str"]


@settings(RARELY, max_examples=300)
@given(st.data())
def test_methods(viewer, calls, draw):
    call = draw.draw(st.sampled_from(calls))
    known = {name: draw.draw(WORDS) for name in texts(call)}
    names = {"names": draw.draw(st.lists(WORDS, max_size=2))}
    accepted(lambda: call(**given_to(call, draw.draw, **known, **names)))
    viewer.update()
    viewer.reset()


@RARELY
@given(indices(), values(), values(), values())
def test_chosen_worlds(viewer, watched, ghosts, points, spacing):
    def choose():
        viewer.choose(ShownWorlds(watched, ghosts, points, spacing))

    accepted(choose)
    viewer.update()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda viewer: viewer.show_world(3), "world is 3; allowed: a whole number from 0 to 2"),
        (lambda viewer: viewer.set_control(9, 0.0), "column is 9"),
        (lambda viewer: viewer.set_joint(0, float("nan")), "value is nan"),
        (lambda viewer: viewer.apply_keyframe(0), "index is 0"),
        (lambda viewer: viewer.show_ghosts(-1), "ghosts is -1"),
        (lambda viewer: viewer.choose(ShownWorlds(worlds=(0, 7))), "world is 7"),
    ],
)
def test_what_is_wrong_is_named_at_the_call(viewer, call, message):
    with pytest.raises(InvalidValueError, match=message):
        call(viewer)
