"""What actuator models add to a step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .assets import converted, robots
from .measure import Contender, alternate
from .registry import Row, Settings, benchmark

__all__ = ["actuator_step"]

_PATTERNS = ("[Ff][Ll].*", "[Ff][Rr].*", "[Rr][Ll].*", "[Rr][Rr].*")


@benchmark
def actuator_step(settings: Settings) -> Iterator[Row]:
    """Four kinds of actuator models on the legs of a robot, against the step they come before."""
    name, path = converted(settings)
    for envs in (64,) if settings.quick else (1024, 4096):
        with robots(path, envs, _four_kinds()) as (sim, robot):
            robot.write_data_to_sim()

            def models(robot: Any = robot) -> None:
                robot.data.joint_pos, robot.data.joint_vel  # noqa: B018  What physics left behind.
                robot.write_data_to_sim()

            result = alternate(
                Contender(sim.step, models), Contender(lambda: None, sim.step), settings.rounds(31)
            )
        detail = {"models_ms": 1e3 * result.first, "step_ms": 1e3 * result.second}
        label = f"{name}, {envs} worlds, share of a step"
        yield Row(label, 100.0 / result.ratio, "%", 3.0, detail=detail)


def _four_kinds() -> dict[str, Any]:
    from usdsim.actuators import (
        DCMotorCfg,
        DelayedPDActuatorCfg,
        ImplicitActuatorCfg,
        RemotizedPDActuatorCfg,
    )

    gains = {"stiffness": 25.0, "damping": 0.5}
    motor = {"effort_limit": 25.0, "velocity_limit": 30.0}
    table = [[-3.2, 1.0, 25.0], [0.0, 1.0, 20.0], [3.2, 1.0, 25.0]]
    front_left, front_right, rear_left, rear_right = ([p] for p in _PATTERNS)
    return {
        "drive": ImplicitActuatorCfg(joint_names_expr=front_left, effort_limit_sim=25.0, **gains),
        "motor": DCMotorCfg(joint_names_expr=front_right, saturation_effort=40.0, **gains, **motor),
        "delayed": DelayedPDActuatorCfg(
            joint_names_expr=rear_left, min_delay=0, max_delay=4, **gains, **motor
        ),
        "remotized": RemotizedPDActuatorCfg(
            joint_names_expr=rear_right, max_delay=4, joint_parameter_lookup=table, **gains
        ),
    }
