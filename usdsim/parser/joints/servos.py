"""Servos beside drives: actuator prims of the MuJoCo dialect that move an axis with a drive too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from usdsim.parser.context import ParseContext
from usdsim.parser.description import ActuatorDescription, DofDescription, DriveDescription
from usdsim.parser.prims import PrimView
from usdsim.parser.quantities import Statement
from usdsim.usd.servos import Servo, read_servo, servo_fields

__all__ = ["Servos"]

_GAINS = {"stiffness": "stiffness", "damping": "damping", "max_force": "maxForce"}
"""Attribute of a drive by what it says."""
_PRM = {"stiffness": "mjc:biasPrm", "damping": "mjc:biasPrm", "max_force": "mjc:forceRange:max"}


class Servos:
    """Settles which of an actuator and a drive on one axis moves it, and with which gains.

    An actuator goes first. On a joint that ``usdsim convert`` wrote, the drive restates the
    actuator: its edited gains and targets become the actuator's, and a drive that was added since
    acts beside actuators that have none.

    Args:
        context: of the stage.
        actuators: as authored.
    """

    def __init__(
        self,
        context: ParseContext,
        actuators: Sequence[ActuatorDescription],
    ):
        self._context = context
        self._actuators = {actuator.path: actuator for actuator in actuators}
        self._on: dict[str, list[str]] = {}
        for actuator in actuators:
            for path in actuator.targets.get("target", ()):
                self._on.setdefault(path, []).append(actuator.path)

    @property
    def actuators(self) -> tuple[ActuatorDescription, ...]:
        """The actuators with the gains and targets that hold."""
        return tuple(self._actuators.values())

    def settle(self, view: PrimView, dof: DofDescription) -> DofDescription:
        """The axis with its drive, or without one where an actuator takes its place.

        Args:
            view: the joint.
            dof: one of its axes.
        """
        beside = [*self._on.get(dof.path, ()), *self._on.get(view.path, ())]
        if not beside or (dof.drive is None and not dof.ball_drives):
            return dof
        if view.converted and "drive_stiffness" not in view.converted:
            self._context.report.info(
                "superseded-drive", view.path,
                f"has a drive that was added to {', '.join(dict.fromkeys(beside))}; both move it",
            )  # fmt: skip
            return dof
        if not view.converted:
            self._context.report.info(
                "superseded-drive", view.path, "has a drive and an actuator; the actuator drives it"
            )
        if dof.drive is not None:
            self._restate(view, dof, dof.drive, beside)
        return replace(dof, drive=None, ball_drives=())

    def _restate(
        self, view: PrimView, dof: DofDescription, drive: DriveDescription, beside: list[str]
    ) -> None:
        """Bring what the drive says to the first servo of the axis."""
        stage = self._context.stage
        found = {path: read_servo(stage.GetPrimAtPath(path)) for path in beside}
        servos = {path: law for path, law in found.items() if isinstance(law, Servo)}
        prefix = f"drive:{'angular' if dof.kind == 'hinge' else 'linear'}:physics:"
        if not servos:
            if view.converted:
                first, why = next(iter(found.items()))
                self._refuse_edits(view, prefix, drive, f"{first}, which moves the joint, {why}")
            return
        path, servo = next(iter(servos.items()))
        wanted = self._gains(view, prefix, drive, path, servo)
        wanted = {name: v for name, v in wanted.items() if v != getattr(servo, name)}
        if drive.acceleration and view.converted:
            self._refuse(
                view, prefix + "type", f"the gains of {path}, which moves the joint, give forces"
            )
        elif wanted:
            self._edit(view, prefix, path, servo, wanted)
        self._aim(view, prefix, dof, drive, path, servo)

    def _gains(
        self, view: PrimView, prefix: str, drive: DriveDescription, path: str, servo: Servo
    ) -> dict[str, float]:
        chosen = {}
        for name, attribute in _GAINS.items():
            if prefix + attribute not in view.names:
                continue
            own = getattr(servo, name)
            stated = [
                Statement("mjc", f"{path}.{_PRM[name]}", own, precise=True),
                Statement("physics", prefix + attribute, getattr(drive, name)),
            ]
            found = self._context.quantities.choose(view, f"drive_{name}", stated)
            if found is not None and found.dialect == "physics" and not found.converted:
                chosen[name] = float(found.value)
        return chosen

    def _edit(
        self, view: PrimView, prefix: str, path: str, servo: Servo, wanted: dict[str, float]
    ) -> None:
        new = servo
        for name, value in wanted.items():
            try:
                new = new.edited(**{name: value})
            except ValueError as reason:
                self._refuse(
                    view, prefix + _GAINS[name], f"{path}, which moves the joint, {reason}"
                )
        actuator = self._actuators[path]
        values = actuator.overrides
        fields = servo_fields(servo, new, values.get("gainprm"), values.get("biasprm"))
        self._actuators[path] = replace(actuator, overrides={**values, **fields})

    def _aim(
        self,
        view: PrimView,
        prefix: str,
        dof: DofDescription,
        drive: DriveDescription,
        path: str,
        servo: Servo,
    ) -> None:
        """Set the servo's initial control to the drive's targets, of which it has one."""
        if drive.samples is not None:
            self._refuse(
                view, prefix + "targetPosition",
                f"{path}, which moves the joint, follows its control; write controls instead",
            )  # fmt: skip
            return
        targets = {"position": drive.target_position, "velocity": drive.target_velocity}
        aim = targets.pop(servo.aims_at)
        for name, value in targets.items():
            if value:
                attribute = f"{prefix}target{name.capitalize()}"
                self._refuse(
                    view, attribute, f"{path}, which moves the joint, aims at a {servo.aims_at}"
                )
        if aim:
            start = aim + (dof.reference if servo.aims_at == "position" else 0.0)
            self._actuators[path] = replace(self._actuators[path], control=servo.gear * start)

    def _refuse_edits(self, view: PrimView, prefix: str, drive: DriveDescription, why: str) -> None:
        """Report what was edited since the conversion and cannot act."""
        for name, attribute in _GAINS.items():
            said = Statement("physics", prefix + attribute, getattr(drive, name))
            found = self._context.quantities.choose(view, f"drive_{name}", [said])
            if found is not None and not found.converted:
                self._refuse(view, prefix + attribute, why)
        for name in ("targetPosition", "targetVelocity"):
            if view.number(prefix + name, 0.0):
                self._refuse(view, prefix + name, why)

    def _refuse(self, view: PrimView, attribute: str, why: str) -> None:
        self._context.report.unsupported(
            view.path, attribute, view.raw(attribute), f"was edited, but has no effect: {why}"
        )
