"""Sensors where the stage, the engine or the scene has something particular."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from device_under_test import CLOSE, assert_repeated
from sensor_stages import ANY, ENV, G, box, floor, vectors

from usdsim.assets import RigidObjectCfg
from usdsim.converters import convert
from usdsim.core.errors import StageError
from usdsim.schemas import CollisionBaseCfg, MassPropertiesCfg, RigidBodyBaseCfg
from usdsim.sensors import (
    ContactSensorCfg,
    FrameTransformerCfg,
    ImuCfg,
    JointWrenchSensorCfg,
    RayCasterCfg,
)
from usdsim.sensors.patterns import GridPatternCfg
from usdsim.sim.cfg import SimulationCfg
from usdsim.sim.context import SimulationContext
from usdsim.sim.interactive_scene.cfg import InteractiveSceneCfg
from usdsim.sim.interactive_scene.interactive_scene import InteractiveScene
from usdsim.spawners import CuboidCfg
from usdsim.usd import create_stage, open_stage

pytestmark = pytest.mark.usefixtures("device")


def dropped(stage):
    floor(stage)
    box(stage, f"{ENV}/box", (0, 0, 0.1), mass=2.0)


def every_kind(path, ground):
    """A configuration of every sensor on one body."""
    frame = FrameTransformerCfg.FrameCfg(prim_path=path)
    return [
        ContactSensorCfg(prim_path=path, track_pose=True),
        ImuCfg(prim_path=path),
        RayCasterCfg(
            prim_path=path,
            mesh_prim_paths=[ground],
            pattern_cfg=GridPatternCfg(size=(0.0, 0.0)),
        ),
        FrameTransformerCfg(prim_path=path, target_frames=[frame]),
        JointWrenchSensorCfg(prim_path=path),
    ]


def readings(sensor):
    found = {}
    for field in dataclasses.fields(sensor.data):
        value = getattr(sensor.data, field.name)
        if hasattr(value, "numpy"):
            found[field.name] = vectors(value)
    return found


def test_all_arrays_are_32_bit_floats_with_an_entry_for_each_instance(make_sim):
    sim = make_sim(dropped, envs=3)
    sensors = [cfg.class_type(cfg) for cfg in every_kind(f"{ANY}/box", "/World/floor")]
    sim.reset()
    for sensor in sensors:
        found = readings(sensor)
        assert len(found) >= 4
        assert sensor.num_instances == 3 and sensor.device == sim.device and sensor.is_initialized
        for name, array in found.items():
            assert array.dtype == np.float32 and len(array) == 3, name


def test_sensors_go_on_when_the_engine_replaces_its_arrays(make_sim):
    """Moving a centre of mass makes the engine compile anew, which replaces all its arrays."""
    sim = make_sim(dropped)
    sensors = [cfg.class_type(cfg) for cfg in every_kind(f"{ANY}/box", "/World/floor")]
    sim.reset()
    for sensor in sensors:
        readings(sensor)
    arrays = sim.engine.versions.arrays
    body = sim.engine.compiled.names.index("body", f"{ENV}/box")
    sim.engine.set_param("body_ipos", [0.01, 0.0, 0.0], ids=[body])
    assert sim.engine.versions.arrays > arrays
    qpos = sim.engine.read("qpos").copy()
    qpos[:, 2] = 2.5
    sim.engine.write("qpos", qpos)
    contact, imu, rays, frames, _ = (readings(sensor) for sensor in sensors)
    assert not contact["net_forces_w"].any()
    assert imu["pos_w"][:, 2] == pytest.approx(2.5) == contact["pos_w"][:, 0, 2]
    assert rays["distances"][:, 0] == pytest.approx(2.5)
    assert frames["target_pos_w"][:, 0, 2] == pytest.approx(2.5)
    sim.step_n(3)
    assert (readings(sensors[1])["pos_w"][:, 2] < 2.5).all()


def test_sensors_bind_anew_when_the_simulation_restarts(make_sim):
    sim = make_sim(dropped)
    sensors = [cfg.class_type(cfg) for cfg in every_kind(f"{ANY}/box", "/World/floor")]
    sim.reset()
    before = [readings(sensor) for sensor in sensors]
    sim.step_n(5)
    sim.reset()
    for sensor, old in zip(sensors, before, strict=True):
        for name, array in readings(sensor).items():
            assert_repeated(array, old[name], name)


def _converted(tmp_path, xml):
    source, target = tmp_path / "model.xml", tmp_path / "model.usda"
    source.write_text(xml)
    convert(source, target)
    return open_stage(target)


def test_bodies_without_a_source_name_are_measured(tmp_path):
    stage = _converted(
        tmp_path,
        """<mujoco><worldbody><geom type="plane" size="5 5 .1"/>
        <body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" mass="3"/></body>
        </worldbody></mujoco>""",
    )
    path = next(str(p.GetPath()) for p in stage.Traverse() if "PhysicsRigidBodyAPI" in
                p.GetAppliedSchemas())  # fmt: skip
    ground = next(str(p.GetPath()) for p in stage.Traverse() if p.GetTypeName() == "Plane")
    with SimulationContext(stage=stage) as sim:
        cfg = ContactSensorCfg(prim_path=path, filter_prim_paths_expr=[ground])
        sensor = cfg.class_type(cfg)
        sim.reset()
        sim.step_n(400)
        assert vectors(sensor.data.net_forces_w)[0, 0] == pytest.approx([0, 0, 3 * G], abs=5e-3)
        assert vectors(sensor.data.force_matrix_w)[0, 0, 0, 2] == pytest.approx(3 * G, abs=5e-3)


def test_contact_forces_need_the_sensors_of_the_engine(tmp_path):
    stage = _converted(
        tmp_path,
        """<mujoco><option><flag sensor="disable"/></option><worldbody>
        <body name="ball" pos="0 0 .1"><freejoint/><geom size=".1" mass="3"/></body>
        </worldbody></mujoco>""",
    )
    path = next(str(p.GetPath()) for p in stage.Traverse() if p.GetName() == "ball")
    with SimulationContext(stage=stage) as sim:
        cfg = ContactSensorCfg(prim_path=path)
        cfg.class_type(cfg)
        with pytest.raises(StageError, match="disables the engine's sensors"):
            sim.reset()


@dataclasses.dataclass(kw_only=True)
class CubeOnSlab(InteractiveSceneCfg):
    """A cube of 2 kg that lies on a slab, and a sensor on it."""

    slab = RigidObjectCfg(
        class_type=None,
        prim_path="{ENV_REGEX_NS}/slab",
        spawn=CuboidCfg(size=(1.0, 1.0, 0.2), collision_props=CollisionBaseCfg()),
        init_state=RigidObjectCfg.InitialStateCfg(pos=(0, 0, -0.1)),
    )
    cube = RigidObjectCfg(
        prim_path="{ENV_REGEX_NS}/cube",
        spawn=CuboidCfg(
            size=(0.2, 0.2, 0.2),
            mass_props=MassPropertiesCfg(mass=2.0),
            rigid_props=RigidBodyBaseCfg(),
            collision_props=CollisionBaseCfg(),
        ),
        init_state=RigidObjectCfg.InitialStateCfg(pos=(0, 0, 0.1)),
    )
    contact = ContactSensorCfg(
        prim_path="{ENV_REGEX_NS}/cube",
        track_air_time=True,
        filter_prim_paths_expr=["{ENV_REGEX_NS}/slab"],
    )


def test_sensors_are_part_of_an_interactive_scene():
    stage = create_stage()
    with SimulationContext(SimulationCfg(dt=0.005), stage) as sim:
        scene = InteractiveScene(CubeOnSlab(num_envs=3, env_spacing=2.0))
        sim.reset()
        for _ in range(100):
            scene.write_data_to_sim()
            sim.step()
            scene.update(sim.physics_dt)
        data = scene["contact"].data
        assert vectors(data.net_forces_w)[:, 0, 2] == pytest.approx(2 * G, rel=1e-3)
        assert vectors(data.force_matrix_w)[:, 0, 0, 2] == pytest.approx(2 * G, rel=1e-3)
        assert vectors(data.current_contact_time)[:, 0] == pytest.approx(0.5, abs=0.02)
        scene.reset([1])
        now = vectors(data.current_contact_time)[:, 0]
        assert now[1] == 0.0 and (now[[0, 2]] > 0.4).all()


def test_recorded_steps_measure_what_separate_calls_do(device):
    """Sensors with histories, with periods that some instances miss, and read now and then."""
    path = "{ENV_REGEX_NS}/cube"
    target = FrameTransformerCfg.FrameCfg(prim_path=path)
    pattern = GridPatternCfg(size=(0.2, 0.2), resolution=0.1)
    slab = ["{ENV_REGEX_NS}/slab"]

    def play(recorded):
        cfg = CubeOnSlab(num_envs=3, env_spacing=2.0)
        cfg.cube.init_state.pos = (0.0, 0.0, 0.13)
        cfg.contact.history_length = 3
        cfg.imu = ImuCfg(prim_path=path, update_period=0.01)
        cfg.rays = RayCasterCfg(
            prim_path=path, mesh_prim_paths=slab, pattern_cfg=pattern, update_period=0.02
        )
        cfg.wrench = JointWrenchSensorCfg(prim_path=path, history_length=2)
        cfg.frames = FrameTransformerCfg(prim_path=path, target_frames=[target])
        moments = []
        with SimulationContext(SimulationCfg(dt=0.005), create_stage()) as sim:
            scene = InteractiveScene(cfg)
            sim.reset()
            for moment in range(6):
                if recorded:
                    scene.simulate(7)
                else:
                    for _ in range(7):
                        scene.write_data_to_sim()
                        sim.step(render=False)
                        scene.update(sim.physics_dt)
                if moment == 1:
                    scene.reset([1])
                if moment == 2:
                    sim.engine.set_param("opt.gravity", [0.1, 0.0, -9.0])
                moments.append({k: readings(v) for k, v in scene.sensors.items()})
        return moments

    wanted, found = play(False), play(True)
    assert len(wanted[0]) == 5
    for moment, (expected, sensors) in enumerate(zip(wanted, found, strict=True)):
        for name, arrays in expected.items():
            for quantity, array in arrays.items():
                where = f"{name}.{quantity} at {moment}"
                np.testing.assert_allclose(
                    sensors[name][quantity], array, CLOSE, CLOSE, err_msg=where
                )
    assert wanted[-1]["contact"]["current_contact_time"].min() > 0.0
    assert wanted[-1]["contact"]["last_air_time"].max() > 0.0
    falling, landed = (wanted[moment]["imu"]["lin_acc_b"] for moment in (1, 3))
    assert np.abs(landed - falling).max() > 1.0
