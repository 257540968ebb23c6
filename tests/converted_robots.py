"""Converted robots, and fingerprints of what a stage compiles to: for tests of the law of edits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Usd

from usdsim.converters.mjcf import convert_mjcf
from usdsim.core.errors import UsdsimError
from usdsim.engine import compile_scene
from usdsim.parser import parse_stage
from usdsim.usd.stage import create_stage

ROOT = Path(__file__).resolve().parents[1]
ROBOTS = {
    "finger": ROOT / "assets/finger/finger.xml",
    "arm": ROOT / "assets/arm/arm.urdf",
    "quadruped": ROOT / "assets/quadruped/quadruped.xml",
}
EVERYTHING = """<mujoco><option timestep="0.002" gravity="0 0.1 -9.8"/><asset>
<mesh name="tetrahedron" vertex="0 0 0 0.2 0 0 0 0.2 0 0 0 0.2"/>
<hfield name="hill" nrow="3" ncol="3" size="1 1 0.3 0.1" elevation="0 0 0 0 1 0 0 0 0"/>
<material name="red" rgba="0.8 0.1 0.1 1" metallic="0.3" roughness="0.4" emission="0.2"/></asset>
<worldbody><light name="lamp" pos="0 0 3" dir="0 0.1 -1" diffuse="0.6 0.5 0.4" cutoff="40"/>
<camera name="eye" pos="2 0 1" fovy="50"/>
<geom name="floor" type="plane" size="5 5 0.1"/><geom type="hfield" hfield="hill" pos="3 0 0"/>
<body name="base" pos="0 0 1"><freejoint/>
<geom name="box" type="box" size="0.1 0.2 0.3" friction="0.7 0.01 0.001" material="red"/>
<geom name="mesh" type="mesh" mesh="tetrahedron" pos="0.5 0 0" rgba="0 0 1 0.5"/>
<site name="tip" pos="0 0.1 0.3" size="0.02"/>
<body name="upper" pos="0 0 0.4"><joint name="hinge" axis="0 0.6 0.8" pos="0 0 0.1" range="-90 80"
 ref="5" damping="0.5" armature="0.02" frictionloss="0.1" stiffness="2" springref="10"
 solreflimit="0.03 0.9"/>
<geom name="capsule" type="capsule" size="0.03 0.15" pos="0 0 0.15" contype="2" conaffinity="2"/>
<body name="lower" pos="0 0 0.35"><joint name="slide" type="slide" axis="1 0 0" range="-0.2 0.3"/>
<geom name="cylinder" type="cylinder" size="0.03 0.05"/>
<body name="end" pos="0.2 0 0"><joint name="axle"/>
<geom name="egg" type="ellipsoid" size="0.05 0.06 0.07"/></body></body></body>
<body name="ball" pos="0 0.4 0"><joint name="socket" type="ball" range="0 60"/>
<geom size="0.06" mass="0.4"/></body>
<body name="wheel" pos="0 -0.4 0"><joint name="follower" axis="1 0 0"/>
<geom size="0.06" mass="0.4"/></body></body>
<body name="left" pos="-1 0 1"><joint name="a" axis="0 1 0"/><geom size="0.05"/></body>
<body name="right" pos="-1 0.5 1"><joint name="b" axis="0 1 0"/><geom size="0.05"/></body>
</worldbody><equality><joint joint1="follower" joint2="hinge" polycoef="0.1 0.5 0 0 0"/>
<weld name="weld" body1="left" body2="right"/>
<connect name="pin" body1="left" body2="wheel" anchor="0 0 0.1"/></equality>
<contact><pair geom1="capsule" geom2="floor"/><exclude body1="upper" body2="ball"/></contact>
<tendon><fixed name="cable" stiffness="3" damping="1" range="-1 1"><joint joint="hinge" coef="1"/>
<joint joint="slide" coef="-2"/></fixed></tendon><actuator>
<position name="servo" joint="hinge" kp="30" kv="2" gear="2" forcerange="-5 5"/>
<velocity name="speed" joint="slide" kv="4"/><motor name="motor" joint="axle" gear="3"/>
<position name="pull" tendon="cable" kp="3"/></actuator>
<sensor><jointpos joint="hinge"/><accelerometer site="tip"/></sensor></mujoco>"""


def everything() -> Usd.Stage:
    stage = create_stage()
    convert_mjcf(EVERYTHING, stage)
    return stage


OF_ENGINES = {
    "bodies": (
        "sleep_threshold",
        "starts_asleep",
        "max_linear_velocity",
        "max_angular_velocity",
        "surface_velocity",
        "gyroscopic",
    ),
    "joints": ("break_force", "break_torque", "dofs"),
    "materials": ("restitution", "static_friction", "friction_combine", "restitution_combine"),
    "articulations": ("self_collision", "fixed_base"),
}
"""What engines read of the description, by its parts."""

VISUALS = "global_", "headlight", "map", "quality", "rgba", "scale"
"""What a model says about pictures."""


def fingerprint(stage: Usd.Stage) -> tuple[dict[str, Any], set[str]]:
    """Everything a model and its start consist of, and what the report says of which properties."""
    result = parse_stage(stage, exact=True)
    compiled = compile_scene(result.scene, exact=True)
    parts: dict[str, Any] = {}
    for owner, prefix in ((compiled.mj, ""), (compiled.mj.opt, "opt."), (compiled.initial, "at.")):
        for name in dir(owner):
            value = getattr(owner, name, None) if not name.startswith("_") else None
            if isinstance(value, np.ndarray):
                parts[prefix + name] = value.tobytes()
            elif isinstance(value, (int, float)):
                parts[prefix + name] = value
    parts["vis"] = repr([getattr(compiled.mj.vis, n) for n in VISUALS])
    # Numbers that engines read of the description, as the model has no room for them.
    parts["engine"] = [
        list(flat([getattr(item, name) for name in names]))
        for kind, names in OF_ENGINES.items()
        for item in getattr(result.scene, kind)
    ] + list(flat(result.scene.deformables))
    parts["bounce"] = result.scene.bounce_threshold
    findings = {f"{f.path}.{f.attribute} {f.message}" for f in result.report.findings}
    return parts, findings | {f"{path} {message}" for path, message in compiled.notes}


def edit_outcome(
    stage: Usd.Stage, before: tuple[dict[str, Any], set[str]], path: str, edit: Callable[[], bool]
) -> str:
    """What a change in the session layer does: ``acts``, ``reported``, ``refused`` or nothing.

    Args:
        stage: the stage, which is as before afterwards.
        before: its `fingerprint` without the change.
        path: prim that is changed, which a finding or an error has to name.
        edit: makes the change; says whether it has.
    """
    try:
        assert edit()
        after = fingerprint(stage)
        if after[0] != before[0]:
            return "acts"
        return "reported" if any(path in text for text in after[1] - before[1]) else ""
    except UsdsimError as error:
        return "refused" if path in str(error) else ""
    finally:
        stage.GetSessionLayer().Clear()


def flat(value: Any) -> Iterator[Any]:
    """Numbers and words of a description, in order."""
    if is_dataclass(value):
        for field in fields(value):
            yield from flat(getattr(value, field.name))
    elif isinstance(value, np.ndarray):
        yield value.tobytes()
    elif isinstance(value, Mapping):
        yield from flat(tuple(value.items()))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from flat(item)
    elif isinstance(value, (bool, int, float, str)):
        yield value
