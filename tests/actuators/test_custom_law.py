"""Actuators of users: classes from outside that define `compute`, within articulations."""

from dataclasses import dataclass

import numpy as np
import pytest
import warp as wp

from usdsim.actuators import (
    ActuatorBase,
    ActuatorCollection,
    ArticulationActions,
    DCMotor,
    DCMotorCfg,
    DelayedPDActuator,
    DelayedPDActuatorCfg,
    IdealPDActuator,
    IdealPDActuatorCfg,
    ImplicitActuator,
    ImplicitActuatorCfg,
)
from usdsim.core.errors import InvalidValueError, ShapeError

NAMES = ["hip", "knee", "ankle"]
ENVS = 4


class CubicSpring(IdealPDActuator):
    """Effort = gain (q* - q)^3, and a count of steps that a reset clears."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.calls, self.cleared = 0, []

    def reset(self, env_ids=None):
        super().reset(env_ids)
        self.cleared.append(env_ids)

    def compute(self, control_action, joint_pos, joint_vel):
        self.calls += 1
        error = control_action.joint_positions.numpy() - joint_pos.numpy()
        return ArticulationActions(joint_efforts=self.stiffness.numpy() * error**3)


@dataclass(kw_only=True)
class CubicSpringCfg(IdealPDActuatorCfg):
    class_type: type[ActuatorBase] = CubicSpring


class RubbingPD(IdealPDActuator):
    """The law of its base, less dry friction."""

    def compute(self, control_action, joint_pos, joint_vel):
        action = super().compute(control_action, joint_pos, joint_vel)
        action.joint_efforts = action.joint_efforts.numpy() - 0.5 * np.sign(joint_vel.numpy())
        return action


@dataclass(kw_only=True)
class RubbingPDCfg(IdealPDActuatorCfg):
    class_type: type[ActuatorBase] = RubbingPD


class Doubled(DelayedPDActuator):
    def compute(self, control_action, joint_pos, joint_vel):
        action = super().compute(control_action, joint_pos, joint_vel)
        return ArticulationActions(joint_efforts=2.0 * action.joint_efforts.numpy())


@dataclass(kw_only=True)
class DoubledCfg(DelayedPDActuatorCfg):
    class_type: type[ActuatorBase] = Doubled


def run(collection, seed=0, **fixed):
    """One step with random targets and states; all arrays by name."""
    rng = np.random.default_rng(seed)
    names = ("target", "velocity_target", "effort_target", "pos", "vel")
    given = {n: fixed.get(n, rng.normal(size=(ENVS, 3)).astype(np.float32)) for n in names}
    outputs = [wp.zeros((ENVS, 3), dtype=wp.float32, device="cpu") for _ in range(5)]
    inputs = [wp.array(given[n], dtype=wp.float32, device="cpu") for n in names]
    collection.compute(*inputs, *outputs)
    made = dict(
        zip(("position", "velocity", "effort", "computed", "applied"), outputs, strict=True)
    )
    return given, {name: array.numpy() for name, array in made.items()}


def collection(**cfgs):
    return ActuatorCollection.from_cfgs(cfgs, NAMES, ENVS, "cpu", seed=3)


def test_a_law_from_outside_makes_the_efforts_of_its_joints():
    own = CubicSpringCfg(joint_names_expr=["hip", "ankle"], stiffness=3.0, effort_limit=2.0)
    other = IdealPDActuatorCfg(joint_names_expr=["knee"], stiffness=5.0, damping=0.0)
    models = collection(own=own, other=other)
    given, made = run(models)
    error = (given["target"] - given["pos"])[:, [0, 2]].astype(np.float64)
    np.testing.assert_allclose(made["computed"][:, [0, 2]], 3.0 * error**3, rtol=1e-5)
    np.testing.assert_allclose(
        made["effort"][:, [0, 2]], np.clip(3.0 * error**3, -2.0, 2.0), rtol=1e-5
    )
    np.testing.assert_allclose(made["applied"], made["effort"])
    knee = 5.0 * (given["target"] - given["pos"])[:, 1] + given["effort_target"][:, 1]
    np.testing.assert_allclose(made["effort"][:, 1], knee, rtol=1e-5)
    assert not models.recordable and not models.implicit.any()


def test_a_law_may_build_on_that_of_its_base():
    models = collection(
        all=RubbingPDCfg(joint_names_expr=[".*"], stiffness=4.0, damping=0.5, effort_limit=100.0)
    )
    given, made = run(models)
    law = (
        4.0 * (given["target"] - given["pos"])
        + 0.5 * (given["velocity_target"] - given["vel"])
        + given["effort_target"]
        - 0.5 * np.sign(given["vel"])
    )
    np.testing.assert_allclose(made["effort"], law, rtol=1e-5, atol=1e-6)


def test_gains_written_later_act():
    models = collection(own=CubicSpringCfg(joint_names_expr=[".*"], stiffness=1.0))
    models["own"].stiffness = 7.0
    given, made = run(models)
    np.testing.assert_allclose(
        made["effort"], 7.0 * (given["target"] - given["pos"]) ** 3, rtol=1e-5
    )


def test_delays_of_the_base_happen_once():
    cfg = DoubledCfg(joint_names_expr=[".*"], stiffness=1.0, damping=0.0, min_delay=2, max_delay=2)
    models = collection(all=cfg)
    models.reset()
    zero = np.zeros((ENVS, 3), np.float32)
    targets = [np.full((ENVS, 3), value, np.float32) for value in (1.0, 2.0, 3.0, 4.0, 5.0)]
    seen = []
    for target in targets:
        rest = dict.fromkeys(("velocity_target", "effort_target", "pos", "vel"), zero)
        seen.append(run(models, target=target, **rest)[1]["effort"][0, 0])
    assert seen == [2.0, 2.0, 2.0, 4.0, 6.0]


def test_resets_reach_it():
    models = collection(own=CubicSpringCfg(joint_names_expr=[".*"], stiffness=1.0))
    run(models)
    models.reset([1, 2])
    (worlds,) = models["own"].cleared
    assert worlds.rows.numpy().tolist() == [1, 2]
    assert models["own"].calls == 1


def test_what_is_no_law_is_refused():
    class Nothing(IdealPDActuator):
        def compute(self, control_action, joint_pos, joint_vel):
            return None

    class Wrong(IdealPDActuator):
        def compute(self, control_action, joint_pos, joint_vel):
            return ArticulationActions(joint_efforts=np.zeros((2, 7)))

    class Driven(ImplicitActuator):
        def compute(self, control_action, joint_pos, joint_vel):
            return control_action

    with pytest.raises(InvalidValueError, match=r"compute\(\) of actuator group 'own'"):
        run(collection(own=IdealPDActuatorCfg(class_type=Nothing, joint_names_expr=[".*"])))
    with pytest.raises(ShapeError, match="joint_efforts"):
        run(collection(own=IdealPDActuatorCfg(class_type=Wrong, joint_names_expr=[".*"])))
    with pytest.raises(InvalidValueError, match="Driven"):
        collection(own=ImplicitActuatorCfg(class_type=Driven, joint_names_expr=[".*"]))


class SpeedLimited(DelayedPDActuator):
    """Its limit falls with the speed of its joints; what it applies rubs."""

    def _clip_effort(self, effort):
        limit = 4.0 / (1.0 + np.abs(self.inputs[4].numpy()))
        return np.clip(effort.numpy(), -limit, limit)

    def compute(self, control_action, joint_pos, joint_vel):
        action = super().compute(control_action, joint_pos, joint_vel)
        self.applied_effort = self.applied_effort.numpy() - 0.5 * np.sign(joint_vel.numpy())
        action.joint_efforts = self.applied_effort
        return action


class Halved(DCMotor):
    """Applies half of what the motor can."""

    def _clip_effort(self, effort):
        return 0.5 * super()._clip_effort(effort).numpy()


def test_limits_from_outside_take_the_place_of_those_of_the_base():
    """Also beyond `effort_limit`, and what was computed stays what it was before them."""
    cfg = DelayedPDActuatorCfg(
        class_type=SpeedLimited, joint_names_expr=[".*"], stiffness=30.0, damping=1.0,
        effort_limit=0.1,
    )  # fmt: skip
    models = collection(all=cfg)
    given, made = run(models)
    law = (
        30.0 * (given["target"] - given["pos"])
        + (given["velocity_target"] - given["vel"])
        + given["effort_target"]
    )
    limit = 4.0 / (1.0 + np.abs(given["vel"]))
    applied = np.clip(law, -limit, limit) - 0.5 * np.sign(given["vel"])
    np.testing.assert_allclose(made["computed"], law, rtol=1e-5)
    np.testing.assert_allclose(made["effort"], applied, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(made["applied"], applied, rtol=1e-5, atol=1e-6)


def test_limits_may_build_on_those_of_the_base():
    own, plain = (
        DCMotorCfg(
            class_type=kind,
            joint_names_expr=[".*"],
            stiffness=30.0,
            damping=1.0,
            effort_limit=3.0,
            saturation_effort=5.0,
            velocity_limit=4.0,
        )
        for kind in (Halved, DCMotor)
    )
    half, whole = run(collection(all=own))[1], run(collection(all=plain))[1]
    np.testing.assert_allclose(half["computed"], whole["computed"], rtol=1e-6)
    np.testing.assert_allclose(half["applied"], 0.5 * whole["applied"], rtol=1e-6)
    assert (np.abs(whole["applied"]) < np.abs(whole["computed"])).any()
