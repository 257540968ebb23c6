"""The life of a simulation."""

from dataclasses import replace

import numpy as np
import pytest
from environments_stage import ENV, author, environments, shape, world_position
from pxr import Sdf, Usd, UsdGeom, UsdPhysics, UsdShade

from usdsim.assets.participation import current_simulation
from usdsim.core.errors import (
    InvalidValueError,
    ParseError,
    SimulationError,
    StageError,
    UnknownNameError,
)
from usdsim.parser import parse_stage
from usdsim.sim import SimulationCfg, SimulationContext, build_simulation_context
from usdsim.spawners import RigidBodyMaterialCfg
from usdsim.usd import create_stage, current_stage, define_prim, use_stage

pytestmark = pytest.mark.usefixtures("simulation_ends")

TYPES = Sdf.ValueTypeNames


def ball(stage=None):
    """A ball 10 m above nothing."""
    stage = stage or create_stage()
    shape(stage, "/ball", (0.0, 0.0, 10.0), kind="Sphere", mass=1.0)
    return stage


class Probe:
    """A participant that writes down what happens to it."""

    def __init__(self, simulation, name="", log=None):
        self.name, self.log = name, [] if log is None else log
        self.engine = None
        simulation.register(self)

    def prepare(self, scene):
        self.log.append(f"prepare {self.name}".strip())
        return scene

    def initialize(self, simulation):
        self.log.append(f"initialize {self.name}".strip())
        self.engine = simulation.engine

    def invalidate(self):
        self.log.append(f"invalidate {self.name}".strip())
        self.engine = None


# -- life ---------------------------------------------------------------------------------------


def test_there_is_one_simulation_at_a_time():
    assert SimulationContext.instance() is None
    simulation = SimulationContext(stage=ball())
    assert SimulationContext.instance() is simulation and current_simulation() is simulation
    assert SimulationContext() is simulation
    with pytest.raises(StageError, match="simulation already"):
        SimulationContext(stage=ball())
    SimulationContext.clear_instance()
    SimulationContext.clear_instance()
    assert SimulationContext.instance() is None
    with pytest.raises(StageError, match="no simulation"):
        current_simulation()


def test_simulations_that_were_ended_do_not_start_again():
    """Their assets would not take part."""
    simulation = SimulationContext(stage=ball())
    simulation.reset()
    SimulationContext.clear_instance()
    for call in (simulation.reset, simulation.play, simulation.step):
        with pytest.raises(StageError, match="was ended"):
            call()


def test_with_blocks_end_simulations():
    with pytest.raises(RuntimeError, match="stop here"), SimulationContext(stage=ball()) as first:
        first.reset()
        raise RuntimeError("stop here")
    assert SimulationContext.instance() is None and first.is_stopped()
    with SimulationContext(stage=ball()) as second:
        first.__exit__(None, None, None)
        assert SimulationContext.instance() is second
    with build_simulation_context(SimulationCfg(dt=0.01)) as third:
        with build_simulation_context() as fourth:
            assert third.stage is not fourth.stage
        assert SimulationContext.instance() is None


def test_it_works_on_the_current_stage_or_makes_one():
    stage = ball()
    with use_stage(stage), SimulationContext() as simulation:
        assert simulation.stage is stage
    with SimulationContext() as simulation:
        assert current_stage() is simulation.stage
        assert UsdGeom.GetStageUpAxis(simulation.stage) == "Z"
    with pytest.raises(StageError, match="no current stage"):
        current_stage()


def test_nothing_runs_before_reset():
    simulation = SimulationContext(stage=environments(3))
    assert simulation.is_stopped() and not simulation.is_playing()
    for use in (
        simulation.step,
        simulation.forward,
        simulation.write_back,
        lambda: simulation.reset(soft=True),
        lambda: simulation.engine,
        lambda: simulation.report,
        lambda: simulation.notes,
        lambda: simulation.physics_dt,
    ):
        with pytest.raises(StageError, match=r"not started. Call reset\(\)"):
            use()
    assert simulation.num_envs == 3 and simulation.env_paths[0] == ENV
    assert simulation.env_origins.shape == (3, 3)
    assert simulation.current_time == 0.0


def test_play_pause_stop():
    simulation = SimulationContext(SimulationCfg(dt=0.01), ball())
    calls = []
    simulation.add_play_callback("a", lambda: calls.append("play"))
    simulation.add_stop_callback("a", lambda: calls.append("stop"))
    simulation.play()
    assert simulation.is_playing() and simulation.physics_dt == simulation.get_physics_dt() == 0.01
    simulation.step()
    simulation.pause()
    assert simulation.is_paused() and not simulation.is_playing() and not simulation.is_stopped()
    with pytest.raises(StageError, match=r"paused. Call play\(\)"):
        simulation.step()
    assert simulation.engine.read("qpos")[0, 2] < 10.0
    simulation.play()
    simulation.play()
    simulation.step_n(9)
    np.testing.assert_allclose(simulation.current_time, 0.1)
    np.testing.assert_allclose(simulation.engine.time, 0.1)
    simulation.stop()
    simulation.stop()
    simulation.pause()
    assert simulation.is_stopped()
    assert calls == ["play", "play", "stop"]


def test_soft_reset_returns_and_hard_reset_reads_again():
    stage = ball()
    simulation = SimulationContext(stage=stage)
    simulation.reset()
    engine = simulation.engine
    simulation.step_n(10)
    simulation.reset(soft=True)
    assert simulation.engine is engine and simulation.current_time == 0.0
    assert engine.read("qpos")[0, 2] == 10.0
    author(stage, "/ball", "xformOp:translate", TYPES.Double3, (0.0, 0.0, 5.0))
    simulation.reset()
    assert simulation.engine is not engine
    assert simulation.engine.read("qpos")[0, 2] == 5.0


def test_participants_are_called_in_order():
    simulation = SimulationContext(stage=ball())
    log = []
    first, second = Probe(simulation, "1", log), Probe(simulation, "2", log)
    simulation.register(first)
    simulation.reset()
    assert log == ["prepare 1", "prepare 2", "initialize 1", "initialize 2"]
    assert first.engine is simulation.engine
    log.clear()
    simulation.unregister(second)
    simulation.reset()
    assert log == ["invalidate 1", "prepare 1", "initialize 1"]
    log.clear()
    SimulationContext.clear_instance()
    assert log == ["invalidate 1"] and first.engine is None


def test_participants_change_what_is_compiled():
    class Doubler(Probe):
        def prepare(self, scene):
            bodies = tuple(replace(body, mass=2.0 * body.mass) for body in scene.bodies)
            return replace(scene, bodies=bodies)

    simulation = SimulationContext(stage=ball())
    Doubler(simulation)
    simulation.reset()
    assert simulation.engine.param("body_mass")[0, 1] == 2.0


def test_a_participant_that_fails_stops_the_simulation():
    class Broken(Probe):
        def initialize(self, simulation):
            raise InvalidValueError("joint pattern", "x", "names")

    simulation = SimulationContext(stage=ball())
    probe, broken = Probe(simulation), Broken(simulation)
    with pytest.raises(InvalidValueError, match="joint pattern"):
        simulation.reset()
    assert simulation.is_stopped() and probe.engine is None
    simulation.unregister(broken)
    simulation.reset()
    assert simulation.is_playing()


def test_a_stage_that_cannot_be_simulated_leaves_it_stopped():
    simulation = SimulationContext(stage=create_stage())
    wrong = define_prim(simulation.stage, "/World/Wrong", "Cube")
    UsdPhysics.RigidBodyAPI.Apply(wrong)
    mass = UsdPhysics.MassAPI.Apply(wrong).CreateMassAttr(-1.0)
    with pytest.raises(ParseError, match="/World/Wrong"):
        simulation.reset()
    assert simulation.is_stopped()
    mass.Set(1.0)
    ball(simulation.stage)
    simulation.reset()
    assert simulation.is_playing()


# -- stepping -----------------------------------------------------------------------------------


def test_physics_callbacks_come_before_every_step():
    simulation = SimulationContext(SimulationCfg(dt=0.01), ball())
    calls = []
    simulation.add_physics_callback(
        "count", lambda dt: calls.append((dt, float(simulation.engine.time[0])))
    )
    simulation.reset()
    simulation.step()
    simulation.step_n(2)
    np.testing.assert_allclose(calls, [(0.01, 0.0), (0.01, 0.01), (0.01, 0.02)])
    simulation.remove_physics_callback("count")
    simulation.step()
    assert len(calls) == 3


def test_callbacks_are_checked():
    simulation = SimulationContext(stage=ball())
    for add, remove in (
        (simulation.add_physics_callback, simulation.remove_physics_callback),
        (simulation.add_play_callback, simulation.remove_play_callback),
        (simulation.add_stop_callback, simulation.remove_stop_callback),
        (simulation.add_render_callback, simulation.remove_render_callback),
    ):
        add("a", lambda *_: None)
        with pytest.raises(InvalidValueError, match=r"'a'.*Remove the other first"):
            add("a", lambda *_: None)
        with pytest.raises(InvalidValueError, match="a function"):
            add("b", None)
        with pytest.raises(UnknownNameError, match="Available: a"):
            remove("b")
        remove("a")


@pytest.mark.parametrize("n", [-1, 1.5, True])
def test_step_counts_are_checked(n):
    simulation = SimulationContext(stage=ball())
    simulation.reset()
    with pytest.raises(InvalidValueError, match="n is"):
        simulation.step_n(n)
    simulation.step_n(0)
    assert simulation.current_time == 0.0


def test_failures_are_raised_reset_or_reported():
    for policy in ("raise", "reset", "report"):
        stage = environments(2)
        with SimulationContext(SimulationCfg(on_failure=policy), stage) as simulation:
            simulation.reset()
            engine = simulation.engine
            joint = engine.compiled.names.index("joint", f"{ENV}/ball")
            dof = engine.compiled.mj.jnt_dofadr[joint]
            engine.write("qvel", np.nan, [1], [dof])
            if policy == "raise":
                with pytest.raises(SimulationError) as caught:
                    simulation.step()
                assert caught.value.worlds == (1,)
            else:
                simulation.step()
            assert engine.failures[0].world == 1


# -- configuration ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"dt": 0.0},
        {"dt": float("nan")},
        {"dt": "fast"},
        {"device": "tpu"},
        {"render_interval": 0},
        {"gravity": (0.0, 1.0)},
        {"gravity": (0.0, 0.0, float("inf"))},
        {"on_failure": "ignore"},
        {"threads": -1},
        {"precedence": ("mjc", "ode")},
    ],
    ids=lambda change: next(iter(change)),
)
def test_configurations_are_checked(change):
    with pytest.raises(InvalidValueError, match=next(iter(change))):
        SimulationContext(SimulationCfg(**change), ball()).reset()


def test_configurations_are_copied():
    cfg = SimulationCfg(dt=0.01)
    simulation = SimulationContext(cfg, ball())
    simulation.cfg.dt = 0.5
    assert cfg.dt == 0.01


@pytest.mark.parametrize(("up_axis", "unit"), [("Z", 1.0), ("Y", 0.01)])
def test_a_physics_scene_is_authored_where_there_is_none(up_axis, unit):
    stage = create_stage(up_axis=up_axis, meters_per_unit=unit)
    cfg = SimulationCfg(dt=0.005, gravity=(1.0, 0.0, -2.0))
    simulation = SimulationContext(cfg, stage)
    scene = UsdPhysics.Scene(stage.GetPrimAtPath("/physicsScene"))
    assert scene
    size = float(np.linalg.norm(cfg.gravity))
    np.testing.assert_allclose(scene.GetGravityMagnitudeAttr().Get(), size / unit, rtol=1e-6)
    ball(stage)
    read = parse_stage(stage).scene
    np.testing.assert_allclose(read.gravity, cfg.gravity, rtol=1e-6)
    assert read.timestep == 0.005
    simulation.reset()
    assert simulation.notes == ()
    np.testing.assert_array_equal(simulation.engine.param("opt.gravity")[0], cfg.gravity)


def test_steps_that_are_no_whole_rate_are_simulated_all_the_same():
    simulation = SimulationContext(SimulationCfg(dt=0.003), ball())
    simulation.reset()
    assert simulation.physics_dt == 0.003


def _with_scene(stage):
    scene = UsdPhysics.Scene.Define(stage, "/World/scene")
    scene.CreateGravityMagnitudeAttr(1.5)
    author(stage, "/World/scene", "newton:timeStepsPerSecond", TYPES.Int, 400)
    return stage


def test_without_configuration_the_stage_counts():
    stage = _with_scene(ball())
    before = stage.GetRootLayer().ExportToString()
    simulation = SimulationContext(stage=stage)
    simulation.reset()
    assert stage.GetRootLayer().ExportToString() == before
    assert simulation.physics_dt == 1.0 / 400.0
    np.testing.assert_allclose(simulation.engine.param("opt.gravity")[0], [0.0, 0.0, -1.5])


def test_what_a_configuration_says_wins_and_is_said(caplog):
    stage = _with_scene(ball())
    simulation = SimulationContext(SimulationCfg(dt=0.01, gravity=None), stage)
    assert not stage.GetPrimAtPath("/physicsScene")
    simulation.reset()
    assert simulation.physics_dt == 0.01
    np.testing.assert_allclose(simulation.engine.param("opt.gravity")[0], [0.0, 0.0, -1.5])
    assert [message for _, message in simulation.notes] == [
        "time step 0.0025 s gives way to 0.01 s"
    ]
    assert "time step 0.0025 s gives way" in caplog.text


def test_warnings_of_the_stage_are_counted_in_the_log(caplog):
    stage = ball()
    UsdPhysics.FixedJoint.Define(stage, "/j").CreateBody1Rel().SetTargets(["/gone"])
    with SimulationContext(SimulationCfg(), stage) as simulation:
        simulation.reset()
        assert simulation.report.by_code("dangling-joint")
    assert "1 warning; SimulationContext.report has them" in caplog.text


def test_it_wins_over_the_mujoco_dialect_without_changing_its_rules():
    stage = ball()
    scene = define_prim(stage, "/scene", "PhysicsScene")
    scene.AddAppliedSchema("MjcSceneAPI")
    author(stage, "/scene", "mjc:option:timestep", TYPES.Double, 0.001)
    author(stage, "/scene", "mjc:option:gravity", TYPES.Double3, (0.0, 0.0, -3.0))
    with SimulationContext(stage=stage) as simulation:
        simulation.reset()
        authored = simulation.engine.compiled.mj
        assert authored.opt.timestep == 0.001 and authored.opt.gravity[2] == -3.0
    with SimulationContext(SimulationCfg(dt=0.004), stage) as simulation:
        simulation.reset()
        model = simulation.engine.compiled.mj
        assert len(simulation.notes) == 2
    assert model.opt.timestep == 0.004 and model.opt.gravity[2] == -9.81
    np.testing.assert_array_equal(model.geom_solref, authored.geom_solref)
    assert model.opt.cone == authored.opt.cone


def test_the_default_material_holds_for_colliders_without_one():
    material = RigidBodyMaterialCfg(static_friction=0.9, dynamic_friction=0.8)
    stage = ball()
    for stage in (ball(), _with_scene(ball())):
        with SimulationContext(SimulationCfg(physics_material=material), stage) as simulation:
            simulation.reset()
            assert simulation.engine.compiled.scene.geoms[0].material is not None
            np.testing.assert_allclose(simulation.engine.param("geom_friction")[0, 0, 0], 0.8)
        # Once more on the same stage, with another.
        other = RigidBodyMaterialCfg(static_friction=0.3, dynamic_friction=0.3)
        with SimulationContext(SimulationCfg(physics_material=other), stage) as simulation:
            simulation.reset()
            np.testing.assert_allclose(simulation.engine.param("geom_friction")[0, 0, 0], 0.3)


def test_strict_refuses_what_has_no_effect():
    stage = ball()
    author(stage, "/ball", "physics:madeUp", TYPES.Bool, True)
    simulation = SimulationContext(SimulationCfg(strict=True), stage)
    with pytest.raises(ParseError, match="madeUp"):
        simulation.reset()


# -- looking on ---------------------------------------------------------------------------------


@pytest.mark.parametrize("env_id", [0, 2])
def test_worlds_are_shown_without_changing_what_is_authored(env_id):
    stage = environments(3)
    simulation = SimulationContext(SimulationCfg(dt=0.005), stage)
    layer = stage.GetRootLayer().ExportToString()
    simulation.reset()
    simulation.step_n(20)
    simulation.write_back(env_id)
    engine = simulation.engine
    body = engine.compiled.names.index("body", f"{ENV}/ball")
    path = f"/World/envs/env_{env_id}/ball"
    np.testing.assert_allclose(
        world_position(stage, path), engine.read("xpos")[env_id, body], atol=1e-6
    )
    simulation.step_n(20)
    simulation.write_back(env_id)
    np.testing.assert_allclose(
        world_position(stage, path), engine.read("xpos")[env_id, body], atol=1e-6
    )
    assert stage.GetRootLayer().ExportToString() == layer
    fallen = engine.read("xpos")[env_id, body, 2]
    simulation.reset()
    assert fallen < simulation.engine.read("xpos")[env_id, body, 2]
    start = world_position(stage, path)
    np.testing.assert_allclose(start, simulation.engine.read("xpos")[env_id, body], atol=1e-6)


def test_rendering_follows_its_interval():
    simulation = SimulationContext(SimulationCfg(dt=0.01, render_interval=3), environments(2))
    shown = []
    simulation.reset()
    body = simulation.engine.compiled.names.index("body", f"{ENV}/ball")
    simulation.add_render_callback("look", lambda: shown.append(simulation.current_time))
    for _ in range(7):
        simulation.step(render=True)
    simulation.step_n(2, render=True)
    simulation.step()
    np.testing.assert_allclose(shown, [0.03, 0.06, 0.09])
    simulation.render_env = 1
    simulation.render()
    np.testing.assert_allclose(
        world_position(simulation.stage, "/World/envs/env_1/ball"),
        simulation.engine.read("xpos")[1, body],
        atol=1e-6,
    )


def test_worlds_that_are_not_there_are_not_shown():
    simulation = SimulationContext(stage=environments(2))
    simulation.reset()
    for env_id in (-1, 2):
        with pytest.raises(InvalidValueError, match="env_id"):
            simulation.write_back(env_id)
        with pytest.raises(InvalidValueError, match="env_id"):
            simulation.recorder("film.usda", env_id)


def test_a_stage_without_session_layer_cannot_be_shown_on():
    source = ball()
    stage = Usd.Stage.Open(source.GetRootLayer(), sessionLayer=None)
    simulation = SimulationContext(stage=stage)
    simulation.reset()
    with pytest.raises(StageError, match="session layer"):
        simulation.write_back()


def test_worlds_are_recorded(tmp_path):
    simulation = SimulationContext(SimulationCfg(dt=0.01), environments(2))
    simulation.reset()
    body = simulation.engine.compiled.names.index("body", f"{ENV}/ball")
    simulation.write_back(1)
    with simulation.recorder(tmp_path / "film.usda", env_id=1, fps=50) as recorder:
        for _ in range(20):
            recorder.record()
            last = simulation.engine.read("xpos")[1, body].copy()
            simulation.step_n(2)
    film = Usd.Stage.Open(str(tmp_path / "film.usda"))
    cache = UsdGeom.XformCache(Usd.TimeCode(film.GetEndTimeCode()))
    shown = cache.GetLocalToWorldTransform(film.GetPrimAtPath("/World/envs/env_1/ball"))
    np.testing.assert_allclose(np.array(shown)[3, :3], last, atol=1e-6)


def test_a_recording_has_one_environment_and_what_all_share(tmp_path):
    stage = environments(3)
    look = UsdShade.Material.Define(stage, "/World/envs/env_0/look")
    UsdShade.MaterialBindingAPI.Apply(stage.GetPrimAtPath("/World/envs/env_2/ball")).Bind(look)
    shape(stage, "/World/shelf", (5.0, 0.0, 0.0), body=False)
    simulation = SimulationContext(SimulationCfg(dt=0.01), stage)
    simulation.reset()
    with simulation.recorder(tmp_path / "film.usda", env_id=2) as recorder:
        simulation.step_n(2)
        recorder.record()
    film = Usd.Stage.Open(str(tmp_path / "film.usda"))
    names = [child.GetName() for child in film.GetPrimAtPath("/World/envs").GetChildren()]
    assert names == ["env_0", "env_2"]
    # Of the first environment only what the shown one looks like.
    assert [child.GetName() for child in film.GetPrimAtPath(ENV).GetChildren()] == ["look"]
    assert film.GetPrimAtPath("/World/shelf") and stage.GetPrimAtPath(f"{ENV}/ball")
    ball_prim = film.GetPrimAtPath("/World/envs/env_2/ball")
    assert UsdShade.MaterialBindingAPI(ball_prim).ComputeBoundMaterial()[0]


def test_blocks_take_the_parts_of_a_configuration():
    with build_simulation_context(
        gravity_enabled=False, dt=0.02, add_ground_plane=True, add_lighting=True
    ) as simulation:
        assert (simulation.cfg.gravity, simulation.cfg.dt) == ((0.0, 0.0, 0.0), 0.02)
        for name in ("defaultGroundPlane", "defaultDomeLight"):
            assert simulation.stage.GetPrimAtPath(f"/World/{name}")
        stage = simulation.stage
        with build_simulation_context(False) as again:
            assert again.stage is stage and again is not simulation
    with (
        pytest.raises(InvalidValueError, match="sim_cfg"),
        build_simulation_context(SimulationCfg(), sim_cfg=SimulationCfg()),
    ):
        pass


def test_settings_of_others_are_told_of(caplog):
    caplog.set_level("INFO", "usdsim")
    with SimulationContext(SimulationCfg(render={"samples": 4}, use_fabric=True), ball()):
        assert "render, use_fabric have no effect" in caplog.text
