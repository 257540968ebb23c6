"""Options act on living data exactly as on a bare model, and refuse what makes no sense."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import usdsim
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.scene import Options, SceneData, load_mjcf_str

SCENE = """
<mujoco>
  <option timestep="0.004" density="1.2"/>
  <worldbody>
    <geom type="plane" size="0 0 1"/>
    <body name="ball" pos="0 0 .12">
      <freejoint/><geom name="ball" type="ellipsoid" size=".1 .2 .1" density="50" friction=".4"/>
      <site name="s"/>
    </body>
    <body name="arm" pos="1 0 1">
      <joint name="a" axis="0 1 0" range="-10 10" damping=".3" stiffness="4" frictionloss=".1"/>
      <geom type="capsule" fromto="0 0 0 .5 0 0" size=".05"/>
      <body name="fore" pos=".5 0 0">
        <joint name="b" axis="0 1 0"/><geom type="capsule" fromto="-.2 0 .04 .4 0 0" size=".05"/>
      </body>
    </body>
  </worldbody>
  <equality><joint joint1="b" polycoef=".4 0 0 0 0" solref=".1 1"/></equality>
  <actuator><motor joint="b" ctrlrange="-1 1"/></actuator>
  <sensor><magnetometer site="s"/></sensor>
</mujoco>
"""
VALUES = {
    "timestep": (0.001, "timestep"),
    "gravity": ([1, 0, -3], "gravity"),
    "wind": ([9, 0, 0], "wind"),
    "density": (1000.0, "density"),
    "viscosity": (0.5, "viscosity"),
    "magnetic": ([0, 1, 2], "magnetic"),
    "integrator": ("rk4", "integrator"),
    "solver": ("cg", "solver"),
    "cone": ("elliptic", "cone"),
    "max_iterations": (1, "iterations"),
    "solver_tolerance": (100.0, "tolerance"),
    "max_line_search_iterations": (1, "ls_iterations"),
    "friction_impedance_ratio": (20.0, "impratio"),
    "no_slip_iterations": (5, "noslip_iterations"),
}
FLAGS = {
    "disable_gravity": "GRAVITY",
    "disable_contacts": "CONTACT",
    "disable_constraints": "CONSTRAINT",
    "disable_equalities": "EQUALITY",
    "disable_friction_loss": "FRICTIONLOSS",
    "disable_limits": "LIMIT",
    "disable_springs": "SPRING",
    "disable_dampers": "DAMPER",
    "disable_actuation": "ACTUATION",
    "disable_control_clamping": "CLAMPCTRL",
    "disable_warm_start": "WARMSTART",
    "disable_parent_filter": "FILTERPARENT",
}
# They need not change the motion of this scene: magnetometers move nothing, and a good start only
# saves iterations.
QUIET = {"magnetic", "disable_warm_start", "max_line_search_iterations", "solver"}


def _started(model: usdsim.SceneModel) -> SceneData:
    data = SceneData(model, batch=(2,))
    data.set_dof_vel([1.0, 0.5, 0, 3, 2, 1, 0.6, 2.0])
    data.actuator_ctrls = [3.0]
    model.step_n(data, 10)
    return data


def _bare(data: SceneData, field: str, value) -> np.ndarray:
    """State after 20 more steps of a bare model with the option."""
    low = data.low.world_model(0)
    if field == "disableflags":
        low.opt.disableflags |= value
    else:
        setattr(low.opt, field, value)
    raw = data.low.world_data(0)
    for _ in range(20):
        mujoco.mj_step(low, raw)
    return np.concatenate([raw.qpos, raw.qvel])


def _state(data: SceneData) -> np.ndarray:
    return np.concatenate([data.low.read("qpos")[0], data.low.read("qvel")[0]])


@pytest.mark.parametrize("name", [*VALUES, *FLAGS])
def test_options_act_as_on_a_bare_model(name):
    model = load_mjcf_str(SCENE)
    data = _started(model)
    unchanged = _bare(data, "timestep", 0.004)
    if name in FLAGS:
        value, bit = True, int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{FLAGS[name]}"))
        expected = _bare(data, "disableflags", bit)
        assert getattr(model.options, name) is False
    else:
        value, field = VALUES[name]
        number = value
        if isinstance(value, str):
            kind = {"integrator": "INT", "solver": "SOL", "cone": "CONE"}[name]
            owner = {"INT": mujoco.mjtIntegrator, "SOL": mujoco.mjtSolver, "CONE": mujoco.mjtCone}
            number = int(getattr(owner[kind], f"mj{kind}_{value.upper()}"))
        expected = _bare(data, field, number)
    setattr(model.options, name, value)
    read = getattr(model.options, name)
    np.testing.assert_allclose(read, value) if not isinstance(value, str) else None
    assert not isinstance(value, str) or read == value
    model.step_n(data, 20)
    np.testing.assert_array_equal(_state(data), expected)
    assert name in QUIET or not np.array_equal(expected, unchanged)


def test_flags_may_be_taken_back():
    model = load_mjcf_str(SCENE)
    data = _started(model)
    expected = _bare(data, "timestep", 0.004)
    for name in FLAGS:
        setattr(model.options, name, True)
    for name in FLAGS:
        assert getattr(model.options, name) is True
        setattr(model.options, name, False)
    model.step_n(data, 20)
    np.testing.assert_array_equal(_state(data), expected)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("timestep", (0, -1, np.nan, np.inf, "1", None)),
        ("max_iterations", (0, -2, 1.5, np.nan)),
        ("solver_tolerance", (0, -1e-9, np.nan)),
        ("density", (-1, np.nan, np.inf)),
        ("viscosity", (-1,)),
        ("no_slip_iterations", (-1, 0.5)),
        ("friction_impedance_ratio", (0, -1)),
        ("max_line_search_iterations", (0,)),
        ("gravity", (9.81, [1, 2], [0, 0, np.nan], "down")),
        ("wind", ([np.inf, 0, 0],)),
        ("integrator", ("verlet", 3, None)),
        ("solver", ("gauss",)),
        ("cone", ("round",)),
    ],
)
def test_bad_values_are_refused(name, values):
    options = load_mjcf_str(SCENE).options
    before = np.array(getattr(options, name))
    for value in values:
        with pytest.raises(InvalidValueError, match=name):
            setattr(options, name, value)
    np.testing.assert_array_equal(getattr(options, name), before)
    with pytest.raises(ShapeError, match="gravity"):
        options.gravity = np.zeros((2, 3))


LOADED_ARM = """
<mujoco><option timestep="0.005" integrator="implicitfast" {option}/>
  <worldbody><geom type="plane" size="1 1 1"/>
    <body pos="0 0 .099" euler="0 1 0"><freejoint/><geom type="box" size=".2 .1 .1" mass="5"/>
      <body pos=".2 0 0"><joint axis="0 1 0" frictionloss=".5" range="-10 10"/>
        <geom type="capsule" size=".03" fromto="0 0 0 .2 0 -.08" mass=".3"/></body></body>
  </worldbody></mujoco>"""


@pytest.mark.parametrize("option", ['iterations="1" ls_iterations="2"', 'solver="PGS"', ""])
def test_the_solver_converges_where_programs_tell_it_too_few_iterations(option):
    """MuJoCo's own steps with all its iterations are the oracle; after one, the arm flies off."""
    peer = mujoco.MjModel.from_xml_string(LOADED_ARM.format(option=""))
    expected = mujoco.MjData(peer)
    usdsim.set_solver_iterations("enough")
    try:
        model = load_mjcf_str(LOADED_ARM.format(option=option))
    finally:
        usdsim.set_solver_iterations("told")
    model.options.max_iterations = 1
    assert model.options.max_iterations == 1
    data = SceneData(model)
    data.dof_vel = expected.qvel[:] = [0.5, 0.2, -0.5, 0, 0, 0, 2]
    for _ in range(5):
        mujoco.mj_step(peer, expected)
    usdsim.step_n(model, data, 5)
    linear_and_arm = [0, 1, 2, 6]
    np.testing.assert_allclose(
        data.dof_vel[linear_and_arm], expected.qvel[linear_and_arm], rtol=1e-4, atol=1e-5
    )
    model.options.max_iterations = 200
    assert model.options.engine_options.iterations == 200
    told = load_mjcf_str(LOADED_ARM.format(option='iterations="1"'))
    assert told.options.engine_options.iterations == 1


def test_every_option_is_documented():
    for name in (*VALUES, *FLAGS):
        assert getattr(Options, name).__doc__.endswith(".")
    assert "'euler'" in Options.integrator.__doc__


def test_options_print_as_names_and_values():
    text = repr(load_mjcf_str(SCENE).options)
    assert text.startswith("Options(timestep=0.004, ") and "integrator='euler'" in text


def test_options_of_a_model_are_no_parameters_of_worlds_made_afterwards():
    model = load_mjcf_str(SCENE)
    model.options.timestep = 0.01
    model.options.disable_gravity = True
    data = SceneData(model, batch=2)
    model.step(data)
    np.testing.assert_allclose(data.time, 0.01)
    # Worlds with parameters of their own are slower to look at.
    assert not data.low.batch.differing
    model.options.timestep = 0.02
    model.step(data)
    np.testing.assert_allclose(data.time, 0.03)
    assert data.low.batch.differing
    other = SceneData(model, batch=2)
    model.step(other)
    np.testing.assert_allclose(other.time, 0.02)
    assert not other.low.batch.differing
