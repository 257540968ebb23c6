"""Actuator prims: ``NewtonActuator`` and ``MjcActuator``."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import ClassVar

from pxr import Sdf, Usd

from usdsim.core.dialects.mjc_tokens import BIAS, DYNAMICS, GAIN
from usdsim.core.errors import InvalidValueError, StageError
from usdsim.schemas.authoring.family import Family
from usdsim.schemas.authoring.plan import plan
from usdsim.schemas.authoring.result import SchemaResult
from usdsim.schemas.authoring.scope import Scope, joint_axis, plain_scope
from usdsim.schemas.authoring.table import attribute, attributes_of
from usdsim.usd.prims import define_prim
from usdsim.usd.stage import stage_or_current

from .cfg import SchemaCfg, schema_cfg

__all__ = [
    "ActuatorBaseCfg",
    "MujocoActuatorCfg",
    "NewtonActuatorCfg",
    "define_actuator",
    "modify_actuator",
    "read_actuator",
    "replace_actuators",
]

_PID = "NewtonPIDControlAPI"
_dc = attributes_of("NewtonDCMotorClampingAPI")
_TABLE = "NewtonPositionBasedClampingAPI"
_LIMITED = ("true", "false", "auto")
_control = attributes_of("{control}")


@schema_cfg
class ActuatorBaseCfg(SchemaCfg):
    """An actuator prim."""

    prim_type: ClassVar[str] = ""


@schema_cfg
class NewtonActuatorCfg(ActuatorBaseCfg):
    """A control law on one joint, in the joint's own coordinates and radians.

    effort = constant + kp (q* - q) + kd (v* - v) + ki (integral of q* - q), then clamped.
    """

    prim_type: ClassVar[str] = "NewtonActuator"

    targets: str | Sequence[str] | None = attribute(
        "newton:targets", "Path of the joint it drives.", type="rel"
    )
    const_effort: float | None = _control(
        "newton:constEffort", "Constant effort [N m or N].", unit="torque", linear="force"
    )
    kp: float | None = _control(
        "newton:kp",
        "Stiffness [N m/rad or N/m].",
        unit="torque/radian",
        linear="force/distance",
        range="[0, inf)",
    )
    kd: float | None = _control(
        "newton:kd",
        "Damping [N m s/rad or N s/m].",
        unit="torque*second/radian",
        linear="force*second/distance",
        range="[0, inf)",
    )
    ki: float | None = attribute(
        "newton:ki",
        "Gain of the integral [N m/(rad s) or N/(m s)].",
        api=_PID,
        unit="torque/radian",
        linear="force/distance",
        range="[0, inf)",
    )
    integral_max: float | None = attribute(
        "newton:integralMax",
        "Largest integral [rad s or m s].",
        api=_PID,
        unit="",
        linear="distance",
        range="[0, inf)",
    )
    delay_steps: int | None = attribute(
        "newton:delaySteps",
        "Delay in simulation steps.",
        api="NewtonActuatorDelayAPI",
        range="[0, inf)",
    )
    max_effort: float | None = attribute(
        "newton:maxEffort",
        "Largest effort [N m or N].",
        api="NewtonMaxEffortClampingAPI",
        unit="torque",
        linear="force",
        range="[0, inf)",
    )
    max_motor_effort: float | None = _dc(
        "newton:maxMotorEffort",
        "Largest effort of a DC motor [N m or N].",
        unit="torque",
        linear="force",
        range="[0, inf)",
    )
    saturation_effort: float | None = _dc(
        "newton:saturationEffort",
        "Effort of a DC motor at rest [N m or N].",
        unit="torque",
        linear="force",
        range="[0, inf)",
    )
    velocity_limit: float | None = _dc(
        "newton:velocityLimit",
        "Speed at which a DC motor has no effort left [rad/s or m/s].",
        unit="",
        linear="distance/second",
        range="(0, inf)",
    )
    lookup_positions: Sequence[float] | None = attribute(
        "newton:lookupPositions",
        "Positions of the effort limits, ascending [rad or m].",
        api=_TABLE,
        type="float[]",
        unit="",
        linear="distance",
    )
    lookup_efforts: Sequence[float] | None = attribute(
        "newton:lookupEfforts",
        "Largest efforts at these positions [N m or N].",
        api=_TABLE,
        type="float[]",
        unit="torque",
        linear="force",
    )

    model_path: str | None = attribute(
        "newton:modelPath",
        "File of the network that makes the effort.",
        api="NewtonNeuralControlAPI",
        type="asset",
    )

    def validate(self) -> None:
        """Check every value.

        Raises:
            InvalidValueError: a value is not allowed, or the lookup table is not a function.
        """
        super().validate()
        positions = list(self.lookup_positions or ())
        if any(b <= a for a, b in pairwise(positions)):
            raise InvalidValueError("lookup_positions", positions, "ascending numbers")
        if len(positions) != len(list(self.lookup_efforts or ())):
            raise InvalidValueError(
                "lookup_efforts", self.lookup_efforts, "as many numbers as lookup_positions"
            )


@schema_cfg
class MujocoActuatorCfg(ActuatorBaseCfg):
    """A MuJoCo actuator: force = gain(control) + bias(length, velocity)."""

    prim_type: ClassVar[str] = "MjcActuator"

    target: str | None = attribute(
        "mjc:target", "Path of the joint, tendon, site or body it acts on.", type="rel"
    )
    gear: Sequence[float] | None = attribute(
        "mjc:gear", "Scale of length and force, six numbers.", type="double[]"
    )
    dyn_type: str | None = attribute("mjc:dynType", "Activation dynamics.", tokens=DYNAMICS)
    gain_type: str | None = attribute("mjc:gainType", "Kind of gain.", tokens=GAIN)
    bias_type: str | None = attribute("mjc:biasType", "Kind of bias.", tokens=BIAS)
    dyn_prm: Sequence[float] | None = attribute(
        "mjc:dynPrm", "Parameters of the dynamics.", type="double[]"
    )
    gain_prm: Sequence[float] | None = attribute(
        "mjc:gainPrm", "Parameters of the gain.", type="double[]"
    )
    bias_prm: Sequence[float] | None = attribute(
        "mjc:biasPrm", "Parameters of the bias.", type="double[]"
    )
    ctrl_limited: str | None = attribute(
        "mjc:ctrlLimited", "Whether the control is limited.", tokens=_LIMITED
    )
    ctrl_range_min: float | None = attribute("mjc:ctrlRange:min", "Least control.", type="double")
    ctrl_range_max: float | None = attribute("mjc:ctrlRange:max", "Largest control.", type="double")
    force_limited: str | None = attribute(
        "mjc:forceLimited", "Whether the force is limited.", tokens=_LIMITED
    )
    force_range_min: float | None = attribute(
        "mjc:forceRange:min", "Least force [N or N m].", type="double"
    )
    force_range_max: float | None = attribute(
        "mjc:forceRange:max", "Largest force [N or N m].", type="double"
    )
    group: int | None = attribute("mjc:group", "Group.", range="[0, inf)")


def _scopes(prim: Usd.Prim, cfg: ActuatorBaseCfg | None) -> list[Scope]:
    targets = getattr(cfg, "targets", None)
    if targets is None and prim.HasRelationship("newton:targets"):
        targets = [str(path) for path in prim.GetRelationship("newton:targets").GetTargets()]
    first = ([targets] if isinstance(targets, str) else list(targets or ()))[:1]
    joint = prim.GetStage().GetPrimAtPath(Sdf.Path(first[0])) if first else None
    axis = (joint_axis(joint) if joint else None) or "angular"
    integral = getattr(cfg, "ki", None) is not None
    control = _PID if integral else "NewtonPDControlAPI"
    return [plain_scope(prim, axis=axis, control=control)]


class _ActuatorFamily(Family):
    def matches(self, prim: Usd.Prim, cfg: ActuatorBaseCfg) -> bool:
        return str(prim.GetTypeName()) == cfg.prim_type


ACTUATOR = _ActuatorFamily("actuator", scopes=_scopes)


def define_actuator(
    prim_path: str, cfg: ActuatorBaseCfg, stage: Usd.Stage | None = None
) -> SchemaResult:
    """Define an actuator prim.

    Args:
        prim_path: the actuator.
        cfg: what it drives, and how.
        stage: where to define it; None: the current stage.

    Raises:
        ValueError: the path is not legal, a value is not allowed, or the target does not exist.
    """
    where = stage_or_current(stage)
    cfg.validate()
    # Nothing is defined for values that cannot be written.
    for scope in _scopes(where.GetPseudoRoot(), cfg):
        plan(cfg, scope)
    wanted = getattr(cfg, "targets", None) or getattr(cfg, "target", None)
    for path in [wanted] if isinstance(wanted, str) else list(wanted or ()):
        if not where.GetPrimAtPath(path):
            raise StageError(f"Actuator {prim_path} has no target to drive: no prim at {path!r}.")
    define_prim(where, prim_path, cfg.prim_type)
    return ACTUATOR.define(prim_path, cfg, where)


def replace_actuators(
    cfgs: Mapping[str, NewtonActuatorCfg], joint_paths: Collection[str], stage: Usd.Stage
) -> None:
    """Put actuator prims in the place of those that act on some joints.

    Other ``NewtonActuator`` prims on these joints are deactivated.

    Args:
        cfgs: what to define, by path of the actuator.
        joint_paths: the joints.
        stage: where to define it.

    Raises:
        ValueError: a path is not legal, a value is not allowed, or a target does not exist; nothing
            is changed then.
    """
    for path, cfg in cfgs.items():
        cfg.validate()
        if not Sdf.Path.IsValidPathString(path):
            raise StageError(f"{path!r} is not the path of a prim. Use letters, digits and _.")
    for path in joint_paths:
        if not stage.GetPrimAtPath(path):
            raise StageError(f"There is no joint to drive: no prim at {path!r}.")
    joints = {Sdf.Path(path) for path in joint_paths}
    for prim in list(stage.Traverse()):
        if prim.GetTypeName() != NewtonActuatorCfg.prim_type:
            continue
        targets = prim.GetRelationship("newton:targets").GetTargets()
        if not joints.isdisjoint(targets[:1]) and str(prim.GetPath()) not in cfgs:
            prim.SetActive(False)
    for path, cfg in cfgs.items():
        # What was defined here before must not add to it.
        stage.RemovePrim(path)
        define_actuator(path, cfg, stage)


def modify_actuator(
    prim_path: str,
    cfg: ActuatorBaseCfg,
    stage: Usd.Stage | None = None,
    *,
    subtree: bool = False,
    uninstance: bool = False,
) -> SchemaResult:
    """Change the actuators of the configuration's type at and below a prim."""
    return ACTUATOR.modify(prim_path, cfg, stage, subtree=subtree, uninstance=uninstance)


def read_actuator(
    prim_path: str,
    cfg_type: type[ActuatorBaseCfg] = NewtonActuatorCfg,
    stage: Usd.Stage | None = None,
) -> ActuatorBaseCfg:
    """The configuration an actuator's authored attributes amount to."""
    return ACTUATOR.read(prim_path, cfg_type, stage)
