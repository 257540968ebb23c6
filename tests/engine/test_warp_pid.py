"""Drives with several inputs on a Warp device, on joints and sites that turn about any axis."""

from __future__ import annotations

import numpy as np
import pytest
from device_under_test import DEVICE

from usdsim.converters import convert
from usdsim.engine import CpuEngine, compile_scene, create_engine
from usdsim.parser import parse_stage
from usdsim.usd import open_stage

BODY = """
<worldbody>
  <site name="ref" pos="0 0 .1" euler="10 20 30"/>
  <body>
    <joint name="ball" type="ball" damping="0.1"/>
    <geom size=".1" pos="0 0 .3" mass="1"/>
    <site name="tip" pos="0 .1 .3"/>
  </body>
</worldbody>
"""
ACTUATORS = {
    "joint": 'joint="ball" gear="1 .5 .2 0 0 0"',
    "jointinparent": 'jointinparent="ball" gear="0 0 1 0 0 0"',
    "site": 'site="tip" refsite="ref" gear=".1 .2 .3 .4 .5 .6"',
}


@pytest.mark.parametrize("kind", ACTUATORS)
def test_drives_of_any_rotation_agree_with_the_cpu(kind, tmp_path):
    pid = f'<pid name="a" kp="5" kv=".5" input="pos vel ff" {ACTUATORS[kind]}/>'
    source = tmp_path / "ball.xml"
    source.write_text(
        f'<mujoco><option timestep=".002" gravity="0 0 0"/>{BODY}'
        f"<actuator>{pid}</actuator></mujoco>"
    )
    compiled = compile_scene(parse_stage(open_stage(convert(source, tmp_path / "ball.usda"))).scene)
    assert compiled.mj.nactuator == 1 and compiled.mj.nu == 3
    pair = CpuEngine(compiled, 2), create_engine(compiled, 2, device=DEVICE)
    for sim in pair:
        sim.write("qvel", [[3.0, -2.0, 1.0], [0.5, 8.0, -3.0]])
        sim.write("ctrl", [0.7, -0.2, 0.4])
    for _ in range(4):
        for sim in pair:
            sim.step(100)
        cpu, device = (np.array(sim.read("qpos")) for sim in pair)
        assert device == pytest.approx(cpu, abs=1e-5)
        forces = [np.array(sim.read("actuator_force")) for sim in pair]
        assert np.abs(forces[0]).max() > 0.1
        assert forces[1] == pytest.approx(forces[0], abs=1e-4)
