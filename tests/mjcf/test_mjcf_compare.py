"""The law's checker finds what differs."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from usdsim.engine.compile.mjc import compare_models, compare_trajectories

MODEL = """<mujoco model="a"><option timestep="{step}"/><worldbody><body name="arm" pos="{x} 0 0">
  <joint name="j" damping="{damping}"/><geom name="g" size=".1"/></body></worldbody><actuator>
  <motor name="m" joint="j" ctrlrange="-1 1"/></actuator>{extra}</mujoco>"""
BASE = {"step": 0.002, "x": 1, "damping": 0.5, "extra": ""}


def _model(**changes):
    return mujoco.MjModel.from_xml_string(MODEL.format(**{**BASE, **changes}))


def test_same_models_have_no_differences():
    assert compare_models(_model(), _model()) == []


@pytest.mark.parametrize(
    ("change", "array"),
    [
        ({"step": 0.00200001}, "opt.timestep"),
        ({"x": 1.00001}, "body_pos"),
        ({"damping": 0.6}, "dof_damping"),
        ({"extra": "<sensor><clock/></sensor>"}, "nsensor"),
        ({"extra": "<visual><global fovy='50'/></visual>"}, "vis.global.fovy"),
        ({"extra": "<statistic extent='9'/>"}, "stat.extent"),
    ],
)
def test_a_changed_value_is_found(change, array):
    assert array in {difference.array for difference in compare_models(_model(), _model(**change))}


def test_a_difference_names_its_element_and_both_values():
    difference = next(
        d for d in compare_models(_model(), _model(damping=0.6)) if d.array == "dof_damping"
    )
    assert (difference.name, difference.first, difference.second) == ("j", 0.5, 0.6)
    assert str(difference) == "dof_damping[0] of 'j' is 0.6, not 0.5"


def test_a_changed_name_is_found():
    renamed = mujoco.MjModel.from_xml_string(MODEL.format(**BASE).replace('name="g"', 'name="h"'))
    assert [str(d) for d in compare_models(_model(), renamed)] == ["geom 0 is called 'h', not 'g'"]


def test_tolerance_is_relative_to_the_row():
    first, second = _model(), _model()
    second.body_pos[1, 1] = 1e-9
    assert compare_models(first, second) == []
    assert [d.array for d in compare_models(first, second, tolerance=1e-10)] == ["body_pos"]


def test_trajectories_are_compared_under_the_same_controls():
    assert compare_trajectories(_model(), _model(), steps=50) == 0.0
    assert compare_trajectories(_model(), _model(damping=0.6), steps=50) > 1e-6
    assert np.isfinite(compare_trajectories(_model(), _model(), steps=1))


def test_quaternions_of_one_turn_are_one_position():
    text = """<mujoco><worldbody><body quat="{}"><freejoint/><geom size=".1"/></body></worldbody>
      </mujoco>"""
    first, second = (
        mujoco.MjModel.from_xml_string(text.format(q)) for q in ("1 2 3 4", "-1 -2 -3 -4")
    )
    assert not np.allclose(first.qpos0, second.qpos0)
    assert compare_trajectories(first, second, steps=5) < 1e-12


@pytest.mark.parametrize(("lost", "gap"), [((True, True), 0.0), ((True, False), np.inf)])
def test_models_that_diverge_are_alike_if_both_do(lost, gap):
    models = [_model(), _model()]
    for model, diverges in zip(models, lost, strict=True):
        if diverges:
            model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
            model.dof_damping[:] = np.nan
    assert compare_trajectories(*models, steps=3) == gap
