"""What an articulation prepares is compiled: model and description say the same of each joint."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from usdsim.actuators import ImplicitActuatorCfg
from usdsim.assets.articulation.articulation import Articulation
from usdsim.assets.articulation.cfg import ArticulationCfg
from usdsim.converters import convert
from usdsim.sim.cfg import SimulationCfg
from usdsim.sim.context import SimulationContext

ASSETS = Path(__file__).resolve().parents[2] / "assets"
DRIVES = ImplicitActuatorCfg(
    joint_names_expr=[".*"],
    stiffness=31.0,
    damping=2.5,
    armature=0.07,
    friction=0.3,
    effort_limit_sim=12.0,
)


@pytest.mark.parametrize("file", ["finger/finger.xml", "arm/arm.urdf"])
def test_the_compiled_model_is_that_of_the_description(file):
    stage = convert(ASSETS / file)
    root = next(p for p in stage.Traverse() if p.HasAPI("PhysicsArticulationRootAPI"))
    cfg = ArticulationCfg(prim_path=str(root.GetPath()), actuators={"all": DRIVES})
    with SimulationContext(SimulationCfg(), stage=stage) as sim:
        Articulation(cfg)
        sim.reset()
        compiled = sim.engine.compiled
        model, checked = compiled.mj, 0
        indices = {path: i for i, path in enumerate(compiled.names.paths("joint"))}
        drives = {path: i for i, path in enumerate(compiled.names.paths("actuator"))}
        for joint in compiled.scene.joints:
            for dof in joint.dofs:
                place = model.jnt_dofadr[indices[dof.path]]
                said = dof.armature, dof.friction, dof.damping
                held = (a[place] for a in (model.dof_armature, model.dof_frictionloss))
                assert (*held, model.dof_damping[place]) == pytest.approx(said)
                assert dof.armature == pytest.approx(0.07)
                index = drives[dof.path]
                assert dof.drive is not None and dof.drive.stiffness == 31.0
                gains = model.actuator_biasprm[index, 1:3]
                np.testing.assert_allclose(gains, [-dof.drive.stiffness, -dof.drive.damping])
                checked += 1
        assert checked >= 2
