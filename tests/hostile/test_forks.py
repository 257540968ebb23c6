"""Worlds inherited by a forked process raise; they never hang, nor do their remains."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import usdsim

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork")

PROGRAM = """
import gc, os, signal, sys
import numpy as np
import usdsim
from usdsim.core.errors import SimulationError
from usdsim.usd.stage import create_stage

stage = create_stage()
sphere = stage.DefinePrim("/b", "Sphere")
for api in ("PhysicsRigidBodyAPI", "PhysicsCollisionAPI"):
    sphere.AddAppliedSchema(api)
model = usdsim.load_model(stage)
data = usdsim.SceneData(model, batch=8, threads={threads})
model.step(data)
child = os.fork()
if child == 0:
    signal.alarm(20)
    code = 1
    try:
{inner}
        code = 0
    except SimulationError as error:
        code = 7 if "before this process forked" in str(error) else 2
    finally:
        os.{leave}(code)
_, status = os.waitpid(child, 0)
model.step(data)
print(os.waitstatus_to_exitcode(status), float(data.time[0]) > 0.0)
"""


DRAWN = """
from usdsim.render.picture import render_picture
model.step(data)
before = render_picture(model, data, size=(32, 24))
child = os.fork()
"""


def outcome(inner, threads=2, leave="_exit", drawn=False):
    inner = textwrap.indent(textwrap.dedent(inner), " " * 8)
    program = PROGRAM if not drawn else PROGRAM.replace("child = os.fork()\n", DRAWN.lstrip())
    program = program.format(inner=inner, threads=threads, leave=leave)
    if leave == "exit":
        program = program.replace("os.exit(code)", "sys.exit(code)")
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize(
    ("inner", "code"),
    [
        ("model.step(data)", "7"),
        ("data.reset()", "7"),
        ("del data; gc.collect()", "0"),
        ("assert np.isfinite(data.dof_pos).all()", "7"),
        ("own = usdsim.SceneData(model, batch=8, threads=2); model.step(own)", "0"),
        ("copy = data.copy()", "7"),
    ],
)
def test_inherited_worlds_raise_and_new_ones_run(inner, code):
    assert outcome(inner) == [code, "True"]


def test_a_child_may_end_in_the_ordinary_way():
    assert outcome("pass", leave="exit") == ["0", "True"]


def test_pictures_are_drawn_in_a_child_of_who_drew_some():
    inner = "assert (render_picture(stage, size=(32, 24)) >= 0).all()"
    assert outcome(inner, drawn=True) == ["0", "True"]


def test_worlds_without_threads_of_their_own_go_on():
    assert outcome("model.step(data)", threads=1) == ["0", "True"]


def test_every_pool_of_the_package_is_of_this_kind():
    """No module opens `mujoco.batch.Batch` itself, but to compare with the bare engine."""
    root = Path(usdsim.__file__).parent
    plain = [p for p in root.rglob("*.py") if "mjbatch.Batch(" in p.read_text()]
    assert plain == []
