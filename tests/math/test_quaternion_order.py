"""Order of quaternions in configurations: one pose, whichever order it is written in."""

from __future__ import annotations

import numpy as np
import pytest
from pxr import UsdGeom

from usdsim.assets import RigidObject, RigidObjectCfg
from usdsim.converters import MeshConverterCfg
from usdsim.converters.mesh import convert_mesh
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.math import quaternion_order
from usdsim.math.quaternion_order import identity_rot, set_quaternion_order, written_rot
from usdsim.math.rotations import quat_to_matrix
from usdsim.schemas import MassPropertiesCfg, PhysxRigidBodyPropertiesCfg
from usdsim.sensors import CameraCfg, RayCasterCfg
from usdsim.sim import SimulationCfg, SimulationContext
from usdsim.spawners import CuboidCfg, MultiAssetSpawnerCfg, PinholeCameraCfg
from usdsim.terrains import TerrainImporterCfg
from usdsim.usd.stage import create_stage

TURN = (0.6, 0.0, 0.0, 0.8)
"""As numbers: about z where w is first, about x where it is last."""


@pytest.fixture
def w_first():
    set_quaternion_order("wxyz")
    yield
    set_quaternion_order("xyzw")


@pytest.fixture
def simulation():
    with SimulationContext(SimulationCfg(dt=0.01)) as simulation:
        yield simulation


def spawned(rot=None):
    given = {} if rot is None else {"rot": rot}
    box = CuboidCfg(
        size=(0.1, 0.2, 0.3),
        rigid_props=PhysxRigidBodyPropertiesCfg(),
        mass_props=MassPropertiesCfg(mass=1.0),
    )
    state = RigidObjectCfg.InitialStateCfg(**given)
    return RigidObject(RigidObjectCfg(prim_path="/World/Box", spawn=box, init_state=state))


def test_assets_start_as_written_with_w_first(simulation, w_first):
    box = spawned(TURN)
    simulation.reset()
    np.testing.assert_allclose(box.data.root_quat_w.numpy(), [[0.0, 0.0, 0.8, 0.6]], atol=1e-6)
    # A turn about z by an angle of cosine 0.6^2 - 0.8^2, on the stage as well.
    prim = simulation.stage.GetPrimAtPath("/World/Box")
    matrix = np.array(UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(0.0))[:3, :3].T
    np.testing.assert_allclose(matrix @ [1.0, 0.0, 0.0], [-0.28, 0.96, 0.0], atol=1e-6)


def test_what_is_not_turned_is_not_turned_in_either_order(simulation, w_first):
    box = spawned()
    simulation.reset()
    assert identity_rot() == (1.0, 0.0, 0.0, 0.0) == box.cfg.init_state.rot
    np.testing.assert_array_equal(box.data.root_quat_w.numpy(), [[0.0, 0.0, 0.0, 1.0]])
    assert RayCasterCfg.OffsetCfg().pose("offset").quat.tolist() == [0.0, 0.0, 0.0, 1.0]


def test_offsets_of_sensors_are_in_the_order_that_was_chosen(w_first):
    for kind in (RayCasterCfg, CameraCfg):
        pose = kind.OffsetCfg(rot=TURN).pose("offset")
        np.testing.assert_allclose(quat_to_matrix(pose.quat)[:, 2], [0.0, 0.0, 1.0], atol=1e-12)


def test_offsets_of_end_effectors_are_in_the_order_that_was_chosen(w_first):
    pytest.importorskip("torch")
    from usdsim.envs.mdp.actions.end_effector import EndEffector, EndEffectorOffsetCfg

    class Arm:
        data, num_instances, device, is_fixed_base, num_base_dofs = None, 1, "cpu", True, 0
        find_bodies = find_joints = staticmethod(lambda names: ([0], ["hand"]))

    for rot, expected in (((), [0.0, 0.0, 0.0, 1.0]), ((TURN,), [0.0, 0.0, 0.8, 0.6])):
        offset = EndEffectorOffsetCfg((0.0, 0.0, 0.0), *rot)
        found = EndEffector(Arm(), "hand", ".*", offset)._offset[1]
        np.testing.assert_allclose(found.numpy(), [expected], atol=1e-6)


def test_cameras_are_spawned_where_their_offset_says(simulation, w_first):
    lens = PinholeCameraCfg()
    offset = CameraCfg.OffsetCfg(pos=(0.0, 0.0, 2.0), rot=(1.0, 0.0, 0.0, 0.0), convention="opengl")
    CameraCfg(prim_path="/World/Eye", width=4, height=4, spawn=lens, offset=offset).class_type(
        CameraCfg(prim_path="/World/Eye", width=4, height=4, spawn=lens, offset=offset)
    )
    eye = UsdGeom.Xformable(simulation.stage.GetPrimAtPath("/World/Eye"))
    matrix = np.array(eye.ComputeLocalToWorldTransform(0.0))
    np.testing.assert_allclose(matrix[:3, :3], np.eye(3), atol=1e-6)


def test_spawn_functions_take_orientations_in_the_order_that_was_chosen(w_first):
    stage = create_stage()
    box = CuboidCfg(size=(0.1, 0.2, 0.3))
    several = MultiAssetSpawnerCfg(assets_cfg=[box])
    for path, cfg in (("/One", box), ("/Several", several)):
        prim = cfg.func(path, cfg, orientation=TURN, stage=stage)
        matrix = np.array(UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(0.0))[:3, :3].T
        np.testing.assert_allclose(matrix @ [1.0, 0.0, 0.0], [-0.28, 0.96, 0.0], atol=1e-6)
    with pytest.raises(ShapeError, match="orientation of /Bad"):
        box.func("/Bad", box, orientation=(1.0, 0.0, 0.0), stage=stage)


def test_mesh_files_are_turned_in_the_order_that_was_chosen(tmp_path, w_first):
    file = tmp_path / "corner.obj"
    file.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    turned = MeshConverterCfg(rotation=TURN)
    for cfg, x in ((MeshConverterCfg(), [1.0, 0.0, 0.0]), (turned, [-0.28, 0.96, 0.0])):
        stage = create_stage()
        convert_mesh(file, stage, cfg)
        prim = UsdGeom.Xformable(stage.GetDefaultPrim())
        matrix = np.array(prim.ComputeLocalToWorldTransform(0.0))[:3, :3].T
        np.testing.assert_allclose(matrix @ [1.0, 0.0, 0.0], x, atol=1e-6)


def test_ground_is_level_on_stages_with_y_up(w_first):
    """Which turn it: by a quaternion that is ours, not the program's."""
    with SimulationContext(SimulationCfg(dt=0.01), stage=create_stage(up_axis="Y")) as simulation:
        terrain = TerrainImporterCfg(
            prim_path="/World/ground", terrain_type="plane", env_spacing=1.0
        )
        terrain.class_type(terrain)
        prim = simulation.stage.GetPrimAtPath("/World/ground/terrain")
        matrix = np.array(UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(0.0))[:3, :3]
        np.testing.assert_allclose(matrix[2], [0.0, 1.0, 0.0], atol=1e-6)


def test_quaternions_are_written_and_read_alike(w_first):
    quat = (0.1, 0.2, 0.3, 0.4)
    assert written_rot(quat) == (0.4, 0.1, 0.2, 0.3)
    assert quaternion_order.rot_quat(written_rot(quat)).tolist() == list(quat)


def test_the_environment_variable_chooses_and_other_orders_are_refused(monkeypatch):
    monkeypatch.setattr(quaternion_order, "_order", None)
    monkeypatch.setenv("USDSIM_QUATERNION_ORDER", "wxyz")
    assert quaternion_order.quaternion_order() == "wxyz"
    with pytest.raises(InvalidValueError, match="'xyzw', 'wxyz'"):
        set_quaternion_order("zyxw")
