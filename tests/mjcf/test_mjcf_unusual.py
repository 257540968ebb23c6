"""Numbers below zero that MuJoCo accepts: kept, and named."""

import mujoco
import pytest
from mjcf_law import compile_source, reload, round_trip

import usdsim
from usdsim.core.errors import ConversionError
from usdsim.engine.compile.mjc import compare_models, compare_trajectories

OPTIONS = (
    "iterations", "ls_iterations", "noslip_iterations", "ccd_iterations", "sdf_iterations",
    "sdf_initpoints", "density", "viscosity",
)  # fmt: skip
ODD = """<mujoco><option iterations="-1" ls_iterations="-3" noslip_iterations="-2"
    ccd_iterations="-1" sdf_iterations="-1" sdf_initpoints="-5" density="-1" viscosity="-1"/>
  <worldbody><body name="a"><joint name="j" damping="-.1" armature="-1e-4" frictionloss="-1"/>
  <geom size=".1" pos="0 .2 0" friction="-1 -1 -1"/><site name="s" pos="0 .2 0"/></body>
  <site name="t" pos="0 0 1"/></worldbody>
  <tendon><spatial name="t" damping="-.1" frictionloss="-1"><site site="s"/><site site="t"/>
  </spatial></tendon><actuator><position joint="j" kp="-.1"/></actuator></mujoco>"""


def test_what_mujoco_accepts_is_kept_and_noted(tmp_path):
    first = compile_source(ODD)
    second, result = round_trip(reload(ODD, tmp_path))
    assert not compare_models(first, second, tolerance=1e-12)
    assert compare_trajectories(first, second, steps=100) < 1e-9
    noted = {finding.attribute for finding in result.report.by_code("unusual-value")}
    joint = {"mjc:damping", "mjc:armature", "mjc:frictionloss"}
    assert noted == {f"mjc:option:{name}" for name in OPTIONS} | joint
    assert len(result.report.warnings) == len(noted)


def test_standard_attributes_hold_nothing_below_zero(tmp_path):
    stage = reload(ODD, tmp_path)
    for prim in stage.Traverse():
        for attribute in prim.GetAuthoredAttributes():
            name = attribute.GetName()
            if name.startswith(("newton:", "drive:")) or name.endswith("Friction"):
                assert not isinstance(attribute.Get(), float) or attribute.Get() >= 0.0, name


def test_files_with_such_numbers_load():
    model = usdsim.load_mjcf_str(ODD)
    data = usdsim.SceneData(model)
    model.step_n(data, 3)
    assert model.report.by_code("unusual-value")


@pytest.mark.parametrize("step", ["0", "-0.01"])
def test_a_time_step_that_leads_nowhere_is_refused(step):
    text = f'<mujoco><option timestep="{step}"/><worldbody><geom size="1"/></worldbody></mujoco>'
    assert mujoco.MjModel.from_xml_string(text).opt.timestep == float(step)
    with pytest.raises(ConversionError, match="timestep"):
        usdsim.load_mjcf_str(text)


@pytest.mark.parametrize("step", [1e-320, 1e-10])
def test_time_steps_whose_rate_no_integer_says_are_kept(tmp_path, step):
    path = tmp_path / "model.xml"
    path.write_text(
        f'<mujoco><option timestep="{step}"/><worldbody><geom size="1"/></worldbody></mujoco>'
    )
    usdsim.convert(path, tmp_path / "model.usda")
    assert usdsim.load_model(tmp_path / "model.usda").options.timestep == step
